"""One name in header, source and test: x.hpp in include/tidewatt/<part>/ or src/<part>/, src/<part>/x.cpp,
tests/unit/<part>/x_test.cpp. A long source may go on in x_more.cpp. A source needs a test of its name where its header is public or
other folders include it."""
import pathlib
import tomllib

import repository

EXCEPTIONS = "tests/structure/names_exceptions.toml"


def stems(paths, folder, suffix):
    """{(part, name)} of the files below `folder` that end in `suffix`."""
    depth = len(pathlib.PurePosixPath(folder).parts)
    return {(p.parts[depth], p.name[: -len(suffix)]): p for p in paths
            if p.parts[:depth] == pathlib.PurePosixPath(folder).parts and len(p.parts) == depth + 2
            and p.name.endswith(suffix)}


def continues(key, headers):
    """Whether a/x_more.cpp goes on with a header a/x.hpp."""
    part, words = key[0], key[1].split("_")
    return any((part, "_".join(words[:n])) in headers for n in range(1, len(words)))


def violations(root):
    """{path: what is missing}"""
    paths = repository.files(root)
    headers = stems(paths, "include/tidewatt", ".hpp")
    private = stems(paths, "src", ".hpp")
    used = {(p.parts[1], p.stem) for p in repository.shared_headers(root)} | set(headers)
    sources = stems(paths, "src", ".cpp")
    tests = stems(paths, "tests/unit", "_test.cpp")
    found = {}
    for key, path in sources.items():
        if key[0] in {"cli", "validate"} and key not in headers:
            continue  # commands, and groups of rows behind one header: their tests run the program
        if key not in headers and key not in private and not continues(key, {**headers, **private}):
            found[path] = "source without a header of its name"
        elif key in used and key not in tests:
            found[path] = "source whose header others include, without a test of its name"
    for key, path in tests.items():
        if key not in headers and key not in private:
            found[path] = "test without a header of its name"
    return {str(path): what for path, what in found.items()}


def check(root):
    listed = root / EXCEPTIONS
    exceptions = tomllib.loads(listed.read_text(encoding="utf-8")) if listed.exists() else {}
    found = violations(root)
    findings = [f"{path}: {what}" for path, what in sorted(found.items()) if path not in exceptions]
    for path, reason in sorted(exceptions.items()):
        if not isinstance(reason, str) or len(reason) < 10:
            findings.append(f"{EXCEPTIONS}: {path}: an exception needs a reason")
        if path not in found:
            findings.append(f"{EXCEPTIONS}: {path}: no longer an exception, take it out")
        else:
            print(f"exception: {path}: {found[path]}; {reason}")
    return findings


if __name__ == "__main__":
    repository.main(check)
