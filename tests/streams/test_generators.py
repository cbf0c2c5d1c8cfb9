"""Generated streams: what they promise, by properties that a wrong generator would not have.

Rates are held against exact probabilities within Z standard deviations of a binomial share: a
right generator fails such a check for about one seed in 150,000, and the seeds are fixed.
"""

import hashlib
import math
import re
import sys

import numpy as np
import pytest
from scipy.spatial import cKDTree

from abacoc import Base
from abacoc.cli import main
from abacoc.streams import generate, load, open_stream
from abacoc.streams.generators import GENERATORS, common, open_generated, overview, shapes
from abacoc.streams.generators.drift import SEA_VARIANTS
from abacoc_theory.regret import adversaries, sites, spaces
from abacoc_theory.regret.streams import NAMES, SIZES

Z = 4.5
# Small, and short enough for several concepts or turns in a few hundred examples.
SMALL = {
    "sea": {"block": 200},
    "hyperplane": {"period": 150},
    "banana": {},
    "manifold": {"d": 3, "ambient": 7},
    "uniform": {"d": 3},
}


def within(share, p, n):
    """Whether a share of n is what a binomial of chance p gives."""
    return abs(share - p) <= Z * math.sqrt(p * (1 - p) / n)


def texts(stream):
    """The labels as they are written, whatever their codes."""
    return np.array(stream.labels)[stream.y]


# The same bits ----------------------------------------------------------------------------------

PINNED = [
    (
        "generated:sea,block=40,n=100",
        "ca633848c9803ef4a28c2d0aeac016d6b3a1ef14687d47039636724ad843ef83",
    ),
    (
        "generated:hyperplane,period=30,n=100",
        "7ffa57dbc931b1dc8ae409c774e9dc3c86c0ffddcb5a668b26a475f9292a6e8a",
    ),
    (
        "generated:banana,n=100",
        "d41136fde7de14d3783aea8bd387a785023d9d3fcd703026098e951855b4ab8a",
    ),
    (
        "generated:manifold,n=100",
        "46b6ebb64317027dee1699ce2d34a769b9f2b0cc5823ea4d052c2350a939759e",
    ),
    (
        "generated:uniform,n=100",
        "4bbb99518e6794263a0af81ae78db79d30b969ebec49a4524291fea3904dc95b",
    ),
    (
        "adversary:outside,space=square,size=6,n=100",
        "22d1333144e3058eac2ee1c427228de85aba57fa7711a804d089146c9fe7a1a6",
    ),
]


@pytest.mark.parametrize(("text", "sha256"), PINNED)
def test_the_first_hundred_rows_have_these_bits(text, sha256):
    stream = open_generated(text)
    digest = hashlib.sha256(stream.X.astype("<f8").tobytes())
    digest.update(" ".join(texts(stream)).encode())
    assert digest.hexdigest() == sha256


@pytest.mark.parametrize("name", SMALL)
def test_same_seed_same_stream_other_seed_other_stream(name):
    first, again = (generate(name, n=300, seed=5, **SMALL[name]) for _ in range(2))
    other = generate(name, n=300, seed=6, **SMALL[name])
    assert first.X.tobytes() == again.X.tobytes()
    assert (first.y == again.y).all()
    assert not np.isin(first.X, other.X).any()
    assert (texts(first) != texts(other)).any()


@pytest.mark.parametrize("name", SMALL)
def test_a_short_stream_begins_a_longer_one(name):
    short, long = (generate(name, n=n, seed=1, **SMALL[name]) for n in (301, 1000))
    assert short.X.tobytes() == long.X[:301].tobytes()
    assert (short.y == long.y[:301]).all()
    assert short.labels == long.labels[: len(short.labels)]


def test_an_adversary_knows_the_horizon():
    short, long = (generate("adversary:outside", n=n) for n in (100, 1000))
    assert (texts(short) != texts(long)[:100]).any()


