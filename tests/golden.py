"""Digests of what every method answers, to be compared with those of tests/golden.json.

    python tests/golden.py            whether the answers are those of golden.json
    python tests/golden.py --update   write golden.json, for new cases and raised epochs

A digest is that of the predictions and the model sizes after every example, and of p_t to the last
bit where BASE tosses a coin. Most come in two ways, from the compiled engine and from the reference
(for NN3, CNN, K-PERC and IBLStreams the plain versions in tests/baselines/plain.py), and both have
to agree. A changed digest under an unchanged epoch (abacoc/methods.py) is a fault, here as in
test_golden.py.
"""

import argparse
import hashlib
import importlib.util
import json
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import golden_streams

import abacoc
import abacoc.auto
import abacoc.base
from abacoc import prequential
from abacoc.baselines.kperc import typical_square
from abacoc.methods import EPOCHS, METHODS, has_moa
from abacoc.protocol import sampling_mask
from abacoc.streams import scaled
from abacoc.wording import missing

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden.json"
UPDATE = "python tests/golden.py --update"
CLASSES = {
    "base": "Base",
    "base-adj": "BaseAdj",
    "auto": "Auto",
    "auto-adj": "AutoAdj",
    "auto-adj-fix": "AutoAdj",
}
MOA = ("vfdt", "rules", "sam-knn", "knn-paw", "arf")  # need the extra `moa`
OF_OTHERS = (*MOA, "amf")  # have no second way; AMF needs the extra `river`

streams = cache(golden_streams.streams)


# Cases --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A method on a stream; ``settings`` are those of the learner that are not the usual ones."""

    method: str
    stream: str
    settings: dict = field(default_factory=dict)
    scale: str = "none"
    rate: float = 1.0
    seed: int = 0

    def __str__(self):
        told = dict(sorted(self.settings.items()))
        told |= {} if self.scale == "none" else {"scale": self.scale}
        told |= {} if self.rate == 1.0 else {"rate": self.rate}
        told |= {"seed": self.seed} if self.seed else {}
        words = " ".join(f"{name}={value}" for name, value in told.items())
        return f"{self.stream} / {words or 'as usual'}"


ALL = tuple(maker.__name__.replace("_", "-") for maker in golden_streams.MAKERS)
SOME = ("ties", "late", "crowded", "bits", "lattice", "drift")
UNEVEN = ("tree", "constant", "drift", "huge", "tiny")  # where scaling changes who is nearest
PROTOCOL = ({"rate": 0.5, "seed": 3}, {"rate": 0.125, "seed": 7})  # the sub-sampling mask


def over(method, names, *variants):
    """The cases of a method on some streams, for each of some settings."""
    protocol = ("scale", "rate", "seed")
    for variant in variants:
        own = {name: value for name, value in variant.items() if name not in protocol}
        rest = {name: value for name, value in variant.items() if name in protocol}
        for name in names:
            yield Case(method, name, own, **rest)


def _base():
    unit = {"scale": "unit"}  # the paper's for BASE and BASE-ADJ
    coin = {"vote": "randomized"}
    usual = ("phases", "leaves", "lattice", "wide", "drift")
    constants = ({"covering_constant": 1.5}, {"covering_constant": 4.0})
    literal = {"reading": "literal"}
    yield from over("base", ALL, {}, unit, coin | unit, literal | unit)
    yield from over("base", usual, *constants, literal, *PROTOCOL)
    yield from over("base", ("phases", "leaves"), *({**coin, **c} for c in constants))
    yield from over("base", ("ties", "phases"), coin | literal, *(coin | p for p in PROTOCOL))
    yield from over("base", UNEVEN, {"scale": "minmax"})
    yield from over("base-adj", ALL, unit, {"divisor": "correct"} | unit)
    yield from over("base-adj", SOME, {}, {"divisor": "correct"})
    yield from over("base-adj", UNEVEN, {"scale": "minmax"})
    yield from over("base-adj", usual, *constants, literal, *PROTOCOL)
    yield from over("base-adj", ("phases", "leaves"), {}, literal | unit)


