"""What `abacoc data` prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from abacoc.streams import registry


def show(names: Sequence[str], as_json: bool) -> int:
    """List the sets: what they are, whether they are here, where they come from."""
    chosen = [registry.get(name) for name in names or registry.names()]
    paths = {dataset.name: registry.locate(dataset.name) for dataset in chosen}
    if as_json:
        entries = []
        for dataset in chosen:
            entry: dict[str, Any] = asdict(dataset)
            path = paths[dataset.name]
            entries.append(entry | {"path": None if path is None else str(path)})
        print(json.dumps(entries, indent=2))
        return 0
    print(f"{'set':12} {'rows':>8} {'attributes':>10} {'classes':>7}  state    what it is")
    for dataset in chosen:
        state = "missing" if paths[dataset.name] is None else "here"
        print(
            f"{dataset.name:12} {dataset.rows:8,} {dataset.attributes:10} {dataset.classes:7}  "
            f"{state:7}  {dataset.title}"
        )
    if names:
        for dataset in chosen:
            print(f"\n{dataset.name}: {paths[dataset.name] or 'not on this machine'}")
            print(f"  terms: {dataset.terms}")
            for file in dataset.files:
                print(f"  {file.name}, SHA-256 {file.sha256}")
                for url in file.urls:
                    print(f"    {url}")
            if dataset.packaged is not None:
                print(f"  inside the Python package {dataset.packaged.package}")
    elif None in paths.values():
        print("\n`abacoc data fetch NAME` gets a missing one; ABACOC_DATA names another folder")
    return 0


def fetch(names: Sequence[str], as_json: bool) -> int:
    """Download sets, checked by their SHA-256."""
    if not names:
        raise ValueError(f"fetch what? {', '.join(registry.names())}")
    for name in names:
        registry.get(name)  # all names are right before the first download starts
    paths = {}
    for name in names:
        paths[name] = str(registry.fetch(name, progress=sys.stderr.isatty()))
        if not as_json:
            print(f"{name}: {paths[name]}")
    if as_json:
        print(json.dumps(paths, indent=2))
    return 0


def check(names: Sequence[str], as_json: bool) -> int:
    """Verify checksum and content of the named sets, or of all that are here; 1 if one is wrong."""
    chosen = names or [name for name in registry.names() if registry.locate(name) is not None]
    results = []
    for name in chosen:
        result = registry.check(name)
        results.append({"name": name, "ok": result.ok, "problems": list(result.problems)})
        if not as_json:
            print(f"{name:12} {'right' if result.ok else 'WRONG: ' + '; '.join(result.problems)}")
    if as_json:
        print(json.dumps(results, indent=2))
    elif not chosen:
        print("no data set is on this machine; `abacoc data fetch NAME` gets one")
    return 0 if all(result["ok"] for result in results) else 1
