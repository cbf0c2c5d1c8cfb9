"""How long a job will take, roughly: to put the long ones first, and to leave out the longest."""

from __future__ import annotations

from abacoc.grid.inputs import head_of, shape
from abacoc.grid.jobs import Job

# The share of what it learns that K-PERC stores, where it is far from the typical one.
STORED = {"kddcup99": 0.02, "kddcup99-41": 0.02, "powersupply": 1.0}
TYPICALLY_STORED = 0.4
OVERHEAD = 0.02  # seconds around a job
# Microseconds per example, by and large, of methods with a model that stops growing, or nearly.
SUCCESSORS = {"sam-knn": 600, "knn-paw": 200, "arf": 3000, "amf": 300}
EVENLY_SPREAD = ("connect-4",)  # as unit vectors, all about equally far from each other


def estimated_seconds(job: Job) -> float:
    """A guess from the length and width of the stream, for one core of the 2020s that is free.

    Fitted to runs on the registered sets. The search for the nearest ball or example takes hardly
    longer with more of them; K-PERC has to visit them all, so it is quadratic in the length, and
    so is BASE where a search cannot rule anything out.

    >>> from abacoc.grid.jobs import make_job
    >>> [round(estimated_seconds(make_job("covtype", "k-perc", rate))) for rate in (0.01, 0.1, 1)]
    [18, 167, 1655]
    >>> round(estimated_seconds(make_job("covtype", "auto-adj")))
    3
    """
    return OVERHEAD + _loop(job)


def _loop(job: Job) -> float:
    name, head = head_of(job.stream)
    n, d = shape(name)
    n = min(n, head or n)
    learned = job.rate * n
    if job.method == "k-perc":
        stored = learned * STORED.get(name, TYPICALLY_STORED) / 2  # on average over the run
        return 1e-6 * (2 * n + n * stored * (0.011 + 0.00025 * d))
    if job.method == "iblstreams":  # looks at all that are stored, mostly not at every attribute
        size: int = dict(job.settings).get("size", 5000)
        return 1e-6 * n * (1 + min(size, learned / 2) * (0.003 + 0.00005 * d))
    if job.method in ("vfdt", "rules"):  # Java, called once per example
        return 0.3 + 1e-6 * (n * (35 + 0.4 * d) + learned * (90 + 0.9 * d))
    if job.method in SUCCESSORS:
        return 1e-6 * n * SUCCESSORS[job.method]
    if name in EVENLY_SPREAD and job.scale == "unit":
        visited = learned * (0.1 if job.method.startswith("auto") else 0.5)
        return 1e-6 * n * visited * d * 0.0007
    if job.method == "nn3":
        return 1e-6 * n * (3 + 0.2 * d)
    return 1e-6 * n * (2 + 0.05 * d)
