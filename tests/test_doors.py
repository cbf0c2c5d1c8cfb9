"""The doors of the library: which module imports which, and how many a run goes through."""

import ast
import json
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PACKAGE = Path(__file__).parents[1] / "abacoc"
CORE = ("cover", "base", "auto", "budget", "ballset", "readings", "metrics", "search", "checks")
ABOVE = ("streams", "grid", "commands", "baselines", "adapters")

ALGORITHMS = ("cover", "base", "auto", "budget")
BENEATH = ("ballset", "checks", "explain", "metrics", "modelfile", "readings", "search", "wording")

MOST_MODULES = 43  # of `abacoc run generated:sea`: 14 of the engine, 14 of the core, 15 others
# Statements per module, those of the standard library as well: what deals with signals, claims and
# broken connections needs many of these. A merger of two modules raises the mean; so does the door
# for data of any kind, whose readers and commands import what they need when they need it.
MOST_IMPORTS = 8.25


def name_of(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules():
    """The tree of each module, by name."""
    return {name_of(path): ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}


def is_for_types(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def statements(tree):
    """The import statements that are run, in functions as well, but for what is no module."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield node
        elif isinstance(node, ast.ImportFrom):
            if node.module != "__future__":
                yield node
        elif is_for_types(node):
            for other in node.orelse:
                yield from statements(other)
        else:
            yield from statements(node)


def imported(tree):
    """The modules that these statements and the calls of `import_module` with a text name."""
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            continue
        assert node.module is not None  # no relative imports
        assert node.level == 0
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in modules() else node.module
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield from texts(node.args[0])


def texts(node):
    """What a text begins with, be it a formatted one or one of two."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield from texts(node.values[0])
    elif isinstance(node, ast.IfExp):
        yield from (*texts(node.body), *texts(node.orelse))


def importers(of, among=("abacoc",)):
    """The modules, beginning with one of `among`, that import something beginning with `of`."""
    return {
        name
        for name, tree in modules().items()
        if within(name, among) and any(within(other, of) for other in imported(tree))
    }


def within(name, packages):
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def under_abacoc(names):
    return tuple(f"abacoc.{name}" for name in names)


def test_a_run_goes_through_few_modules():
    """Each command and each kind of stream imports what it needs and no more."""
    script = (
        "import sys; from abacoc.cli import main; main(sys.argv[1:]); "
        "print(*[name for name in sys.modules if name.split('.')[0] == 'abacoc'])"
    )
    command = [sys.executable, "-c", script, "run", "generated:sea,n=100"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    names = done.stdout.splitlines()[-1].split()
    assert "abacoc.streams.generators" in names
    assert len(names) <= MOST_MODULES, sorted(names)


@pytest.mark.parametrize(
    ("stream", "without"),
    [
        ("generated:sea,n=9", ("readers", "source", "registry", "datasets", "download")),
        ("a.csv", ("arff", "libsvm", "generators", "registry", "datasets", "download")),
        ("a.libsvm", ("arff", "csvfile", "generators", "registry")),
        ("a.arff", ("csvfile", "libsvm", "generators", "registry")),
        ("banana", ("arff", "csvfile", "generators")),
    ],
)
def test_a_stream_imports_its_own_reader_only(stream, without, tmp_path):
    (tmp_path / "a.csv").write_text("1,2,a\n2,1,b\n")
    (tmp_path / "a.libsvm").write_text("a 1:1 2:2\nb 1:2\n")
    (tmp_path / "a.arff").write_text(
        "@relation r\n@attribute x numeric\n@attribute y {a,b}\n@data\n1,a\n2,b\n"
    )
    script = (
        "import sys; from abacoc.streams import open_stream\n"
        "try: open_stream(sys.argv[1])\n"
        "except ValueError as error: assert 'not on this machine' in str(error), error\n"
        "print(*[name for name in sys.modules if name.startswith('abacoc.') or name == 'requests'])"
    )
    path = str(tmp_path / stream) if "." in stream else stream
    command = [sys.executable, "-c", script, path]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    names = done.stdout.split()
    spared = under_abacoc(f"streams.{module}" for module in without)
    assert not [name for name in names if within(name, spared)]
    assert "requests" not in names


def test_modules_import_little():
    counts = {name: len(list(statements(tree))) for name, tree in modules().items()}
    worst = sorted(counts, key=counts.__getitem__)[-5:]
    assert sum(counts.values()) / len(counts) <= MOST_IMPORTS, worst


def test_the_library_knows_neither_theory_nor_paper():
    """The commands that hand over to them are doors; all else would be a cycle of the rooms."""
    doors = {f"abacoc.commands.{name}" for name in ("verify", "regret", "paper")}
    assert importers(("theory", "abacoc_theory", "paper")) <= doors


def test_streams_know_no_learner():
    rooms = under_abacoc(("engine", "grid", "commands", "adapters", "baselines"))
    assert importers(rooms, among=("abacoc.streams",)) == set()


def test_the_core_knows_nothing_above_it():
    assert importers(under_abacoc(ABOVE), among=under_abacoc(CORE)) == set()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_algorithms_import_numpy_and_each_other(name):
    found = {module.removeprefix("abacoc.") for module in imported(modules()[f"abacoc.{name}"])}
    known = {"abacoc", "numpy", "numpy.typing", *ALGORITHMS, *BENEATH}
    assert not {module for module in found - known if module.split(".")[0] in modules()}
    assert found - sys.stdlib_module_names - {"collections.abc"} <= known


@pytest.mark.parametrize("name", [*ALGORITHMS, *BENEATH])
def test_the_reference_does_not_know_the_engine(name):
    assert "abacoc.engine" not in (PACKAGE / f"{name}.py").read_text("utf-8")  # nor as a text


def test_the_reference_runs_without_the_engine():
    program = "import sys, abacoc.auto, abacoc.base; sys.exit('abacoc.engine' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_no_module_imports_itself_by_others():
    """Not even inside a function, where Python would not mind."""
    graph = {
        name: {other for other in imported(tree) if other in modules() and other != name}
        for name, tree in modules().items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_what_is_imported_is_declared():
    """By an extra of its own: what comes through another package may go with it."""
    declared = {
        canonicalize_name(Requirement(line).name)
        for line in metadata.requires("abacoc") or []
        if Requirement(line).name != "abacoc"
    }
    homes = metadata.packages_distributions()
    root = PACKAGE.parent
    trees = [ast.parse(path.read_text("utf-8")) for path in [*PACKAGE.rglob("*.py")]]
    for folder in ("theory", "notebooks/paper", "tests", "docs", ".ci"):
        trees += [ast.parse(path.read_text("utf-8")) for path in (root / folder).rglob("*.py")]
    for path in (root / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        trees += [ast.parse(source) for source in code]
    names = {module.split(".")[0] for tree in trees for module in every_import(tree)}
    scripts = [p for of in ("tests", "docs", "theory/coq") for p in (root / of).rglob("*.py")]
    local = {path.stem for path in scripts} | {"abacoc", "abacoc_theory"}
    foreign = names - sys.stdlib_module_names - local - {"theory", "paper", "moa", "java"}
    lacking = {name for name in foreign if not declared & {*map(canonicalize_name, homes[name])}}
    assert lacking == set()


def every_import(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module
