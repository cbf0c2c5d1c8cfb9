"""ARFF files, the format of Weka and MOA; the label is the last attribute."""

from __future__ import annotations

import re
from collections import Counter

from abacoc.streams.cells import RowSyntax, fault, quoted, too_long
from abacoc.streams.columns import ColumnSpec
from abacoc.streams.form import Form
from abacoc.streams.source import LineReader
from abacoc.streams.table import TableRows

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?P<name>'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[^\s'"{][^\s{]*+)\s*(?P<type>.*)""",
    re.IGNORECASE,
)
# Quoted values may hold the brace and the percent sign that would end the list.
_VALUES = re.compile(r"""\{((?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[^'"}])*+)\}\s*(?:%.*)?""")
_NUMERIC = ("numeric", "real", "integer")


def without_comment(line: str) -> str:
    """The line, or nothing if it is a comment."""
    return "" if line.lstrip().startswith("%") else line


def read(lines: LineReader, form: Form) -> tuple[TableRows, str]:
    """The rows of an ARFF file, to be taken from the lines, and a word on how it was understood."""
    form.refuse_given(lines.source, "header", "delimiter", "decimal")
    specs = _header(lines)
    if len(specs) > lines.limits.columns:
        reason = f"more attributes than {lines.limits.said('columns')}"
        raise fault(lines.source, reason, column=lines.limits.columns + 1)
    if len(specs) < 2:
        raise fault(lines.source, "fewer than two attributes: one and the label are needed")
    lines.begin_rows()
    first = lines.peek(1)
    if not first:
        raise fault(lines.source, "a header and no data")
    # Commas by the standard; Weka takes blanks as well.
    syntax = RowSyntax("," if "," in first.texts[0] else None, backslash=True)
    return TableRows(lines, syntax, specs, form), "ARFF"


def _header(lines: LineReader) -> list[ColumnSpec]:
    """The attributes; the lines are taken up to and with @data."""
    specs: list[ColumnSpec] = []
    while line := lines.take(1):
        text = line.texts[0]
        words = text.split(maxsplit=1)
        keyword = words[0].lower()
        try:
            if keyword == "@data":
                return specs
            if keyword == "@attribute":
                spec = _attribute(text.strip())
                cells = [spec.name, *(spec.declared or ())]
                if len(text) > lines.limits.cell < max(map(len, cells)):
                    raise ValueError(too_long(lines.limits))
                specs.append(spec)
            elif keyword != "@relation":
                raise ValueError(f"{quoted(words[0])} where @attribute or @data is expected")
        except ValueError as error:
            column = len(specs) + 1 if keyword == "@attribute" else None
            raise fault(lines.source, str(error), line=line.numbers[0], column=column) from None
    raise fault(lines.source, "no @data line")


def _attribute(text: str) -> ColumnSpec:
    match = _ATTRIBUTE.fullmatch(text)
    if match is None:
        raise ValueError("an attribute without a name, or with a quote that is not closed")
    name = match["name"]
    if name[0] in "'\"":
        name = re.sub(r"\\(.)", r"\1", name[1:-1])
    kind = match["type"].strip()
    if kind.startswith("{"):
        return ColumnSpec(name, "category", _nominal_values(kind))
    kind = kind.split("%")[0].strip()
    if kind.lower() in _NUMERIC:
        return ColumnSpec(name, "number")
    if not kind:
        raise ValueError(f"attribute {quoted(name)} has no type")
    raise ValueError(
        f"attribute {quoted(name)} is of type {quoted(kind)}: only numeric and nominal"
        " attributes are supported"
    )


def _nominal_values(text: str) -> tuple[str, ...]:
    match = _VALUES.fullmatch(text)
    if match is None:
        raise ValueError("a list of values, or a quote in it, that is not closed")
    values = [value.strip() for value in RowSyntax(",", backslash=True).split(match[1])]
    if "" in values:
        raise ValueError("an empty value in the list of values")
    value, times = Counter(values).most_common(1)[0]
    if times > 1:
        raise ValueError(f"value {quoted(value)} is declared twice")
    return tuple(values)