def _auto():
    readings = ({}, {"reading": "literal"}, {"reading": "authors"})
    rules = [{"radius_rule": rule} for rule in ("max", "plus", "infinite")]
    for method in ("auto", "auto-adj"):
        yield from over(method, ALL, *readings)
        yield from over(method, SOME, *rules[1:], {"d_hat": 0}, {"d_hat": 5})
        yield from over(method, UNEVEN, {"scale": "unit"}, {"scale": "minmax"})
        yield from over(method, ("crowded", "lattice"), rules[0] | readings[1])
        yield from over(method, ("crowded", "lattice"), *(rule | readings[2] for rule in rules[1:]))
        yield from over(method, ("crowded", "bits", "drift"), *PROTOCOL)
    method = "auto-adj-fix"
    yield from over(method, SOME, {"budget": 2}, {"budget": 5}, {"budget": 20})
    yield from over(method, ("single", "tree", "only-bits", "wide"), {"budget": 10})
    yield from over(method, ("tree", "crowded"), {"budget": 100})
    few = {"budget": 12}
    yield from over(method, ("crowded", "lattice"), *(few | reading for reading in readings))
    yield from over(method, ("crowded", "lattice"), *(few | rule for rule in rules[1:]))
    yield from over(method, ("crowded", "drift"), few | {"d_hat": 0}, few | {"seed": 5})
    yield from over(method, ("crowded", "bits"), *(few | p for p in PROTOCOL))
    yield from over(
        method, ("tree", "constant"), few | {"scale": "unit"}, few | {"scale": "minmax"}
    )


def _baselines():
    scales = ({"scale": "unit"}, {"scale": "minmax"}, {"scale": "standard"})
    for method in ("nn3", "cnn"):
        yield from over(method, ALL, {})
        yield from over(method, UNEVEN, *scales)
        yield from over(method, ("crowded", "bits"), *PROTOCOL)
    yield from over("nn3", SOME, {"k": 1}, {"k": 4})
    yield from over("k-perc", ALL, {"gamma": 4.0, "scale": "minmax"})
    yield from over("k-perc", SOME, {}, {"gamma": 0.25}, {"gamma": 64.0})
    yield from over("k-perc", ("constant", "crowded"), {"scale": "unit"}, *PROTOCOL)
    yield from over("k-perc", (*SOME, "huge"), {"relative_gamma": 0.5})
    early = {"start": 50, "size": 200}
    yield from over("iblstreams", ALL, early)
    yield from over("iblstreams", (*SOME, "phases"), early | {"reading": "moa"}, early | {"k": 4})
    yield from over("iblstreams", UNEVEN, {"start": 20, "size": 40}, early | {"scale": "unit"})
    yield from over("iblstreams", ("phases", "late"), *({"start": 20} | p for p in PROTOCOL))
    for method in ("no-change", "majority"):
        yield from over(method, ("ties", "late", "single", "drift"), {})
        yield from over(method, ("drift",), *PROTOCOL)
    quick = {"grace_period": 20, "tie_threshold": 0.5, "split_confidence": 0.01}
    yield from over("vfdt", ("late", "phases", "drift"), {}, quick)
    yield from over("vfdt", ("phases", "drift"), quick | {"leaf_prediction": "MC"})
    yield from over("vfdt", ("drift",), quick | PROTOCOL[0], quick | {"scale": "minmax"})
    yield from over("rules", ("late", "drift"), {}, quick, quick | PROTOCOL[0])
    for method in ("sam-knn", "knn-paw", "arf", "amf"):
        yield from over(method, ("late", "drift"), {}, {"scale": "minmax"} | PROTOCOL[0])


def cases():
    """Every case once, by method."""
    found = {method: {} for method in EPOCHS}
    for case in (*_base(), *_auto(), *_baselines()):
        assert str(case) not in found[case.method], f"{case.method}, {case} is there twice"
        found[case.method][str(case)] = case
    return found


# Answers ------------------------------------------------------------------------------------------


@cache
def prepared(stream, scale):
    X, y = streams()[stream]
    return scaled(X, scale), y


def learner(case, reference=False):
    """A new learner; the reference has one for our own methods only."""
    settings = dict(case.settings)
    if case.method not in CLASSES:
        if case.method == "k-perc":
            settings = {"gamma": gamma(case)}
        settings |= {"seed": case.seed} if METHODS[case.method].chance else {}
        return METHODS[case.method].make(settings, streams()[case.stream][1])
    if case.method == "base":
        settings.setdefault("vote", "majority")
    if case.method == "auto-adj-fix":
        settings["seed"] = case.seed
    name = CLASSES[case.method]
    home = abacoc
    if reference:
        home = abacoc.base if case.method.startswith("base") else abacoc.auto
    return getattr(home, name)(**settings)


