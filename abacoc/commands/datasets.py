"""What ``abacoc data`` prints, fetches and checks."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from abacoc.streams import registry
from abacoc.streams.datasets import SOURCES, DataSet, deviations
from abacoc.streams.generators import overview
from abacoc.wording import number


def show(names: Sequence[str], as_json: bool) -> int:
    """List the sets: the paper's row, whether they are here, where they come from."""
    chosen = [registry.get(name) for name in names or registry.names()]
    states = {dataset.name: registry.state(dataset.name) for dataset in chosen}
    if as_json:
        print(json.dumps([_entry(dataset, states[dataset.name]) for dataset in chosen], indent=2))
        return 0
    print(
        f"{'set':11} {'classes':>7} {'dimension':>9} {'examples':>9}  {'drift':5}  {'source':8}  "
        f"{'state':23}  what it is"
    )
    for dataset in chosen:
        print(f"{_paper_row(dataset)}  {_shown(dataset, states[dataset.name]):23}  {dataset.title}")
    print()
    for dataset in chosen:
        if unlike := dataset.unlike_table1:
            print(f"{dataset.name}: {', '.join(unlike)}; {dataset.encoding}")
    if names:
        for dataset in chosen:
            _describe(dataset, states[dataset.name])
        return 0
    missing = [dataset for dataset in chosen if states[dataset.name] == "not here"]
    for does, unseen in (("gets", False), ("tries the candidates of", True)):
        fetchable = (d.name for d in missing if d.fetchable and d.unseen == unseen)
        if listed := ", ".join(fetchable):
            print(f"`abacoc data fetch NAME ...` {does} {listed}; ABACOC_DATA names another folder")
    for dataset in missing:
        if not dataset.fetchable:
            print(f"{dataset.name}: {registry.how_to_get(dataset.name)}")
    print(
        "\nThe numbers are those of Table I (of banana, which is not in it, the file's). verified: "
        "these very bytes\nare registered; unverified: they are not, and `abacoc data check NAME` "
        "looks at the content;\ncandidates: addresses of files that nobody here has seen, and that "
        "stay unverified."
    )
    print("\nGenerated ones, such as `abacoc run generated:sea,n=10000,seed=1`:")
    for generator, what, parameters in overview():
        print(f"{generator}\n    {what}\n    {parameters}")
    return 0


def _shown(dataset: DataSet, state: str) -> str:
    if state != "not here":
        return f"here, {state}"
    return f"{state}, candidates: {dataset.candidates}" if dataset.candidates else state


def _paper_row(dataset: DataSet) -> str:
    row = dataset.table1
    if row is None:
        numbers, drift, source = (dataset.classes, dataset.attributes, dataset.rows), "", "Figure 1"
    else:
        numbers = row.classes, row.dimension, row.examples
        drift, source = "yes" if row.drift else "no", row.source
    classes, dimension, examples = numbers
    return f"{dataset.name:11} {classes:7} {dimension:9} {examples:9,}  {drift:5}  {source:8}"


def _describe(dataset: DataSet, state: str) -> None:
    path = registry.locate(dataset.name)
    print(f"\n{dataset.name}: {state if path is None else f'{path}, {state}'}")
    source = SOURCES[dataset.table1.source] if dataset.table1 else "see the remark"
    facts = {
        "paper's source": source,
        "terms": dataset.terms,
        "content": f"{number(dataset.rows, 'rows')}, "
        f"{number(dataset.attributes, 'attributes')}, {number(dataset.classes, 'classes')}",
        "encoding": dataset.encoding,
        "fingerprint": dataset.fingerprint.digest if dataset.fingerprint else "unknown",
        "remark": dataset.remark,
        "to get it": registry.how_to_get(dataset.name) if path is None else "",
    }
    for what, text in facts.items():
        if text:
            print(f"  {what}: {text}")
    for file in dataset.files:
        said = file.candidate
        digest = f"{said.sha256} (unpacked, {said.bytes:,} bytes), seen elsewhere" if said else ""
        print(f"  {file.name}, {file.format}, SHA-256 {file.sha256 or digest or 'unknown'}")
        for url in file.urls:
            print(f"    {url}")
    if dataset.packaged is not None:
        print(f"  inside the Python package {dataset.packaged.package}")


