"""Every paper cited by its arXiv number, and every citation key, stands in docs/references.bib."""
import re

import repository

BIBLIOGRAPHY = "docs/references.bib"
CITED = re.compile(r"arXiv[:\s]*(\d{4}\.\d{5})")
KEY = re.compile(r"\[@([\w\-]+)\]")
FOLDERS = {"include", "src", "catalog", "scenarios", "docs", "python", "scripts", "README.md", "notebooks"}


def check(root):
    bib = repository.text(root, BIBLIOGRAPHY) if (root / BIBLIOGRAPHY).exists() else ""
    numbers = set(re.findall(r"eprint\s*=\s*\{([\d.]+)\}", bib))
    keys = re.findall(r"^@\w+\{([\w\-]+),", bib, re.MULTILINE)
    findings = [f"{BIBLIOGRAPHY}: key {key} appears twice" for key in sorted(set(keys)) if keys.count(key) > 1]
    for path in repository.files(root):
        if path.parts[0] not in FOLDERS or str(path) == BIBLIOGRAPHY:
            continue
        for line_number, line in enumerate((repository.text(root, path) or "").splitlines(), 1):
            missing = [f"arXiv {n}" for n in CITED.findall(line) if n not in numbers]
            missing += [f"[@{key}]" for key in KEY.findall(line) if key not in keys]
            findings += [f"{path}:{line_number}: {what} is not in {BIBLIOGRAPHY}" for what in missing]
    return findings


if __name__ == "__main__":
    repository.main(check)
