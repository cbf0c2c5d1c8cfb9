"""Methods that came after the paper, each as its library has it, with the library's own settings.

Those of MOA need the extra ``moa``, that of River the extra ``river``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from abacoc import wording
from abacoc.ballset import Label
from abacoc.baselines.moa import MoaClassifier, field_of
from abacoc.baselines.river import RiverClassifier


class _AsInMoa(MoaClassifier):
    """A classifier of MOA with MOA's own settings and a seed."""

    command: str
    size: str

    def __init__(self, classes: Iterable[Label] | None = None, *, seed: int = 0) -> None:
        super().__init__(self.command, size=self.size, classes=classes, seed=seed)


class KnnPaw(_AsInMoa):
    """k-NN over a probabilistic adaptive window (Bifet, Pfahringer, Read and Holmes, 2013).

    The window keeps an example with a chance that falls with its age, and ADWIN empties it after
    a change. The model size is the number of stored examples.

        run = prequential(KnnPaw(seed=0), X, y)
    """

    runs_as = "MOA kNNwithPAWandADWIN"
    unit = "stored examples"
    command = "lazy.kNNwithPAWandADWIN"
    size = "window"


class SamKnn(_AsInMoa):
    """k-NN with a self-adjusting memory (Losing, Hammer and Wersing, 2016).

    A short and a long memory; the model size is the number of examples in both, the means by
    which the long one is compressed among them. Chance is in these means only, so that most
    streams shorter than the 5,000 that are stored have none.

    MOA's class asks each memory for its vote while it predicts, looks at the label of the example
    that it is asked about, and notes who was right; that decides who is believed later. Nobody is
    told a label here before it has answered: what it notes without one is taken back, and it
    votes once more, aside, when the label comes. So an example that is not learned leaves no note.

        run = prequential(SamKnn(seed=0), X, y)
    """

    runs_as = "MOA SAMkNN"
    unit = "stored examples"
    command = "lazy.SAMkNN"
    size = "stm+ltm"
    _notes: Sequence[Any] = ()  # which memory was right, of those of MOA's lists

    def predict(self, x: Any) -> Label | None:
        """MOA's prediction for ``x``, which leaves no note; None while nothing was learned."""
        before = [len(notes) for notes in self._notes]
        answer = super().predict(x)
        for notes, n in zip(self._notes, before, strict=True):
            del notes[n:]
        return answer

    def _learn(self, instance: Any) -> None:
        self._model.getVotesForInstance(instance)  # for the notes
        super()._learn(instance)

    def _make_header(self, dimension: int) -> None:
        super()._make_header(dimension)
        names = ("stmHistory", "ltmHistory", "cmHistory")
        self._notes = [field_of(self._java, self._model, name).get(self._model) for name in names]
        # MOA's generator for this has no seed, whatever seed the classifier has
        field_of(self._java, self._model, "random").get(self._model).setSeed(self._given["seed"])


class Arf(_AsInMoa):
    """The adaptive random forest (Gomes and others, 2017): MOA's, of 100 trees.

    A tree is replaced by one that has grown in the background when its drift detector warns. The
    model size is the number of nodes of all trees, without those in the background.

        run = prequential(Arf(seed=0), X, y)
    """

    runs_as = "MOA AdaptiveRandomForest"
    unit = "nodes"
    command = "meta.AdaptiveRandomForest"
    size = "ensemble"

    @property
    def n_balls(self) -> int:
        """The number of nodes of all trees."""
        if self._n_balls is None:
            trees = field_of(self._java, self._model, self.size).get(self._model)
            self._n_balls = sum(int(tree.classifier.getNodeCount()) for tree in trees or ())
        return self._n_balls


class Amf(RiverClassifier):
    """The aggregated Mondrian forest (Mourtada, Gaiffas and Scornet, 2021): River's, of 10 trees.

    It is made for attributes in [0, 1]. The model size is the number of nodes of all trees.

        run = prequential(Scaled(Amf(seed=0), "online-minmax"), X, y)
    """

    runs_as = "River AMFClassifier"
    unit = "nodes"

    def __init__(self, *, seed: int = 0) -> None:
        try:
            from river.forest import AMFClassifier
        except ModuleNotFoundError:
            raise ValueError(wording.missing("AMF", "river", "river")) from None
        super().__init__(AMFClassifier(seed=seed), size="_n_nodes")
        self._given["seed"] = seed
