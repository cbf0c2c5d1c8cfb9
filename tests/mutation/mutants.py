"""Small changes to a module, one at a time: what a slip of the pen would do.

A mutant is the syntax tree of the module with one node changed. Docstrings, annotations, decorators
and the texts of error messages are left alone: no answer depends on them.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

# At the border; the other way round is what a negated condition does.
COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
}


@dataclass(frozen=True)
class Mutant:
    """One change: ``name`` tells it, and stays the same when lines are added elsewhere."""

    name: str
    line: int
    tree: ast.Module


def mutants(source: str) -> list[Mutant]:
    """All mutants of a module.

    >>> for mutant in mutants("def f(x):\\n    return x < 1"):
    ...     print(mutant.name)
    f: return x < 1 -> return None
    f: return x < 1 -> return x <= 1
    f: return x < 1 -> return x < 2
    """
    tree = ast.parse(source)
    found: list[Mutant] = []
    seen: dict[str, int] = {}
    for where, path in _statements(tree, (), ()):
        statement = _at(tree, path)
        for place, change in _changes(statement):
            changed = copy.deepcopy(tree)
            _put(changed, path + place, change)
            new = _at(changed, path)
            name = f"{'.'.join(where)}: {_head(statement)} -> {_head(new)}"
            seen[name] = seen.get(name, 0) + 1
            if seen[name] > 1:  # the same line twice in one function
                name += f" ({seen[name]})"
            found.append(Mutant(name, statement.lineno, ast.fix_missing_locations(changed)))
    return found


Path = tuple[tuple[str, int | None], ...]


def _statements(node: ast.AST, where: tuple[str, ...], path: Path) -> Iterator[tuple]:
    """Every statement with the names of what it stands in, and the way to it."""
    for field in ("body", "orelse", "handlers"):
        children = getattr(node, field, [])
        for i, child in enumerate(children if isinstance(children, list) else []):
            inner = where
            if isinstance(child, ast.ClassDef | ast.FunctionDef):
                inner = (*where, child.name)
            if not _is_idle(child):
                yield inner, (*path, (field, i))
            yield from _statements(child, inner, (*path, (field, i)))


def _is_idle(statement: ast.AST) -> bool:
    """Imports, docstrings, the ellipsis of a protocol: nothing that could go wrong."""
    if isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass | ast.ExceptHandler):
        return True
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _changes(statement: ast.stmt) -> Iterator[tuple[Path, ast.AST]]:
    """The ways to change a statement itself, without the statements inside it."""
    if isinstance(statement, ast.Return) and statement.value is not None:
        if not (isinstance(statement.value, ast.Constant) and statement.value.value is None):
            yield (("value", None),), ast.Constant(None)
    elif isinstance(statement, ast.Expr | ast.Assign | ast.AugAssign | ast.Raise):
        yield (), ast.Pass()
    if isinstance(statement, ast.Raise):
        return  # the rest of it is the message
    if isinstance(statement, ast.If | ast.While):
        test = statement.test
        yield (("test", None),), ast.UnaryOp(ast.Not(), test)
    yield from _inside(statement, ())


def _inside(node: ast.AST, path: Path) -> Iterator[tuple[Path, ast.AST]]:
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "handlers", "bases", "decorator_list"):
            continue
        if field in ("body", "orelse") and isinstance(value, list):
            continue  # statements have their turn
        children = value if isinstance(value, list) else [value]
        for i, child in enumerate(children):
            if not isinstance(child, ast.expr | ast.arguments | ast.keyword | ast.comprehension):
                continue
            here = (*path, (field, i if isinstance(value, list) else None))
            if not _is_none_test(node):
                for change in _variants(child):
                    yield here, change
            yield from _inside(child, here)


def _is_none_test(node: ast.AST) -> bool:
    """``x is None``: another constant in its place is no Python."""
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot)


def _variants(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of an expression."""
    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                changed = copy.deepcopy(node)
                changed.ops[i] = COMPARISONS[type(op)]()
                yield changed
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            changed = copy.deepcopy(node)
            changed.op = ARITHMETIC[type(node.op)]()
            yield changed
        case ast.BoolOp():
            changed = copy.deepcopy(node)
            changed.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield changed
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node.operand
        case ast.IfExp():
            yield node.body
            yield node.orelse
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield ast.Constant(node.value + 1)
        case ast.Constant(value=str()):
            yield ast.Constant(node.value + "?")
        case ast.Constant(value=None):
            yield ast.Constant(0)


def _at(node: ast.AST, path: Path) -> ast.AST:
    for field, i in path:
        value = getattr(node, field)
        node = value if i is None else value[i]
    return node


def _put(tree: ast.Module, path: Path, new: ast.AST) -> None:
    parent = _at(tree, path[:-1])
    field, i = path[-1]
    if i is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[i] = new


def _head(statement: ast.AST) -> str:
    """The first line of a statement, without what is inside it."""
    if isinstance(statement, ast.FunctionDef):
        return f"def {statement.name}({ast.unparse(statement.args)})"
    lines = [line for line in ast.unparse(statement).splitlines() if not line.startswith("@")]
    return lines[0]