def test_sine_is_the_sine():
    turns = np.random.default_rng(0).uniform(-0.25, 0.25, 2000)
    exact = [math.sin(2 * math.pi * t) for t in turns.tolist()]
    # 2 pi and its product with t are rounded, here and there: by 2^-53 together, and the sine
    # changes no faster than its angle; the polynomial has a dozen steps, ever smaller ones.
    assert np.abs(common.sine(turns) - exact).max() <= 2.0**-51
    dyadic = np.arange(-64, 65) / 256
    for k in (-2, 1, 3):
        assert (common.sine(dyadic + k) == common.sine(dyadic)).all()
        assert (common.sine(k + 0.5 - dyadic) == common.sine(dyadic)).all()


def test_bell_has_mean_0_and_variance_1():
    values = common.bell(np.random.default_rng(1), 50_000, 2)
    n = values.size
    assert abs(values.mean()) < Z / math.sqrt(n)
    # The fourth moment of a sum of four uniform numbers of variance 1/4 is 3 - 6/5/4 = 2.7.
    assert abs(values.var() - 1) < Z * math.sqrt((2.7 - 1) / n)


# SEA --------------------------------------------------------------------------------------------


def sea_rate(theta, noise):
    """The chance of label 1: a square less a corner triangle of legs theta, then the noise."""
    above = 1 - theta**2 / 200
    return above * (1 - noise) + (1 - above) * noise


@pytest.mark.parametrize("variant", SEA_VARIANTS)
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
def test_sea_has_the_exact_rate_of_ones_in_each_block(variant, noise):
    ones = texts(generate("sea", noise=noise, variant=variant)) == "1"
    thetas = SEA_VARIANTS[variant][1]
    assert thetas == ((8, 9, 7, 9.5) if variant == "street-kim" else (8, 9, 7, 9))
    for k, theta in enumerate(thetas):
        assert within(ones[15_000 * k : 15_000 * (k + 1)].mean(), sea_rate(theta, noise), 15_000)


@pytest.mark.parametrize(("variant", "first", "last"), [("street-kim", 0, 9.5), ("file", 1, 9)])
def test_sea_labels_are_a_sum_against_a_threshold_and_the_blocks_come_round(variant, first, last):
    stream = generate("sea", n=5000, noise=0.0, block=1000, variant=variant)
    theta = np.repeat([8, 9, 7, last, 8], 1000)
    assert ((texts(stream) == "1") == (stream.X[:, first] + stream.X[:, first + 1] > theta)).all()
    assert stream.X.min() >= 0
    assert 9.9 < stream.X.max() < 10
    for column in stream.X.T:  # Kolmogorov and Smirnov: 1.95 / sqrt(n) is exceeded once in 1000
        steps = np.arange(1, 5001) / 5000
        assert np.abs(np.sort(column) / 10 - steps).max() < 1.95 / math.sqrt(5000)


def test_sea_flips_a_share_of_both_classes():
    clean, noisy = (texts(generate("sea", noise=noise)) for noise in (0.0, 0.1))
    for label in ("0", "1"):
        of_class = clean == label
        assert within((noisy != clean)[of_class].mean(), 0.1, of_class.sum())


def test_sea_file_is_as_the_registered_set(data_folder):
    real, made = load("sea"), generate("sea", variant="file")
    ones, generated = texts(real) == "1", texts(made) == "1"
    for k, theta in enumerate((8, 9, 7, 9)):
        block = slice(15_000 * k, 15_000 * (k + 1))
        assert within(ones[block].mean(), sea_rate(theta, 0.1), 15_000)
        # two shares: the variances add up, and each is at most that of sea_rate
        gap = abs(ones[block].mean() - generated[block].mean())
        assert gap < Z * math.sqrt(2 * 0.25 / 15_000)
        flipped = ones[block] != (real.X[block, 1] + real.X[block, 2] > theta)
        assert within(flipped.mean(), 0.1, 15_000)
        others = ones[block] != (real.X[block, 0] + real.X[block, 1] > theta)
        assert others.mean() > 0.3  # the first attribute has no say in the file
    # What is usually said of the fourth block, 9.5, the file does not do.
    assert not within(ones[45_000:].mean(), sea_rate(9.5, 0.1), 15_000)


# The hyperplane ---------------------------------------------------------------------------------


