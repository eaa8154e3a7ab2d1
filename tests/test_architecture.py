"""What may import what, read from the source: the layers of the package, and of its tests."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from structure import ARCHITECTURE, ITSELF, arrows_up, modules, structure, written_order
from support import ROOT, TESTS

PACKAGE = ROOT / "src" / "helm_structext"
BENCHMARKS = ("image2struct", "mmr", "structeval")
CORE = ("sandbox", "renderers", "metrics", "formats", "extraction", "protocols")
"""What is useful without HELM, and knows no benchmark."""

FILES = modules(PACKAGE)


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imported(nodes: Iterator[ast.AST]) -> dict[str, str]:
    """Names that import statements bind, and the dotted names of what they stand for."""
    names = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            names |= {
                alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names
            }
    return names


def modules_of(names: Iterator[str]) -> set[str]:
    """The modules of the package among dotted names; of other packages, the names themselves."""
    found = set()
    for name in names:
        if name.split(".")[0] == PACKAGE.name and name not in FILES:
            name = name.rpartition(".")[0]
        found.add(name)
    return found


@cache
def imports(module: str) -> frozenset[str]:
    """What a module imports, now or when one of its functions is called."""
    return frozenset(modules_of(imported(ast.walk(tree(FILES[module]))).values()))


def reached(module: str) -> dict[str, list[str]]:
    """All that a module brings with it, and the way there."""
    ways = {module: [module]}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        for other in sorted(imports(name) - ways.keys()) if name in FILES else ():
            ways[other] = [*ways[name], other]
            waiting.append(other)
    return ways


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def ways_into(module: str, packages: list[str]) -> list[str]:
    """Every way by which a module brings in one of some packages, as text."""
    return [
        " → ".join(way)
        for name, way in reached(module).items()
        if any(within(name, package) for package in packages)
    ]


@pytest.mark.parametrize("layer", CORE)
def test_the_core_knows_neither_helm_nor_a_benchmark(layer):
    modules = [name for name in FILES if within(name, f"{PACKAGE.name}.{layer}")]
    assert modules
    forbidden = ["helm", *(f"{PACKAGE.name}.{benchmark}" for benchmark in BENCHMARKS)]
    assert [way for module in modules for way in ways_into(module, forbidden)] == []


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_no_benchmark_knows_another(benchmark):
    modules = [name for name in FILES if within(name, f"{PACKAGE.name}.{benchmark}")]
    assert modules
    others = [f"{PACKAGE.name}.{other}" for other in BENCHMARKS if other != benchmark]
    assert [way for module in modules for way in ways_into(module, others)] == []


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_no_benchmark_imports_helm(benchmark):
    """`helm_structext.helm` is the door to it, with one scenario, annotator and metric for all."""
    modules = [name for name in FILES if within(name, f"{PACKAGE.name}.{benchmark}")]
    doors = ("helm", f"{PACKAGE.name}.helm")
    found = {(name, one) for name in modules for one in imports(name)}
    assert not {(name, one) for name, one in found if any(within(one, door) for door in doors)}


def test_no_modules_import_each_other_in_a_circle():
    """Imports inside of functions run later, and don't count here."""
    _, circles, _ = structure(PACKAGE)
    assert circles == []


ORDER = written_order(ARCHITECTURE.read_text(encoding="utf-8"))


def test_the_written_order_has_each_package_once():
    rooms, _, _ = structure(PACKAGE)
    assert sorted(ORDER) == sorted(rooms.keys() - {ITSELF})


def test_a_package_imports_only_what_stands_before_it():
    assert arrows_up(PACKAGE, ORDER) == []


def test_no_two_public_classes_share_a_name():
    """Nested and private ones may."""
    places: dict[str, list[str]] = {}
    for module, file in FILES.items():
        for node in tree(file).body:
            if isinstance(node, ast.ClassDef) and not is_private(node.name):
                places.setdefault(node.name, []).append(module)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
    words = (
        ARCHITECTURE.read_text("utf-8").partition("## Words of the code")[2].partition("\n## ")[0]
    )
    named = set(re.findall("`([A-Z][a-z][A-Za-z]+|[A-Z]{2,}[a-z][A-Za-z]+)`", words))
    assert len(named) > 30
    assert named <= places.keys()


PARTICIPLES = {
    *("metrics.element_pairs._left", "rewards.references.known"),
    # Named as their row of a table.
    *("extraction.rules.fenced", "extraction.rules.tagged"),
    *("image2struct.collect.filters.malformed", "image2struct.collect.github.disabled"),
    "image2struct.collect.music.scanned",
}
"""Functions that don't say what they do: no more of them."""

IRREGULAR = {
    *("built", "chosen", "drawn", "found", "given", "held", "hidden", "kept", "known", "left"),
    *("made", "said", "seen", "sent", "shown", "taken", "thrown", "told", "written"),
}

UNNAMED_YET = {"audit", "findings", "layouts", "rewards"}
"""Packages whose private functions may still be named by participles."""


