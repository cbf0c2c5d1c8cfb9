"""Model files across versions: what was saved before is understood, or refused by its format.

The files in `models/` were written by the recipes below, those of `FIRST` in format 1, the others
in format 2. They are not to be written again: if one of them cannot be read any more, the format
has changed and needs another number.
"""

import hashlib
import json
import math
from pathlib import Path

import pytest

from abacoc import Auto, AutoAdj, Base, BaseAdj, Scaled, load, modelfile
from abacoc.metrics import edit_distance
from abacoc.modelfile import state

MODELS = Path(__file__).parent / "models"
POINTS = [[i % 5 / 4, i % 7 / 8] for i in range(20)]
WIDE = [[1e3 * u, v - 7.0, 3.5] for u, v in POINTS]
WORDS = ["ball", "bell", "cover", "over", "stream", "steam", "team", "bull"]
QUERIES = [[0.0, 0.0], [1.0, 0.75], [0.5, 0.25], [0.25, 0.5]]


def fix():
    learner = AutoAdj(1.5, budget=4, seed=3, reading="authors")
    for i, x in enumerate(POINTS):
        learner.update(x, ["red", "green", "blue"][(7 * i + i // 3) % 3])
    return learner


def base():
    learner = Base(2.0)
    for i, x in enumerate(POINTS):
        learner.update(x, i // 2 % 2)
    return learner


def base_adj():
    learner = BaseAdj(divisor="correct")
    for i, x in enumerate(POINTS):
        learner.update(x, (i % 2, "pair"))
    return learner


def online():
    learner = Scaled(AutoAdj(budget=5))
    for i, x in enumerate(WIDE):
        learner.update(x, ["red", "green"][i // 3 % 2])
    return learner


def words():
    learner = Auto(metric=edit_distance, radius_rule="plus")
    for i, word in enumerate(WORDS):
        learner.update(word, i % 3 == 0)
    return learner


def going_on(learner):
    """What the learner says to the examples of its recipe, when it learns them once more."""
    X = WORDS if isinstance(learner.classes[0], bool) else POINTS
    X = WIDE if isinstance(learner, Scaled) else X
    said = []
    for i, x in enumerate(X):
        said.append(learner.predict(x))
        learner.update(x, learner.classes[i % 2])
    return "".join(str(learner.classes.index(label)) for label in said), learner.n_balls


# recipe, points, what the model said to them, what it said going on and its size then
RECORDED = {
    "auto-adj-fix": (
        fix,
        QUERIES,
        ["red", "red", "green", "red"],
        ("01101111100000000000", 4),
    ),
    "base": (base, QUERIES, [0, 0, 0, 1], ("00000110011100100000", 8)),
    "base-adj": (
        base_adj,
        QUERIES,
        [(1, "pair"), (1, "pair"), (1, "pair"), (0, "pair")],
        ("10100010000000001000", 2),
    ),
    "auto-words": (
        words,
        ["tall", "clover", "dream", ""],
        [True, True, False, True],
        ("01001010", 5),
    ),
    "auto-adj-online": (
        online,
        WIDE[::4],
        ["green", "red", "red", "green", "green"],
        ("11110110001110001110", 5),
    ),
}
FIRST = ("auto-adj-fix", "base", "base-adj", "auto-words")


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("reference", [False, True], ids=["compiled", "reference"])
def test_a_stored_model_says_what_it_said(name, reference):
    _, points, said, later = RECORDED[name]
    learner = load(MODELS / f"{name}.abacoc", reference=reference)
    assert [learner.predict(x) for x in points] == said
    assert going_on(learner) == later


@pytest.mark.parametrize("name", RECORDED)
def test_a_stored_model_is_what_its_recipe_gives(name, tmp_path):
    """So the file says what it said then, and a change of the format cannot go unnoticed."""
    RECORDED[name][0]().save(tmp_path / "now")
    then = (MODELS / f"{name}.abacoc").read_bytes()
    assert then.startswith(b"abacoc model, format %d\n" % (1 if name in FIRST else 2))
    # format 2 has new entries, and those that there were are the same
    then = then.replace(b"format 1\n", b"format 2\n", 1)
    assert (tmp_path / "now").read_bytes() == then


@pytest.mark.parametrize("format", [3, 10, 999_999_999])
def test_a_newer_format_is_refused_with_both_numbers(format, tmp_path):
    content = (MODELS / "base.abacoc").read_bytes()
    (tmp_path / "newer").write_bytes(content.replace(b"format 1\n", b"format %d\n" % format, 1))
    with pytest.raises(
        ValueError, match=rf"newer is a model of format {format}; .* format 1 and 2\Z"
    ):
        load(tmp_path / "newer")


def test_an_older_format_is_refused_with_both_numbers(monkeypatch):
    monkeypatch.setattr(modelfile, "READABLE", (2,))
    with pytest.raises(ValueError, match=r"is a model of format 1; this version .* format 2\Z"):
        load(MODELS / "base.abacoc")


@pytest.mark.parametrize("line", ["format 0", "format 01", "format", "format 1 ", "format -1", ""])
def test_what_has_no_format_is_no_model(line, tmp_path):
    content = (MODELS / "base.abacoc").read_bytes().partition(b"\n")[2]
    (tmp_path / "model").write_bytes(f"abacoc model, {line}\n".encode() + content)
    with pytest.raises(ValueError, match="is not a model file of abacoc"):
        load(tmp_path / "model")


def signed(record):
    """A file with a right checksum."""
    payload = json.dumps(record).encode()
    checksum = hashlib.sha256(payload).hexdigest().encode()
    return b"abacoc model, format 1\n" + checksum + b"\n" + payload


def changed(record, path, value):
    """The record with another value at the end of the path; without it if that is ``...``."""
    copied = json.loads(json.dumps(record))
    inner = copied
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return copied


FORGED = [
    ("base", ["learner"], "Forest"),
    ("base", ["learner"], ["Base"]),
    ("base", ["settings"], {}),
    ("base", ["settings", "covering_constant"], "two"),
    ("base", ["settings", "vote"], None),
    ("base", ["variables", "epsilon"], math.nan),
    ("base", ["variables", "epsilon"], 0.0),
    ("base", ["variables", "epsilon"], 1.5),
    ("base", ["variables", "dimension"], 65),
    ("base", ["variables", "dimension"], True),
    ("base", ["variables", "steps"], -1),
    ("base", ["variables", "phase"], 0),
    ("base", ["variables"], {"predict": 1}),
    ("base", ["reading", "name"], 3),
    ("base", ["reading", "closed_balls"], "yes"),
    ("base", ["reading", "radius_rule"], "minus"),
    ("base", ["reading", "colour"], "red"),
    ("base", ["metric"], {}),
    ("base", ["metric"], ...),
    ("base", ["classes"], [0, 0]),
    ("base", ["classes"], [0, None]),
    ("base", ["classes"], [0, 2]),
    ("base", ["classes"], [0]),
    ("base", ["attributes"], 3),
    ("base", ["attributes"], "2"),
    ("base", ["attributes"], None),
    ("base", ["centres", 0], [0.0]),
    ("base", ["centres", 0], [0.0, math.nan]),
    ("base", ["centres", 0], [0.0, 1e200]),
    ("base", ["centres", 0], "ab"),
    ("base", ["centres", 0], ...),
    ("base", ["balls", 0], [[3, 2]]),
    ("base", ["balls", 0, 0], []),
    ("base", ["balls", 0, 0], [0, 0]),
    ("base", ["balls", 0, 0], [-1, 5]),
    ("base", ["balls", 0, 0], [1.5, 2]),
    ("base", ["balls", 0, 0], [True, 2]),
    ("base", ["balls", 0, 0], [2**61, 2**61]),
    ("base", ["balls", 0, 0], [1, 1, 1]),
    ("auto-adj-fix", ["settings", "d_hat"], -1),
    ("auto-adj-fix", ["settings", "d_hat"], 10**400),
    ("auto-adj-fix", ["balls", 0, 1], -0.5),
    ("auto-adj-fix", ["balls", 0, 2], "0.5"),
    ("auto-adj-fix", ["balls", 0, 3], 3),
    ("auto-adj-fix", ["balls", 0, 3], -1),
    ("auto-adj-fix", ["balls", 0, 4], 0),
    ("auto-adj-fix", ["balls", 0, 4], 4),
    ("auto-adj-fix", ["budget", "budget"], 3),
    ("auto-adj-fix", ["budget", "budget"], 10**30),
    ("auto-adj-fix", ["budget", "colour"], 3),
    ("auto-adj-fix", ["generator"], ...),
    ("auto-adj-fix", ["generator", "state"], 7),
    ("auto-adj-fix", ["generator", "bit_generator"], "MT19937"),
    ("auto-words", ["centres", 0], {"array": ["U99999999", "a"]}),
    ("auto-words", ["centres", 0], {"heap": [1]}),
    ("auto-words", ["centres", 0], {}),
    ("auto-words", ["centres", 0], None),
    ("auto-words", ["centres", 0], ["ball"]),
    ("auto-words", ["centres", 0], {"tuple": [None]}),
    ("auto-words", ["centres", 0], 7),
    ("auto-words", ["scaler"], {}),
    ("base", ["colour"], "red"),
    ("auto-adj-online", ["scaler"], None),
    ("auto-adj-online", ["scaler", "how"], "standard"),
    ("auto-adj-online", ["scaler", "how"], ["online"]),
    ("auto-adj-online", ["scaler", "colour"], "red"),
    ("auto-adj-online", ["scaler", "low"], ...),
    ("auto-adj-online", ["scaler", "n"], 0),
    ("auto-adj-online", ["scaler", "n"], 3),
    ("auto-adj-online", ["scaler", "n"], True),
    ("auto-adj-online", ["scaler", "n"], 20.0),
    ("auto-adj-online", ["scaler", "n"], 2**62),
    ("auto-adj-online", ["scaler", "mean"], [500.0, -6.5]),
    ("auto-adj-online", ["scaler", "mean", 2], "3.5"),
    ("auto-adj-online", ["scaler", "mean", 2], 3),
    ("auto-adj-online", ["scaler", "mean", 0], math.nan),
    ("auto-adj-online", ["scaler", "mean", 0], 1000.5),
    ("auto-adj-online", ["scaler", "mean", 0], -0.5),
    ("auto-adj-online", ["scaler", "variance", 0], -1.0),
    ("auto-adj-online", ["scaler", "variance", 0], math.nan),
    ("auto-adj-online", ["scaler", "variance", 0], 1e7),
    ("auto-adj-online", ["scaler", "variance", 2], 1e-9),
    ("auto-adj-online", ["scaler", "low", 0], -1e200),
    ("auto-adj-online", ["scaler", "low", 0], math.nan),
    ("auto-adj-online", ["scaler", "high", 0], math.inf),
    ("auto-adj-online", ["attributes"], 2),
]


@pytest.mark.parametrize(("name", "path", "value"), FORGED, ids=range(len(FORGED)))
@pytest.mark.parametrize("reference", [False, True], ids=["compiled", "reference"])
def test_a_right_checksum_over_a_wrong_state(name, path, value, reference, tmp_path):
    """A file of another program, or of a version that forgot to change the format."""
    _, _, payload = (MODELS / f"{name}.abacoc").read_bytes().split(b"\n", 2)
    record = json.loads(payload)
    (tmp_path / "model").write_bytes(signed(record))
    assert state(load(tmp_path / "model")) == record, "nothing else is wrong with it"
    (tmp_path / "model").write_bytes(signed(changed(record, path, value)))
    with pytest.raises(
        ValueError, match=r"model holds (no state of a learner: .|a Forest, not a Base)"
    ) as caught:
        load(tmp_path / "model", reference=reference)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("payload", [b"", b"[1]", b"7", b"{}", b"\xff", b"[" * 100_000, b"{" * 9])
def test_a_right_checksum_over_no_record(payload, tmp_path):
    checksum = hashlib.sha256(payload).hexdigest().encode()
    (tmp_path / "model").write_bytes(b"abacoc model, format 1\n" + checksum + b"\n" + payload)
    with pytest.raises(ValueError, match=r"holds no state of a learner: ."):
        load(tmp_path / "model")
