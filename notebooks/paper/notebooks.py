"""Run a notebook of the project with papermill. Its source is a jupytext script, without output."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks"


def run_notebook(name: str, output: Path, parameters: dict[str, Any]) -> Path:
    """Execute ``notebooks/NAME.ipynb`` with these parameters; the executed copy.

    Results are files below ``output``; the executed copy goes to an ignored folder beside them.
    """
    source = FOLDER / f"{name}.ipynb"
    if not source.is_file():
        raise ValueError(f"no notebook {source}: the notebooks come with a checkout of the project")
    executed = output / "executed" / source.name
    executed.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings(), _kernel_without_widgets():
        # papermill and its Jupyter libraries warn about their own future
        warnings.simplefilter("ignore", DeprecationWarning)
        import papermill

        papermill.execute_notebook(
            source,
            executed,
            parameters={"output": str(output.resolve()), **parameters},
            kernel_name="python3",
            cwd=str(FOLDER),
            progress_bar=sys.stderr.isatty(),
            log_output=False,
            # the kernel would warn that it talks over loopback without encryption, and tell that
            # it was interrupted when it is shut down; what fails in a cell is raised all the same
            extra_arguments=["--log-level=CRITICAL"],
        )
    return executed


@contextlib.contextmanager
def _kernel_without_widgets() -> Iterator[None]:
    """The kernel inherits this: tqdm would say there that Jupyter's widgets are not installed."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [before, "ignore:IProgress not found"]))
    try:
        yield
    finally:
        del os.environ["PYTHONWARNINGS"]
        if before is not None:
            os.environ["PYTHONWARNINGS"] = before
