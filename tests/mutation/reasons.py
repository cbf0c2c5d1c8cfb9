"""Why a mutant that no test notices does no harm, by its name."""

FALSY = "None is as false as False, and the answer is only asked whether it is true"
PACE = "how often the bar moves, or when it appears; no answer depends on it"
NOTHING = "M_0 is multiplied by 1 - 1/1 = 0"
CHECKED = "the two lengths have been compared before"
CHANCE = "a random number equals the chance once in 2^53 tosses"

REASONS = {
    "cover.Cover.init_procedure: return False -> return None": FALSY,
    "auto.Auto.init_procedure: return False -> return None": FALSY,
    "base.ball_probability: if q < 0.5 - gamma: -> if q <= 0.5 - gamma:": (
        "at the border the formula below gives 0 as well"
    ),
    "base.ball_probability: if q > 0.5 + gamma: -> if q > 1.5 + gamma:": (
        "beyond the border the formula below is cut off at 1"
    ),
    "protocol.: BAR_DELAY = 1.0 -> BAR_DELAY = 2.0": PACE,
    "protocol.: SLICE = 1 << 14 -> SLICE = 2 << 14": PACE,
    "protocol.: SLICE = 1 << 14 -> SLICE = 1 << 15": PACE,
    "protocol.online_accuracy: curve, m = ([], 0.0) -> curve, m = ([], 1.0)": NOTHING,
    "protocol._Experiment.__init__: self.hits, self.m, self.t, self.n_updates, self.seconds ="
    " (0, 0.0, 0, 0, 0.0) -> self.hits, self.m, self.t, self.n_updates, self.seconds ="
    " (0, 1.0, 0, 0, 0.0)": NOTHING,
    "protocol._Experiment.__init__: self.randomized = getattr(learner, 'vote', None) =="
    " 'randomized' -> self.randomized = getattr(learner, 'vote', 0) == 'randomized'": (
        "0 is no vote either"
    ),
    "protocol._Experiment._one_by_one: for i, (x, label) in enumerate(zip(rows, labels,"
    " strict=True)): -> for i, (x, label) in enumerate(zip(rows, labels, strict=False)):": CHECKED,
    "protocol._check_piece: for row, (x, label) in enumerate(zip(X, y, strict=True),"
    " start=before + 1): -> for row, (x, label) in enumerate(zip(X, y, strict=False),"
    " start=before + 1):": CHECKED,
    "protocol._Experiment._toss: return int(self.coin.random() < p) ->"
    " return int(self.coin.random() <= p)": CHANCE,
    "protocol._Experiment._compiled: said = self.coin.random(n) < answer.chances ->"
    " said = self.coin.random(n) <= answer.chances": CHANCE,
    "protocol._Experiment._compiled: learner.get_ready() -> pass": (
        "the first call compiles then; only the seconds would contain it"
    ),
    "protocol._check_piece: if getattr(learner, 'is_compiled', False): ->"
    " if getattr(learner, 'is_compiled?', False):": "the slow check of the same things",
    "protocol._bar: return tqdm(total=n, unit='ex', delay=BAR_DELAY, leave=False, disable=disable)"
    " -> return tqdm(total=n, unit='ex?', delay=BAR_DELAY, leave=False, disable=disable)": (
        "a word beside the bar"
    ),
    "protocol._check_piece: size = None -> size = 0": "either is replaced by the first size",
}
