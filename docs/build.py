"""The pages of the API, from the docstrings: ``make docs`` writes them into docs/api/."""

import pkgutil
import sys
import warnings
from pathlib import Path

import pdoc

import abacoc
import abacoc_theory
from abacoc import streams

# Names are imported when they are first asked for, which pdoc never does.
for package in (abacoc, streams, abacoc_theory):
    for name in package.__all__:
        setattr(package, name, getattr(package, name))

# Scripts run when they are imported; the kernels' docstrings are for those who read the source.
SKIPPED = ("abacoc.__main__", "abacoc.engine.", "abacoc_theory.lazy")
LEARNERS = "abacoc.engine.learners"


def modules() -> list[str]:
    """All modules that have something to say to a user."""
    found = ["abacoc", "abacoc_theory"]
    for package in (abacoc, abacoc_theory):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if info.name == LEARNERS or not info.name.startswith(SKIPPED):
                found.append(info.name)
    return found


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "api")
    # the fields of a named tuple have their types as texts, which are shown as they are
    warnings.filterwarnings("ignore", "Error parsing type annotation")
    # pdoc finds the modules of a package without __all__ by itself, and once is enough
    warnings.filterwarnings("ignore", "The module specification")
    pdoc.render.configure(show_source=False, footer_text=f"abacoc {abacoc.__version__}")
    pdoc.pdoc(*modules(), output_directory=target)
    print(target / "index.html")
