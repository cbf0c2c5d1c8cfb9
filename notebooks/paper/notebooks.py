"""Run a notebook with papermill, and bring what comes out into the form that is committed.

A notebook is committed with its outputs, so that it can be read without running it. Nothing else
that a run leaves in it is kept: no times, no versions, no parameters that were passed. So the same
numbers give the same bytes.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import nbformat

from abacoc.files import write_atomically
from abacoc.interruption import held

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def run_notebook(name: str, executed: Path, parameters: dict[str, Any]) -> None:
    """Execute ``notebooks/NAME.ipynb`` with these parameters into the file ``executed``.

    The file is there when the last cell is done. Whatever happens before, no kernel stays behind.
    """
    source = FOLDER / f"{name}.ipynb"
    if not source.is_file():
        raise ValueError(f"no notebook {source}: the notebooks come with a checkout of the project")
    executed.parent.mkdir(parents=True, exist_ok=True)
    # the kernel inherits this: tqdm would say there that Jupyter's widgets are not installed
    quiet = mock.patch.dict(os.environ, PYTHONWARNINGS="ignore:IProgress not found")
    with warnings.catch_warnings(), quiet:
        # papermill and its Jupyter libraries warn about their own future
        warnings.simplefilter("ignore", DeprecationWarning)
        import papermill

        with _kernels() as manager:
            notebook = papermill.execute_notebook(
                source,
                None,
                parameters=parameters,
                kernel_name="python3",
                cwd=str(FOLDER),
                progress_bar=sys.stderr.isatty(),
                log_output=False,
                # the kernel would warn that it talks over loopback without encryption; what fails
                # in a cell is raised all the same
                extra_arguments=["--log-level=CRITICAL"],
                kernel_manager_class=manager,
                shutdown_kernel="immediate",  # it has nothing to tidy up
            )
    with write_atomically(executed) as file:
        nbformat.write(notebook, file)  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def _kernels() -> Iterator[type]:
    """A class of managers whose kernels are gone at the end, also those that have just started.

    A client shuts down a kernel only once it talks to it, and a new one would take a Ctrl-C for
    its own.
    """
    from jupyter_client.manager import AsyncKernelManager

    managers: list[AsyncKernelManager] = []

    class Manager(AsyncKernelManager):
        async def _async_start_kernel(self, **arguments: Any) -> None:
            managers.append(self)
            with held():
                await super()._async_start_kernel(**arguments)

        start_kernel = _async_start_kernel

    try:
        yield Manager
    finally:
        for manager in managers:
            # not by its own method: that runs the loop again, where an interruption that one task
            # has met comes up once more in each task that waited for it
            process = getattr(manager.provisioner, "process", None)
            if process is not None:
                process.kill()
                process.wait()
            if manager.connection_file:
                Path(manager.connection_file).unlink(missing_ok=True)


def tidy(notebook: Any) -> Any:
    """The notebook as it is committed: cells and outputs, and nothing that changes by itself.

    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> ran = new_code_cell("1 + 1", execution_count=7, metadata={"execution": {"shell": "1"}})
    >>> passed = new_code_cell("n = 2", metadata={"tags": ["injected-parameters"]})
    >>> found = tidy(new_notebook(cells=[passed, ran]))
    >>> [(cell.source, cell.execution_count, cell.metadata) for cell in found.cells]
    [('1 + 1', 1, {})]
    """
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    passed = "injected-parameters"
    notebook.cells = [c for c in notebook.cells if passed not in c.metadata.get("tags", [])]
    count = 0
    for i, cell in enumerate(notebook.cells):
        tags = cell.metadata.get("tags")
        cell.metadata = {"tags": tags} if tags else {}
        cell.id = f"cell-{i}"
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = _joined(cell.outputs)
            for output in cell.outputs:
                output.pop("execution_count", None)
                if output.output_type == "execute_result":
                    output.execution_count = count
                if "metadata" in output:
                    output.metadata = {}
    return notebook


def _joined(outputs: list[Any]) -> list[Any]:
    """The outputs, what was printed in one piece: the kernel cuts it where its buffer happens to.

    >>> from nbformat.v4 import new_output
    >>> [piece.text for piece in _joined([new_output("stream", text=text) for text in ("a", "b")])]
    ['ab']
    """
    found: list[Any] = []
    for output in outputs:
        if found and output.output_type == "stream" and found[-1].get("name") == output.name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found