def test_functions_say_what_they_do():
    """Context managers are named after what holds inside of them."""
    found = {
        f"{module}.{node.name}".removeprefix(f"{PACKAGE.name}.")
        for module, file in FILES.items()
        for node in tree(file).body
        if isinstance(node, ast.FunctionDef)
        and is_participle(node.name.removeprefix("_"))
        and not any("contextmanager" in ast.unparse(one) for one in node.decorator_list)
        and not (is_private(node.name) and module.split(".")[1] in UNNAMED_YET)
    }
    assert found - PARTICIPLES == set()


def is_participle(name: str) -> bool:
    return name in IRREGULAR or re.fullmatch("[a-z]+(ed|ing)", name) is not None


def test_only_the_terminal_prints():
    assert not {
        module
        for module in FILES
        for node in ast.walk(tree(FILES[module]))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) in ("print", "sys.stdout.write", "sys.stderr.write")
    }


def test_pillow_opens_files_in_one_place():
    """Inside the sandbox it may be anywhere."""
    openers = {
        module
        for module in FILES
        for node in ast.walk(tree(FILES[module]))
        if isinstance(node, ast.Attribute) and node.attr == "open" and "Image" in ast.dump(node)
    }
    assert openers == {f"{PACKAGE.name}.pictures"}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_uses(file: Path) -> Iterator[str]:
    """Yields the private names that a file takes from modules."""
    names = imported(ast.walk(tree(file)))
    for full in names.values():
        if any(is_private(part) for part in full.split(".")):
            yield full
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            owner = names.get(ast.unparse(node.value))
            if owner is not None:
                yield f"{owner}.{node.attr}"


@pytest.mark.parametrize("module", sorted(FILES))
def test_no_private_name_of_another_module_is_used(module):
    assert list(private_uses(FILES[module])) == []


def test_loading_the_plugin_brings_neither_torch_nor_matplotlib():
    code = (
        "import sys; from helm.benchmark.run import load_entry_point_plugins;"
        "before = set(sys.modules); load_entry_point_plugins();"
        "print(*sorted(set(sys.modules) - before))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    new = set(result.stdout.splitlines()[-1].split())
    assert f"{PACKAGE.name}.helm.plugin" in new
    heavy = {"torch", "torchvision", "matplotlib", "skimage", "selenium", "ot"}
    assert not {name.partition(".")[0] for name in new} & heavy
    assert not {name for name in new if within(name, f"{PACKAGE.name}.metrics")}
    assert not {name for name in new if within(name, f"{PACKAGE.name}.renderers")}


def test_the_command_line_loads_nothing_that_computes():
    """`--help`, and what completes commands in a shell, would wait for it."""
    code = f"import sys, {PACKAGE.name}.cli; print('numpy' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "False\n"


def test_rows_scores_results_rewards_and_their_server_need_no_helm():
    names = {
        *("tasks", "rows", "scores", "handling", "scorer", "run_metrics", "score_file", "results"),
        *("tables", "report", "rescore", "agreement", "run_entries", "run_specs", "benchmarks"),
    }
    modules = [
        module
        for module in FILES
        if any(within(module, f"{PACKAGE.name}.{one}") for one in ("results", "rewards", "serving"))
        or module.rpartition(".")[2] in names
    ]
    modules.remove(f"{PACKAGE.name}.serving.ray")  # for which Ray would have to be installed
    assert len(modules) > 20
    code = f"import sys, {', '.join(modules)}; print('helm' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "False\n"


# The tests

TEST_MODULES = sorted(TESTS.glob("**/test_*.py"))


@pytest.mark.parametrize("file", TEST_MODULES, ids=lambda file: str(file.relative_to(TESTS)))
def test_no_test_module_imports_another(file):
    """What several need stands in `support`, fixtures in conftest.py."""
    stems = {module.stem for module in TEST_MODULES}
    names = imported(ast.walk(tree(file))).values()
    assert not {part for name in names for part in name.split(".")} & {*stems, "tests", "conftest"}


BACKTRACKING = {
    "models.files": "the user's own configuration files",
    "baselines": "names that the user gives",
    "cli.setup": "paths of installed libraries",
    "mmr.generate.layout": "tables of ours",
    "mmr.generate.words": "texts of ours",
    "mmr.ocr": "questions of the data set, and what Tesseract reads of its pictures",
    "sandbox.bubblewrap": "what bubblewrap says of its version",
    "sandbox.limits": "what the kernel says of a process",
    "machine.packages": "our list of system packages",
}
"""Modules that may use `re`, and what they read with it."""


def modules_with(name: str) -> set[str]:
    """The modules that import a module of this name, in whatever way, now or later."""
    return {
        module.removeprefix(f"{PACKAGE.name}.")
        for module, file in FILES.items()
        for node in ast.walk(tree(file))
        if (isinstance(node, ast.Import) and name in [alias.name for alias in node.names])
        or (isinstance(node, ast.ImportFrom) and node.module == name)
        or (isinstance(node, ast.Constant) and node.value == name)
    }


def test_the_standard_library_s_expressions_never_see_what_a_model_influenced():
    assert modules_with("re") == set(BACKTRACKING)
    assert modules_with("re2") == {"patterns"}
    assert not modules_with("regex")