def test_hyperplane_is_what_one_example_at_a_time_gives():
    seed, d, period, magnitude, reverse = 3, 4, 40, 0.3, 0.4
    parameters = {"d": d, "drifting": 3, "period": period, "magnitude": magnitude}
    stream = generate(
        "hyperplane", n=400, seed=seed, classes=3, reverse=reverse, noise=0, **parameters
    )
    w = common.chance("hyperplane", 2, seed).random(d)
    coins = common.chance("hyperplane", 3, seed).random((10, d))
    signs = [-1 if coin < 0.5 else 1 for coin in coins[0]]
    cut = 0.430727299295  # a third of a normal distribution lies above
    turned = 0
    for t, (x, label) in enumerate(zip(stream.X, texts(stream), strict=True)):
        if t % period == 0 and t > 0:
            turns = [coin < reverse for coin in coins[t // period]]
            signs = [-sign if turn else sign for sign, turn in zip(signs, turns, strict=True)]
            turned += sum(turns[:3])
        mean, deviation = w.sum() / 2, math.sqrt((w**2).sum() / 12)
        assert label == str(sum(w @ x > mean + z * deviation for z in (-cut, cut)))
        for i in range(3):  # the fourth weight does not drift
            w[i] += signs[i] * magnitude / period
    assert 0 < turned < 27


def test_hyperplane_drifts_and_without_magnitude_it_does_not():
    still, turning, stuck = (
        generate("hyperplane", n=50_000, noise=0.0, **parameters)
        for parameters in ({"magnitude": 0.0}, {}, {"drifting": 0})
    )
    assert (texts(still) == texts(stuck)).all()
    assert still.X.tobytes() == turning.X.tobytes()
    changed = (texts(still) != texts(turning)).reshape(50, 1000).mean(axis=1)
    # In the first period a weight, 1/2 on average, moves by 0.05 on average; at the end nothing
    # is left of the first concept: independent labels of five classes would differ at 0.8.
    assert 0.02 < changed[0] < 0.2
    assert changed[0] < changed[2] < changed[4]
    assert changed[-5:].min() > 0.6


def test_hyperplane_keeps_five_classes_in_balance_all_the_time():
    stream = generate("hyperplane")
    assert (stream.n_examples, stream.n_attributes, stream.n_classes) == (100_000, 10, 5)
    # Were all the weight on one attribute, w.x uniform and not normal, the shares would be 0.257,
    # 0.170, 0.146, 0.170, 0.257; ten weights are nearer to normal. And Z deviations of chance.
    low, high = 0.146 - Z * math.sqrt(0.146 / 10_000), 0.257 + Z * math.sqrt(0.257 / 10_000)
    for tenth in texts(stream).reshape(10, 10_000):
        shares = np.unique(tenth, return_counts=True)[1] / 10_000
        assert len(shares) == 5
        assert low < shares.min() <= shares.max() < high


def test_hyperplane_has_weights_and_strips_as_asked_for():
    still = {"d": 6, "drifting": 0, "noise": 0}
    stream = generate("hyperplane", n=300, seed=6, classes=4, low=-0.5, width=1.25, **still)
    w = common.chance("hyperplane", 2, 6).random(6) * 1.5 - 0.5
    assert w.min() < 0 < w.max()
    mean, deviation = w.sum() / 2, math.sqrt((w**2).sum() / 12)
    borders = [mean + z * deviation for z in (-1.25, 0, 1.25)]
    for x, label in zip(stream.X, texts(stream), strict=True):
        assert label == str(sum(w @ x > border for border in borders))


def test_hyperplane_with_wide_strips_has_most_examples_in_the_middle():
    narrow, wide = (
        np.unique(texts(generate("hyperplane", noise=0.0, width=width)), return_counts=True)
        for width in (0.5, 1.5)
    )
    assert list(wide[0]) == list(narrow[0]) == list("01234")
    assert narrow[1].argmin() in (1, 2, 3)  # the outer ones have no end
    assert wide[1].argmax() == 2
    # P(|z| < 3/4) is 0.547 for a normal z; w.x is a sum of ten uniform numbers, nearly normal
    assert abs(wide[1][2] / 100_000 - 0.547) < 0.02


def test_hyperplane_replaces_labels_by_any_other():
    clean, noisy = (generate("hyperplane", n=40_000, noise=noise) for noise in (0.0, 0.4))
    before, after = texts(clean).astype(int), texts(noisy).astype(int)
    assert within((before != after).mean(), 0.4, 40_000)
    for step in (1, 2, 3, 4):
        assert within(((after - before) % 5 == step).mean(), 0.1, 40_000)


# Crescents, sheets, cubes -----------------------------------------------------------------------


def test_banana_lies_on_half_circles_before_it_is_spread():
    stream = generate("banana", n=2000, spread=0.0)
    lower = texts(stream) == "1"
    assert within(lower.mean(), 0.5, 2000)
    for chosen, centre, side in ((~lower, (0, 0), 1), (lower, (1, 0.5), -1)):
        arm = stream.X[chosen] - centre
        assert np.abs(np.hypot(*arm.T) - 1).max() < 1e-15
        assert (side * arm[:, 1]).min() >= -1e-15
        assert abs(arm[:, 0].mean()) < Z * math.sqrt(0.5 / len(arm))
    spread = generate("banana", n=2000, spread=0.3).X - stream.X
    assert abs(spread.std() - 0.3) < 0.3 * Z * math.sqrt(1.7 / 4000) / 2


def nearest_neighbour_error(stream):
    """Leave one out."""
    _, near = cKDTree(stream.X).query(stream.X, 2)
    return (stream.y[near[:, 1]] != stream.y).mean()


def test_banana_is_as_hard_as_the_real_one(data_folder):
    real, made = (nearest_neighbour_error(s) for s in (load("banana"), generate("banana")))
    # Each is a share of 5,300 about 0.13, with a deviation of 0.005, and so Z times the root of
    # two of them is 0.03; "as hard" is not meant more exactly.
    assert abs(real - made) < 0.03


def dimension(X, k=20):
    """Levina and Bickel's estimate from k neighbours; 1/d is averaged, for which it is unbiased."""
    distances = cKDTree(X).query(X, k + 1)[0][:, 1:]
    logs = np.log(distances[:, -1:] / distances[:, :-1]).sum(axis=1)
    return (k - 1) / logs.mean()


@pytest.mark.parametrize(
    ("d", "ambient"), [(1, 2), (1, 20), (2, 3), (2, 20), (3, 4), (3, 20), (4, 20), (5, 5)]
)
def test_manifold_has_the_chosen_dimension(d, ambient):
    X = generate("manifold", n=6000, d=d, ambient=ambient, seed=2).X
    estimate = dimension(X)
    # Each point gives 1/d with a deviation of 1/d / sqrt(k - 1), 6000 points that share neighbours
    # in twenties a mean within Z / sqrt(6000) = 6 % at worst, in practice within 1 %. The border
    # of the cube lowers it, where balls are cut: by up to 8 % at d = 5, where most points are near
    # the border. The next whole number is 20 % away, or more.
    assert 0.9 * d < estimate < 1.05 * d
    assert X.shape[1] == ambient
    spectrum = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    assert spectrum[-1] > 1e-3 * spectrum[0]  # no flat of lower dimension holds the sheet


@pytest.mark.parametrize(("d", "ambient"), [(1, 6), (2, 3), (3, 12), (4, 4)])
def test_manifold_keeps_distances_apart_and_has_diameter_1(d, ambient):
    X = generate("manifold", n=400, d=d, ambient=ambient, seed=4).X
    u = common.chance("manifold", 0, 4).random((400, d))
    i, j = np.triu_indices(400, 1)
    far, latent = (np.sqrt(((A[i] - A[j]) ** 2).sum(axis=1)) for A in (X, u))
    shrink = 1 / math.sqrt(d + (0.25 if ambient > d else 0))
    assert far.max() <= 1
    assert (far >= shrink * latent * (1 - 1e-12)).all()
    if ambient > d:  # it is curved: not all distances shrink alike
        assert (far / latent).max() > 1.1 * (far / latent).min()


def test_axes_are_orthonormal():
    axes = shapes._axes(30, np.random.default_rng(0))
    assert np.abs(axes @ axes.T - np.eye(30)).max() < 1e-14


def test_manifold_labels_are_lipschitz_and_noisy():
    n, bins, lipschitz, noise = 400_000, 40, 5.0, 0.1
    stream = generate("manifold", n=n, d=1, ambient=2, lipschitz=lipschitz, noise=noise)
    u = common.chance("manifold", 0, 0).random(n)
    where, ones = (u * bins).astype(int), texts(stream) == "1"
    chance = np.bincount(where, weights=ones) / np.bincount(where)
    slack = Z * math.sqrt(0.25 / (n / bins))  # of one bin, whatever its chance
    assert noise - slack < chance.min() < noise + slack
    assert 1 - noise - slack < chance.max() < 1 - noise + slack
    # Bins 3 apart: 3 / bins in u, and at least that times the shrinking in x, of which L is said.
    steepest = lipschitz / math.sqrt(1.25) * 3 / bins
    steps = np.abs(chance[3:] - chance[:-3])
    assert steepest - math.sqrt(2) * slack < steps.max() < steepest + math.sqrt(2) * slack


def test_manifold_noise_alone():
    clean, noisy = (
        texts(generate("manifold", n=20_000, lipschitz=1e9, noise=noise)) for noise in (0.0, 0.2)
    )
    assert within((clean != noisy).mean(), 0.2, 20_000)
    coin = texts(generate("manifold", n=20_000, lipschitz=0.0)) == "1"
    assert within(coin.mean(), 0.5, 20_000)


@pytest.mark.parametrize("d", [2, 5, 10])
def test_uniform_by_its_definition(d):
    """The benchmark was measured on these bits: the same seeds, the same order of drawing."""
    X = np.random.default_rng([20140815, d, 0]).random((3000, d))
    flipped = np.random.default_rng([20140815, d, 1]).random(3000) < 1 / d
    stream = generate("uniform", n=3000, d=d, noise=1 / d, seed=20140815)
    assert stream.X.tobytes() == X.tobytes()
    assert (texts(stream).astype(int) == (X.sum(axis=1) > d / 2) ^ flipped).all()


# Adversaries ------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_base_is_played_as_the_adversary_thought(name, space):
    small = {"interval": 30, "square": 5, "cube": 3, "cantor": 3, "sierpinski": 2}[space]
    stream = generate(f"adversary:{name}", n=150, space=space, size=small, seed=1, lipschitz=2)
    learner, p = Base(), []
    for x, text in zip(stream.X, texts(stream), strict=True):
        p.append(learner.probability(x))
        learner.update(x, int(text))
    moves = adversaries.adversaries(2.0)[name]
    played = adversaries.play(sites.SiteBase(getattr(spaces, space)(small)), moves, 150, 1)
    assert p == played.p.tolist()


def test_without_the_theory_it_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "abacoc_theory.regret.streams", None)
    monkeypatch.delitem(GENERATORS, "adversary:edges")
    with pytest.raises(ValueError, match=r'pip install "python-flint.*the extra theory'):
        generate("adversary:edges")
    assert overview()[0][0] == "generated:sea"


# Names and parameters ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("generated:see", "unknown generator generated:see; there are: generated:sea, generated:"),
        ("adversary:evil", "adversary:smooth"),
        ("generated:", "unknown generator generated:;"),
        ("generated:sea,m=3", "no parameter 'm'; it has n=60000, seed=0, noise=0.1, block=15000"),
        ("adversary:edges,name=smooth", "no parameter 'name'"),
        ("generated:sea,n", "'n' is not like n=1000"),
        ("generated:sea,=3", "'=3' is not like n=1000"),
        ("generated:sea,n=3,n=4", "n is given twice"),
        ("generated:sea,n=1e4", "n is a whole number, not '1e4'"),
        ("generated:sea,n=0", "n is a number of examples, not 0"),
        ("generated:sea,n=1000000000000000", "too large for the memory of this machine"),
        ("generated:sea,seed=-1", "seed is at least 0, not -1"),
        ("generated:sea,noise=much", "noise is a number, not 'much'"),
        ("generated:sea,noise=nan", "noise is a number, not 'nan'"),
        ("generated:sea,noise=1.5", "noise is a share from 0 to 1, not 1.5"),
        ("generated:sea,block=0", "block is a number of examples"),
        ("generated:sea,variant=moa", "variant is one of street-kim, file, not 'moa'"),
        ("generated:hyperplane,d=0", "d is a number of attributes, not 0"),
        ("generated:hyperplane,classes=1", "classes must be at least 2"),
        ("generated:hyperplane,drifting=11", "from 0 to 10, not 11"),
        ("generated:hyperplane,period=0", "period is a number of examples"),
        ("generated:hyperplane,magnitude=-1", "magnitude is a change from 0 to 1000, not -1"),
        ("generated:hyperplane,reverse=2", "reverse is a chance from 0 to 1"),
        ("generated:hyperplane,low=1", "low is a weight from -1 to below 1, not 1"),
        ("generated:hyperplane,width=-1", "width is a number of deviations from 0 to 10, not -1"),
        ("generated:banana,spread=-1", "spread is at least 0"),
        ("generated:manifold,d=0", "d is a dimension of at least 1"),
        ("generated:manifold,d=11", "ambient must be at least d = 11, not 10"),
        ("generated:manifold,lipschitz=-1", "lipschitz is at least 0"),
        ("generated:manifold,noise=0.6", "noise is a chance from 0 to 0.5"),
        ("generated:uniform,d=0", "d is a number of attributes, not 0"),
        ("adversary:edges,space=tree", "space is one of interval, square, cube, cantor, sierp"),
        ("adversary:edges,size=-1", "size is at least 1"),
        ("adversary:smooth,lipschitz=-1", "lipschitz is at least 0"),
        ("adversary:edges,covering=0.5", "covering constant must be at least 1"),
    ],
)
def test_what_is_wrong_is_said(text, message, capsys):
    with pytest.raises(ValueError, match=re.escape(message)) as refusal:
        open_stream(text)
    assert text.split(",")[0] in str(refusal.value)
    assert main(["run", text]) == 2
    assert capsys.readouterr().err == f"abacoc: {refusal.value}\n"


