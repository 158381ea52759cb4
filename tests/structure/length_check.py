"""No source file is longer than 400 lines: a file is one room."""
import repository

LIMIT = 400


def check(root):
    findings = []
    for path in repository.files(root):
        if not repository.is_source(root, path):
            continue
        lines = (repository.text(root, path) or "").count("\n")
        if lines > LIMIT:
            findings.append(f"{path}: {lines} lines, {LIMIT} at most")
    return findings


if __name__ == "__main__":
    repository.main(check)
