"""How Sphinx makes the site; `build.py` stages the pages and calls it."""

import inspect
import operator
import re
import sys
from html import unescape
from pathlib import Path
from typing import Any

from sphinx.util.docutils import nodes  # docutils comes with Sphinx

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "notebooks")]

import abacoc  # noqa: E402
import abacoc_theory  # noqa: E402
from abacoc import streams  # noqa: E402
from paper.page import BADGES, formula  # noqa: E402

# Names are imported when they are first asked for, which autodoc never does.
for package in (abacoc, streams, abacoc_theory):
    for name in package.__all__:
        setattr(package, name, getattr(package, name))

project, version, release = "abacoc", abacoc.__version__, abacoc.__version__
author = "the abacoc artifact authors"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.linkcode"]
default_role = "py:obj"  # a name between backquotes leads to its page, where it has one

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # they come with their outputs
nb_output_stderr = "error"
nb_render_markdown_format = "myst"

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
maximum_signature_line_length = 80

html_theme = "furo"
html_title = f"abacoc {version}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_show_search_summary = False  # needs a server: a page of file:// may not read another


def inline_formula(visitor: Any, node: nodes.Node) -> None:
    """MathML, which browsers show without a script."""
    visitor.body.append(formula(node.astext()))
    raise nodes.SkipNode


def formula_block(visitor: Any, node: nodes.Node) -> None:
    """The same on a line of its own, which scrolls if it is too wide."""
    visitor.body.append(f'<div class="formula">{formula(node.astext(), display_mode=True)}</div>\n')
    raise nodes.SkipNode


def improve(app: Any, doctree: nodes.document) -> None:
    """Tables of pandas, verdicts and pictures, as the report of the reproduction has them."""
    for raw in list(doctree.findall(nodes.raw)):
        if raw.get("format") == "html" and (tables := re.findall(TABLE, raw.astext())):
            text = f'<div class="table-wrapper">{"".join(map(table, tables))}</div>'
            raw.replace_self(nodes.raw("", text, **raw.attributes))
    for literal in doctree.findall(nodes.literal):
        text = literal.astext()
        if look := BADGES.get(text, "mixed" if re.fullmatch(r"\d+ of \d+", text) else ""):
            literal["classes"] += ["badge", look]
    for cell in doctree.findall(nodes.entry):
        if len(cell.astext()) > 40:
            cell["classes"].append("long")
    for block in doctree.findall(nodes.literal_block):
        if block.get("linenos"):  # a file: `linkcode_resolve` leads to its lines
            block["highlight_args"] = {"lineanchors": "L"}
    for image in doctree.findall(nodes.image):
        section = image.parent
        while section is not None and not isinstance(section, nodes.section):
            section = section.parent
        if not image.get("alt") and section is not None:
            image["alt"] = next(iter(section.findall(nodes.title))).astext()


ARRAY = r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[(~[\w.]+)\]\]"
STAGE: list[Path] = []  # the folder that is read
TABLE = re.compile(r"<table.*?</table>", re.DOTALL)


def table(text: str) -> str:
    """Its looks are the site's, and what is a formula in Jupyter is one here."""
    text = re.sub(r' (border|class|style)="[^"]*"', "", text)
    text = text.replace("<table", '<table class="docutils"')
    return re.sub(r"\$([^$<]+)\$", lambda found: formula(unescape(found[1])), text)


def linkcode_resolve(domain: str, about: dict[str, str]) -> str | None:
    """Where the page of a module has this name; pages of the API are one folder down."""
    try:
        found = operator.attrgetter(about["fullname"])(sys.modules[about["module"]])
        found = inspect.unwrap(getattr(found, "fget", found) or found)
        path = Path(inspect.getsourcefile(found) or "").resolve().relative_to(ROOT)
        line = inspect.getsourcelines(found)[1]
    except (AttributeError, TypeError, ValueError, OSError):  # no code, or none of ours
        return None
    staged = (STAGE[0] / f"{path.as_posix()}.md").is_file()
    return f"../{path.as_posix()}.html#L-{line}" if staged else None


def bars(app: Any, what: str, name: str, object: Any, options: Any, lines: list[str]) -> None:
    """The bars of an absolute value begin no substitution of reStructuredText."""
    example = False
    for i, line in enumerate(lines):
        example = bool(line.strip()) and (example or line.lstrip().startswith(">>>"))
        if not example:
            lines[i] = re.sub(r"(`+[^`]*`+)|\|", lambda found: found[1] or r"\|", line)


def arrays(app: Any, *described: Any) -> tuple[str | None, ...]:
    """The signature, its arrays as the source has them."""
    return tuple(text and re.sub(ARRAY, r"NDArray[\1]", text) for text in described[-2:])


def setup(app: Any) -> None:
    """Called by Sphinx."""
    STAGE.append(Path(app.srcdir))
    app.add_html_math_renderer("mathml", (inline_formula, None), (formula_block, None))
    app.connect("doctree-read", improve)
    app.connect("autodoc-process-signature", arrays)
    app.connect("autodoc-process-docstring", bars)
