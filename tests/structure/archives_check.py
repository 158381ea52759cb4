"""What a class of fleet, connection and sim saves is all that it remembers: `archive` names every data member.

A `struct State` unpacks itself by a structured binding, so that the compiler counts its members, and a class that keeps its memory in
`state_` saves that. Every other `archive` names all members of its class; those that it leaves out, because they never change or are
set anew by every step, stand in archives_exceptions.toml with their reason."""
import re
import tomllib

import classes_check
import repository

EXCEPTIONS = "tests/structure/archives_exceptions.toml"


def check(root):
    table = classes_check.Table(root)
    listed = root / EXCEPTIONS
    reasons = tomllib.loads(listed.read_text(encoding="utf-8")) if listed.exists() else {}
    findings, needed = [], set()
    for name, body in sorted(table.archives.items()):
        cls = table.classes[name]
        if ("state_", "State") in cls.members or "= *this" in body:
            continue
        for member, _ in cls.members:
            if re.search(rf"\b{member}\b", body):
                continue
            needed.add((name, member))
            if len(reasons.get(name, {}).get(member, "")) < 5:
                findings.append(f"{cls.where}: {name}::archive leaves out {member}; {EXCEPTIONS} says why one may")
    for name, members in reasons.items():
        findings += [f"{EXCEPTIONS}: {name}: {member} is saved or gone, take it out" for member in members if (name, member) not in needed]
    return findings


if __name__ == "__main__":
    repository.main(check)