def gamma(case):
    """K-PERC's: as it is given, or relative to the stream as in the experiments."""
    if "relative_gamma" not in case.settings:
        return case.settings.get("gamma", 1.0)
    return case.settings["relative_gamma"] / typical_square(prepared(case.stream, case.scale)[0])


def answers(case, reference=False):
    """Predictions, model sizes, and p_t of all examples."""
    X, y = prepared(case.stream, case.scale)
    if reference and case.method not in CLASSES:
        learned = sampling_mask(len(y), case.rate, case.seed)
        return *plain(case, X, y, learned), []
    coin = case.settings.get("vote") == "randomized"
    if coin:
        y = [label & 1 for label in y]  # it knows 0 and 1 only
    run = prequential(learner(case, reference), X, y, rate=case.rate, seed=case.seed)
    chances = []
    if coin:
        again = learner(case, reference)
        learned = sampling_mask(len(y), case.rate, case.seed)
        for x, label, is_learned in zip(X, y, learned.tolist(), strict=True):
            chances.append(float(again.probability(x)))
            if is_learned:
                again.update(x, label)
    return run.predictions, run.model_sizes.tolist(), chances


def plain(case, X, y, learned):
    """NN3, CNN, K-PERC and IBLStreams as short as they can be said."""
    said = _plain_module()
    if case.method == "iblstreams":
        return said.iblstreams(X, y, learned, **case.settings)[:2]
    if case.method == "k-perc":
        return said.perceptron(X, y, learned, gamma(case))[:2]
    if case.method in ("no-change", "majority"):
        return said.labels_only(y, learned, last=case.method == "no-change")
    if case.method == "cnn":
        return said.neighbours(X, y, learned, k=1, condensed=True)
    return said.neighbours(X, y, learned, k=case.settings.get("k", 3))


