"""What `make lock` changed: `python .ci/lock_changes.py BEFORE AFTER`, two lock files."""

import re
import sys
from pathlib import Path


def versions(lock: str) -> dict[str, str]:
    """The versions of each package: several where Pythons or platforms differ."""
    found: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock, re.MULTILINE):
        found.setdefault(name, []).append(version)
    return {name: ", ".join(several) for name, several in found.items()}


def changes(before: str, after: str) -> str:
    """A table of the packages that came, went or have another version."""
    old, new = versions(before), versions(after)
    rows = []
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            rows.append((name, "added", new[name]))
        elif name not in new:
            rows.append((name, "removed", old[name]))
        elif old[name] != new[name]:
            rows.append((name, "changed", f"{old[name]} -> {new[name]}"))
    width = max((len(name) for name, _, _ in rows), default=0)
    lines = [f"{name:{width}}  {what:7}  {version}" for name, what, version in rows]
    return "\n".join(lines) or "No version changed."


if __name__ == "__main__":
    print(changes(*(Path(name).read_text("utf-8") for name in sys.argv[1:])))
