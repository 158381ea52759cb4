"""The version that CMakeLists.txt states is the same wherever it is repeated."""
import re

import repository

# File -> how it writes the version: groups are its first two or three numbers, joined by a dot.
PLACES = {
    "CITATION.cff": r"(?m)^version: (\d+)\.(\d+)\.(\d+)$",
    "CHANGELOG.md": r"(?m)^## (?:Unreleased \()?(\d+)\.(\d+)\.(\d+)",
    "include/tidewatt/base/version.hpp": r"TIDEWATT_VERSION_NAMESPACE v(\d+)_(\d+)$",
    "docs/cpp_api.md": r"`tidewatt::v(\d+)_(\d+)`|`libtidewatt\.so\.(\d+)\.(\d+)`",
    "examples/CMakeLists.txt": r"find_package\(tidewatt (\d+)\.(\d+)",
    "docs/installing.md": r"tidewatt(?:-dev)?[-_](\d+)\.(\d+)\.(\d+)",
}
# The newest entry of the changelog counts, and every mention elsewhere.
FIRST_ONLY = {"CHANGELOG.md"}


def check(root):
    project = re.search(r"project\(tidewatt VERSION (\d+\.\d+\.\d+)", repository.text(root, "CMakeLists.txt"))
    if not project:
        return ["CMakeLists.txt: no project(tidewatt VERSION x.y.z"]
    findings = []
    for place, form in PLACES.items():
        said = [".".join(g for g in m.groups() if g) for m in re.finditer(form, repository.text(root, place), re.MULTILINE)]
        if not said:
            findings.append(f"{place}: names no version")
        for version in sorted(set(said[:1] if place in FIRST_ONLY else said)):
            if version not in (project[1], project[1].rpartition(".")[0]):
                findings.append(f"{place}: says {version}, CMakeLists.txt {project[1]}")
    return findings


if __name__ == "__main__":
    repository.main(check)
