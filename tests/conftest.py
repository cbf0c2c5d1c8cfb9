"""Hypothesis profiles, and the folder with the real data sets."""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from abacoc.baselines.iblstreams import IblStreams
from abacoc.baselines.kperc import KPerc
from abacoc.baselines.neighbours import Nn3
from abacoc.engine import warm_up

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None

# Whoever starts the tests in the background may have Ctrl-C ignored: some of them are about it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent
SLOW_IS_FINE = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "quick", max_examples=60, deadline=None, derandomize=True, suppress_health_check=SLOW_IS_FINE
)
settings.register_profile(
    "long", max_examples=2000, deadline=None, suppress_health_check=SLOW_IS_FINE
)
settings.load_profile("quick")


def find_data_folder() -> Path | None:
    named = os.environ.get("ABACOC_DATA")
    candidates = [Path(named)] if named else []
    candidates.append(ROOT.parent / "shared" / "data")
    return next((folder for folder in candidates if folder.is_dir()), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs more of a system than every system has says so, and is not tried without it."""
    lacking = {
        "posix": os.name != "posix" and "named pipes, signals and permissions as POSIX has them",
        "linux": sys.platform != "linux" and "processes and limits as Linux shows and keeps them",
    }
    for item in items:
        for name, reason in lacking.items():
            if reason and item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session", autouse=True)
def compiled_kernels(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compile, or load from disk, before the first test rather than in the middle of one.

    One worker at a time: after a change of the kernels the first compiles, the others load.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # of all workers of this run
    with (shared / "compiling").open("w") as lock:
        if fcntl:
            fcntl.flock(lock, fcntl.LOCK_EX)
        warm_up()
        for make in Nn3, KPerc, IblStreams:
            make().compile_now()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Folder with the real data sets; where it exists, a test that lacks a file fails."""
    folder = find_data_folder()
    if folder is None:
        pytest.skip("no real data: set ABACOC_DATA to a folder with the data sets")
    os.environ["ABACOC_DATA"] = str(folder)
    return folder