@cache
def _plain_module():
    path = ROOT / "tests" / "baselines" / "plain.py"
    spec = importlib.util.spec_from_file_location("golden_plain", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def digest_of(*parts):
    """The beginning of the SHA-256 of some lists.

    >>> digest_of([None, 1], [0, 1]) == digest_of([None, 1], [0, 1], [])
    False
    """
    text = json.dumps(parts, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def digest(case, reference=False):
    """The digest of a case."""
    predictions, sizes, chances = answers(case, reference)
    return digest_of(predictions, sizes, [p.hex() for p in chances])


def digests(methods, reference=False):
    """The digests of all cases of some methods; the reference has none for those of others."""
    all_cases = cases()
    return {
        method: {name: digest(case, reference) for name, case in all_cases[method].items()}
        for method in methods
        if not (reference and method in OF_OTHERS)
    }


def stream_digests():
    """What the streams are, so that a changed stream is not taken for a changed answer."""
    return {
        name: digest_of([[value.hex() for value in row] for row in X.tolist()], y)
        for name, (X, y) in streams().items()
    }


def computable():
    """The methods that can be run here."""
    lacking = () if has_moa() else MOA
    lacking += () if importlib.util.find_spec("river") else ("amf",)
    return [method for method in EPOCHS if method not in lacking]


# Comparison ---------------------------------------------------------------------------------------


def read(path=GOLDEN):
    """What is stored."""
    if not path.exists():
        return {"streams": {}, "methods": {}}
    return json.loads(path.read_text("utf-8"))


def changed(old, new):
    """The cases that are in both with different digests."""
    return [name for name in sorted(old.keys() & new.keys()) if old[name] != new[name]]


def _told(method, old, new):
    """How many, and which is the first, with its digests."""
    names = changed(old, new)
    first = names[0]
    return (
        f"{method}: the answers changed in {len(names)} of {len(new)} cases, "
        f"the first is '{first}' ({old[first]} -> {new[first]})"
    )


def stream_faults(stored, computed):
    """One line for each stream that is not what it was."""
    return [
        f"the stream {name} is not the one of golden.json: "
        "if its code has changed, give the new stream a new name"
        for name in changed(stored["streams"], computed)
    ]


def method_faults(method, stored, computed, epoch):
    """What --update refuses to write: changed answers under an unchanged epoch."""
    old = stored["methods"].get(method)
    if old is None:
        return []
    if epoch < old["epoch"]:
        return [
            f"{method}: epoch {epoch} is below the {old['epoch']} of golden.json; none goes back"
        ]
    if epoch > old["epoch"] or not changed(old["digests"], computed):
        return []
    return [
        f"{_told(method, old['digests'], computed)}, but its epoch is still {epoch}. If they are "
        f"meant to change, raise EPOCHS[{method!r}] in abacoc/methods.py to {epoch + 1}, then run "
        f"`{UPDATE}`; if not, this is a bug"
    ]


def problems(method, stored, computed, epoch):
    """Why golden.json does not belong to these answers, one line each."""
    faults = method_faults(method, stored, computed, epoch)
    if faults:
        return faults
    old = stored["methods"].get(method)
    if old is None:
        return [f"{method} is not in golden.json: run `{UPDATE}`"]
    if epoch > old["epoch"]:
        return [
            f"{method}: its epoch was raised from {old['epoch']} to {epoch}, but golden.json "
            f"was not renewed: run `{UPDATE}`"
        ]
    found = []
    for word, names in (
        ("new", computed.keys() - old["digests"].keys()),
        ("gone", old["digests"].keys() - computed.keys()),
    ):
        if names:
            found.append(
                f"{method}: {len(names)} cases are {word}, such as '{min(names)}': run `{UPDATE}`"
            )
    return found


def disagreements(method, engine, reference):
    """Where the two ways to a digest differ, one line at most."""
    names = changed(engine, reference)
    if not names:
        return []
    return [
        f"{method}: engine and reference differ in {len(names)} of {len(engine)} cases, "
        f"the first is '{names[0]}' ({engine[names[0]]} and {reference[names[0]]})"
    ]


def check(stored, epochs=None):
    """Everything that is wrong; answers are computed in both ways."""
    epochs = EPOCHS if epochs is None else epochs
    found = stream_faults(stored, stream_digests())
    for method in computable():
        engine = digests([method])[method]
        found += problems(method, stored, engine, epochs[method])
        if method not in OF_OTHERS:
            found += disagreements(method, engine, digests([method], reference=True)[method])
    return found


def update(path=GOLDEN, epochs=None, computed=None, reference=None):
    """Write golden.json anew; (whether it was written, what to tell)."""
    epochs = EPOCHS if epochs is None else epochs
    stored = read(path)
    can = computable() if computed is None else list(computed)
    computed = digests(can) if computed is None else computed
    reference = digests(can, reference=True) if reference is None else reference
    now = stream_digests()
    refused, told, methods = stream_faults(stored, now), [], {}
    for method, epoch in epochs.items():
        old = stored["methods"].get(method)
        if method not in computed:
            if old is None or old["epoch"] != epoch:
                needed = ("AMF", "river", "river") if method == "amf" else ("MOA", "capymoa", "moa")
                refused.append(f"{method} cannot be run here: {missing(*needed)}")
            else:
                methods[method] = old
                told.append(f"{method} cannot be run here; its digests stay as they are")
            continue
        new = computed[method]
        refused += method_faults(method, stored, new, epoch)
        refused += disagreements(method, new, reference.get(method, {}))
        methods[method] = {"epoch": epoch, "digests": new}
        if old is None:
            told.append(f"{method}: {len(new)} digests, epoch {epoch}")
        elif old["epoch"] != epoch:
            n = len(changed(old["digests"], new))
            told.append(
                f"{method}: epoch {old['epoch']} -> {epoch}, {n} of {len(new)} digests change"
            )
        elif old["digests"].keys() != new.keys():
            plus, minus = len(new.keys() - old["digests"]), len(old["digests"].keys() - new.keys())
            told.append(f"{method}: {plus} new cases, {minus} gone, epoch {epoch} as before")
    if refused:
        return False, refused
    # 1-space indent and sorted keys: one line per digest, in an order that stays
    text = json.dumps({"methods": methods, "streams": now}, indent=1, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")
    return True, told


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="write golden.json")
    chosen = parser.parse_args(arguments)
    if not Path(abacoc.__file__).is_relative_to(ROOT):
        print(f"{abacoc.__file__} is not of this checkout: set PYTHONPATH={ROOT}", file=sys.stderr)
        return 2
    if chosen.update:
        written, lines = update()
        print(*lines, "golden.json is written" if written else "nothing is written", sep="\n")
        return 0 if written else 1
    found = check(read())
    print(*found or ["the answers are those of golden.json"], sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
