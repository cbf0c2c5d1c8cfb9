"""``abacoc watch``: a run as a page on which to go back and forth in the stream."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from abacoc.commands import ONLINE, SCALES, add_command
from abacoc.commands.reading import FILES, STREAM, add_reader, open_whole, plain_warnings
from abacoc.commands.run import add_chance, make_learner, own_settings, scaling
from abacoc.methods import METHODS, OWN

if TYPE_CHECKING:
    import argparse

EPILOG = (
    """examples:
  abacoc watch generated:sea --out sea.html       a stream that drifts; then open the page
  abacoc watch mine.csv --out mine.html --axes age,income --scale online
  abacoc watch mine.csv --out mine.html --axes 1,3 --budget 200 --moments 500

The page is one file, for any browser and without a network. It shows the balls in a plane: the two
attributes of --axes or, where there are more than two, the first two principal components. It stops
at moments spread evenly over the stream; the cover is the one that the example of that moment met.

"""
    + FILES
)


def add(commands: Any) -> None:
    """The options of the command."""
    parser = add_command(
        commands,
        "watch",
        watch,
        "a page on which to watch the cover while the stream goes by",
        epilog=EPILOG,
    )
    parser.set_defaults(engine="auto", load=None, pieces=None)
    option = parser.add_argument
    option("stream", metavar="STREAM", help=STREAM)
    option("--out", metavar="FILE", required=True, help="the page, such as page.html")
    option(
        "--axes",
        metavar="A,B",
        help="two attributes to show, by their names or numbers (from 1, as the learner has them: "
        "without the label and what was dropped)",
    )
    option("--moments", type=int, default=200, metavar="N", help="how many (default 200)")
    option("--method", choices=OWN, default="auto-adj", help="default: auto-adj")
    option(
        "--scale",
        choices=(*SCALES, *ONLINE),
        default="none",
        help="as in abacoc run; the balls are shown where they are, among the scaled examples",
    )
    add_chance(parser)
    option("--window", type=int, metavar="N", help="examples in the window of accuracy and kappa")
    add_reader(parser)


def watch(options: argparse.Namespace) -> int:
    """Run the command."""
    from abacoc.files import check_folder, write_atomically
    from abacoc.watch import film, page

    for name in ("head", "moments", "window"):
        if (n := getattr(options, name)) is not None and n < 1:
            raise ValueError(f"--{name} must be at least 1, not {n}")
    check_folder(options.out)
    if os.path.realpath(options.out) == os.path.realpath(options.stream):
        raise ValueError("--out must be another file than the stream")
    with plain_warnings():
        stream = open_whole(options)
    X, codes = stream.X[: options.head], stream.y[: options.head].tolist()
    axes = _axes(options.axes, stream.attributes)
    settings = own_settings(options, len(X))
    learner = make_learner(options, stream, settings, options.scale)
    given, _ = scaling(options, stream, options.scale)
    shown, run = film(
        learner,
        given(X),
        [stream.labels[code] for code in codes],
        moments=options.moments,
        axes=axes,
        rate=options.rate,
        seed=options.seed,
        window=options.window,
        progress=None,
    )
    told = {"rate": f"{options.rate:g}", "scale": options.scale, "shuffle": options.shuffle}
    told |= {"budget": settings.get("budget"), "seed": options.seed}
    names = stream.attributes
    shown |= {
        "title": f"{METHODS[options.method].title} on {stream.name}",
        "source": stream.note,
        "settings": {name: value for name, value in told.items() if value is not None},
        "attributes": len(names),
        "axes": [names[i] for i in _shown(axes, len(names))],
        "result": {"accuracy": run.accuracy, "no_change": run.no_change},
    }
    text = page(shown)
    with write_atomically(options.out) as file:
        file.write(text)
    result = {
        "page": options.out,
        "bytes": len(text.encode()),
        "moments": len(shown["frames"]),
        "n_examples": run.n_examples,
        "accuracy": run.accuracy,
        "model_size": run.n_balls,
    }
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        print(
            f"{options.out}: {result['moments']:,} moments of {run.n_examples:,} examples, "
            f"{result['bytes'] / 1e6:.1f} MB; accuracy {run.accuracy:.6f}"
        )
    return 0


def _axes(text: str | None, names: tuple[str, ...]) -> tuple[int, int] | None:
    """The places of two attributes."""
    from abacoc.streams.columns import place_of

    if text is None:
        return None
    try:
        found = [place_of(name.strip(), names, "attribute") for name in text.split(",")]
    except ValueError as error:
        raise ValueError(f"--axes: {error}") from None
    if len(found) != 2 or found[0] == found[1]:
        raise ValueError(f"--axes takes two different attributes, such as 1,2: not {text}")
    return found[0], found[1]


def _shown(axes: tuple[int, int] | None, d: int) -> tuple[int, ...]:
    """The attributes of the picture; none where it shows principal components."""
    return axes if axes is not None else tuple(range(d)) if d <= 2 else ()
