"""What a result depends on: its SHA-256 is the name of the result.

That is the job itself, the epoch of its method (`abacoc.methods`), the content of its data, and
the version of a program that stands behind a baseline. The sources are no part of it: a renamed
variable costs nothing, and a changed answer asks for a new epoch (`tests/golden.json`). Nor are
the versions of NumPy and Numba: with them the answers are the same bit for bit, or the tests fail.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

from abacoc.grid.inputs import Stamp, head_of, is_file, open_job_stream, stamp
from abacoc.methods import EPOCHS, METHODS, has_moa
from abacoc.streams import get, is_generated
from abacoc.streams.contents import fingerprint

if TYPE_CHECKING:
    from abacoc.grid.jobs import Job

DIGITS = 16  # of the digest of a stream: enough to tell any two that anybody will ever have


def canonical(value: Any) -> str:
    """JSON that is the same for equal values; floats keep every bit.

    >>> canonical({"b": 0.1, "a": [1, None]})
    '{"a":[1,null],"b":0.1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def identity(job: Job) -> dict[str, Any]:
    """Everything that can change the result of a job.

    >>> from abacoc.grid.jobs import make_job
    >>> a = identity(make_job("generated:banana,n=50", "auto"))
    >>> b = identity(make_job("generated:banana,n=50", "auto", d_hat=3))
    >>> sorted(a), a["data"] == b["data"], digest(a) == digest(b)
    (['data', 'epoch', 'job', 'programs'], True, False)
    """
    return {
        "job": job.as_dict(),
        "epoch": EPOCHS[job.method],
        "data": data_version(head_of(job.stream)[0]),
        "programs": programs(job.method),
    }


def data_version(stream: str) -> str:
    """Digest of the content of a stream: the registered one where there is one, else of the arrays.

    A registered set with other content is refused when it is loaded.
    """
    return _data_version(stream, stamp(stream))


@cache
def _data_version(stream: str, as_of: Stamp) -> str:
    own = is_generated(stream) or is_file(stream)
    registered = None if own else get(stream).fingerprint
    return (registered or fingerprint(open_job_stream(stream))).digest[:DIGITS]


@cache
def programs(method: str) -> str:
    """The program of others that a method runs, and its version; empty if it runs none.

    VFDT is MOA's or River's, as installed: not the same results.

    >>> programs("auto-adj")
    ''
    """
    packages = METHODS[method].programs
    for package in packages:
        if package != "capymoa" or has_moa():  # MOA's jar is in capymoa
            with contextlib.suppress(metadata.PackageNotFoundError):
                return f"{package} {metadata.version(package)}"
    return f"{packages[0]}, not installed" if packages else ""