def _entry(dataset: DataSet, state: str) -> dict[str, Any]:
    path = registry.locate(dataset.name)
    return asdict(dataset) | {
        "fingerprint": None if dataset.fingerprint is None else dataset.fingerprint.as_json(),
        "unlike_table1": dataset.unlike_table1,
        "state": state,
        "path": None if path is None else str(path),
        "how_to_get": registry.how_to_get(dataset.name),
    }


def fetch(names: Sequence[str], as_json: bool) -> int:
    """Download sets, verified by their SHA-256, else by their content; the rest if one fails."""
    if not names:
        raise ValueError(f"fetch what? {', '.join(registry.names())}")
    for name in names:
        registry.get(name)  # all names are right before the first download starts
    paths, failures = {}, []
    for name in names:
        try:
            path = registry.fetch(name, progress=sys.stderr.isatty())
        except ValueError as error:
            failures.append(str(error))
            continue
        paths[name] = str(path)
        if not as_json:
            told = registry.provenance(name, path)
            print(f"{name}: {path}" + (f", not verified: {told}" if told else ""), flush=True)
    if as_json:
        print(json.dumps(paths, indent=2))
    if failures:
        raise ValueError("; ".join(dict.fromkeys(failures)))
    return 0


def check(names: Sequence[str], as_json: bool) -> int:
    """Verify the content of the named sets, or of all that are here; 1 if one is wrong."""
    here = [name for name in registry.names() if registry.locate(name) is not None]
    results: list[dict[str, Any]] = []
    for name in names or here:
        result = registry.check(name)
        results.append(_result(result))
        if not as_json:
            print(f"{name:11} {_verdict(result)}", flush=True)  # the large ones take a while
    if as_json:
        print(json.dumps(results, indent=2))
    elif not names:
        missing = ", ".join(name for name in registry.names() if name not in here)
        print(f"not here: {missing}" if missing else "all sets are here")
    return 0 if all(result["ok"] for result in results) else 1


def _result(result: registry.Check) -> dict[str, Any]:
    found = result.inspection
    taken = None if found is None or found.fingerprint is None else found.fingerprint.as_json()
    return {
        "name": result.name,
        "ok": result.ok,
        "verified": result.verified,
        "path": None if result.path is None else str(result.path),
        "known_bytes": found is not None and found.known_bytes,
        "fingerprint": taken,
        "unlike_table1": _unlike_table1(result),
        "remark": "" if found is None else found.remark,
        "problems": list(result.problems),
    }


def _unlike_table1(result: registry.Check) -> list[str]:
    """Where what was found differs from the paper's row."""
    row = registry.get(result.name).table1
    if row is None or result.inspection is None:
        return []
    stream = result.inspection.stream
    return deviations(
        (stream.n_examples, stream.n_attributes, stream.n_classes),
        (row.examples, row.dimension, row.classes),
        "instead of Table I's",
    )


def _verdict(result: registry.Check) -> str:
    if not result.ok:
        return "WRONG: " + "; ".join(result.problems)
    found = result.inspection
    assert found is not None  # else there were a problem
    stream = found.stream
    classes = number(stream.n_classes, "classes")
    sizes = f"{stream.n_examples:,} x {stream.n_attributes}, {classes}"
    how = "SHA-256 and content" if found.known_bytes else "content, with other bytes"
    said = f"verified: {how}" if result.verified else f"unverified: {registry.UNVERIFIED}"
    remarks = [found.remark] if found.remark else []
    return f"{said} ({', '.join([sizes, *_unlike_table1(result), *remarks])})"