@pytest.mark.parametrize("value", [2.0, "2.0", None, [2], "", "two"])
def test_a_number_of_examples_is_whole(value):
    with pytest.raises(ValueError, match="n is a whole number"):
        generate("sea", n=value)
    assert generate("sea", n=np.int64(2)).n_examples == 2


@pytest.mark.parametrize("name", GENERATORS)
def test_a_stream_says_that_it_is_generated_and_how_to_have_it_again(name):
    stream = generate(name, n=200, seed=9)
    assert stream.name == f"{name},n=200,seed=9"
    assert stream.note.startswith("generated: ")
    assert stream.note.endswith(", seed 9")
    again = open_stream(stream.name)
    assert again.X.tobytes() == stream.X.tobytes()
    assert (again.y == stream.y).all()
    assert list(dict.fromkeys(stream.y.tolist())) == list(range(stream.n_classes))


def test_a_stream_may_have_one_class_only():
    assert generate("sea", n=1).n_classes == 1
    assert generate("hyperplane", n=2).n_classes <= 2


def test_a_generator_takes_no_options_of_a_reader_and_a_file_may_have_its_name(tmp_path):
    with pytest.raises(ValueError, match="no categorical"):
        open_stream("generated:sea", categorical=[1])
    assert open_stream("generated:sea,n=5", numeric=()).n_examples == 5
    path = tmp_path / "generated:sea"
    path.write_text("1,2,a\n3,4,b\n")
    assert open_stream(path).X.tolist() == [[1, 2], [3, 4]]


def test_from_the_command_line(capsys):
    assert main(["run", "generated:manifold,d=3,ambient=20,n=500,seed=1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("generated:manifold,n=500,seed=1,d=3,ambient=20: 500 examples, 20 attr")
    assert "(generated: a sheet of dimension 3 in 20, " in out


def test_every_generator_is_listed(capsys):
    assert main(["data"]) == 0
    out = capsys.readouterr().out
    for name, what, parameters in overview():
        assert name in out
        assert what in out
        assert parameters in out
    shown = "".join(name for name, _, _ in overview())
    assert all(name.partition(":")[2] in shown for name in GENERATORS)
