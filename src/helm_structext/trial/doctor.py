"""`helm-structext doctor`: what this machine has, and how to get the rest."""

import platform
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, entry_points, requires, version
from pathlib import Path

from packaging.requirements import Requirement

from helm_structext.errors import RenderError, SetupError
from helm_structext.extras import PROJECT, extras_of, how_to_install
from helm_structext.image2struct.scores import NEURAL_METRICS
from helm_structext.machine.fonts import FAMILIES, font_file, missing_families
from helm_structext.machine.packages import advice, current_system, install_line
from helm_structext.machine.programs import VARIABLES, find_overridden, find_program
from helm_structext.metrics.weights import WeightsMissing, sheet_classifier_path
from helm_structext.mmr.generate.fonts import FONTS
from helm_structext.renderers import programs, render
from helm_structext.renderers.tex_files import MORE_TEX_FILES, TEX_FILES, missing_tex_files
from helm_structext.renderers.typst_packages import (
    explain_missing,
    installed_packages,
    listed_packages,
    packages_folder,
)
from helm_structext.renderers.web.javascript import js_folder, node
from helm_structext.sandbox.cgroup import parent_group
from helm_structext.sandbox.container import describe_container
from helm_structext.sandbox.isolation import current_isolation, describe

OTHER_PROGRAMS = {"the OCR model": {"tesseract": "tesseract-ocr"}}
TEST_PROGRAMS = {"the viewer's tests": {"chromium": "chromium", "chromedriver": "chromium-driver"}}
FONTCONFIG = "fontconfig"
VERSION_OPTIONS = {"pdftoppm": "-v"}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for; `detail` is its version, or how to get it.

    Without what is `optional` everything runs but what its name or detail says. What is missing comes with the Debian
    packages that have it, or by the command that brings it.
    """

    name: str
    found: bool
    detail: str
    optional: bool = False
    packages: tuple[str, ...] = ()
    command: str = ""


def examine() -> Iterator[Finding]:
    """Yields what was found and what is missing, most basic first."""
    yield Finding("python", sys.version_info >= (3, 11), sys.version.split()[0])
    system = current_system()
    machine = platform.machine()
    tried = system.tried and machine == "x86_64"
    untried = "" if tried else " (not tried: tests were run on Debian 12 and 13, x86_64)"
    yield Finding("system", tried, f"{system.name}, {machine}{untried}", optional=True)
    yield from _packages()
    if _find_installed("crfm-helm"):
        yield _check("HELM plugin", _load_plugin)

    sandbox = _check("sandbox", lambda: describe(current_isolation()))
    yield sandbox
    yield Finding("container", True, describe_container())
    group = parent_group()
    how = "none: start by `systemd-run --user --scope -p Delegate=yes` for one more bound on memory"
    yield Finding("control group", group is not None, str(group or how), optional=True)
    needs: dict[str, tuple[str, list[str]]] = {}
    for user, needed in {**programs(), **OTHER_PROGRAMS, **TEST_PROGRAMS}.items():
        for program, package in needed.items():
            needs.setdefault(program, (package, []))[1].append(user)
    for program, (package, users) in needs.items():
        optional = set(users) <= TEST_PROGRAMS.keys()
        # Where there is another sandbox, everything runs without this one.
        optional |= program == "bwrap" and sandbox.found
        yield _program(program, package, users, optional)
    yield from _fonts()
    yield from _tex_files()
    # Node.js is of an extra.
    compiles = _check("Node.js", lambda: str(node()), optional=True)
    yield compiles
    packages = _check("JavaScript packages", lambda: str(js_folder()), not compiles.found)
    yield replace(packages, command=f"{PROJECT} setup")
    if _find_installed("typst"):
        yield _typst_packages()
    yield _check("LaTeX in the sandbox", _render_formula)
    yield _check("browser in the sandbox", _render_page)
    yield _check("React in the sandbox", _render_component, not compiles.found)
    for name, (_, file) in NEURAL_METRICS.items():
        yield _weights(name, file.path, str(WeightsMissing(file)))
    how = "helm-structext collect train-classifier (a second opinion when music is collected)"
    yield _weights("the classifier of sheet music", sheet_classifier_path(), how)


def _typst_packages() -> Finding:
    there = {f"{package.name}:{package.version}" for package in installed_packages()}
    lost = [spec for spec in listed_packages() if spec not in there]
    detail = f"{len(there)} in {packages_folder()}. " + (explain_missing(lost) if lost else "")
    return Finding("Typst packages", not lost, detail.strip(), optional=True)


def _weights(name: str, path: Path, how: str) -> Finding:
    found = path.is_file()
    return Finding(f"weights of {name}", found, str(path) if found else how, optional=True)


def _packages() -> Iterator[Finding]:
    """Looks for each package that the metadata of this one requires on this machine, or an extra brings."""
    try:
        texts = requires(PROJECT) or []
    except PackageNotFoundError:
        yield Finding(PROJECT, False, f"pip install {PROJECT}")
        return
    optional = {}
    for requirement in map(Requirement, texts):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield _package(requirement, f"pip install {_quote(requirement)}")
        elif extras_of(requirement.name):
            optional[requirement.name] = requirement
    for name, requirement in optional.items():
        yield _package(requirement, how_to_install(name), optional=True)


def _package(requirement: Requirement, how: str, optional: bool = False) -> Finding:
    name = requirement.name
    found = _find_installed(name)
    if found is None:
        return Finding(name, False, how, optional, command=how)
    if not requirement.specifier.contains(found, prereleases=True):
        return Finding(name, False, f"{found} does not fit: {how}", optional, command=how)
    return Finding(name, True, found, optional)


def _find_installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _quote(requirement: Requirement) -> str:
    return shlex.quote(f"{requirement.name}{requirement.specifier}")


def _program(name: str, package: str, users: list[str], optional: bool) -> Finding:
    try:
        path = find_program(name)
    except SetupError as error:
        return Finding(name, False, str(error), optional)
    if path is None:
        detail = f"{advice(package)} (for {', '.join(users)})"
        return Finding(name, False, detail, optional, (package,))
    said = subprocess.run(
        [path, VERSION_OPTIONS.get(name, "--version")], capture_output=True, text=True, check=False
    )
    first_line = (said.stdout or said.stderr).strip().partition("\n")[0]
    named = f", by {VARIABLES[name]}" if name in find_overridden() else ""
    return Finding(name, True, f"{first_line} ({path}{named})", optional)


def _fonts() -> Iterator[Finding]:
    """Looks for the fonts of pages, scores and plots, and of MMR's generated pictures."""
    try:
        missing = {family: FAMILIES[family] for family in missing_families()}
        missing |= {name: package for name, (package, _) in FONTS.items() if not font_file(name)}
    except SetupError:
        packages = (FONTCONFIG, *FAMILIES.values(), *(package for package, _ in FONTS.values()))
        yield Finding("fonts", False, f"{advice(FONTCONFIG)} (to find them)", packages=packages)
        return
    for name, package in missing.items():
        yield Finding(f"font {name}", False, advice(package), packages=(package,))
    if not missing:
        yield Finding("fonts", True, f"{len(FAMILIES)} families, {len(FONTS)} files")


def _tex_files() -> Iterator[Finding]:
    """Looks for what LaTeX loads in the benchmarks' preamble, and in usual answers."""
    missing = missing_tex_files()
    if missing is None:
        packages = tuple(dict.fromkeys(TEX_FILES.values()))
        yield Finding("TeX packages", False, "pdflatex comes first", packages=packages)
        return
    for name in missing:
        package = TEX_FILES[name]
        yield Finding(f"TeX's {name}", False, advice(package), packages=(package,))
    if not missing:
        yield Finding("TeX packages", True, f"{len(TEX_FILES)} files of them")
    for name in missing_tex_files(MORE_TEX_FILES) or ():
        package = MORE_TEX_FILES[name]
        yield Finding(f"TeX's {name}", False, advice(package), optional=True, packages=(package,))


def remedy(findings: Iterable[Finding]) -> str:
    """Returns one line that brings all that is missing and not optional, or nothing.

    >>> lost = Finding("tables", False, "…", command="pip install tables")
    >>> remedy([lost, lost, Finding("js", False, "…", command="helm-structext setup")])
    'pip install tables && helm-structext setup'
    """
    missing = [finding for finding in findings if not (finding.found or finding.optional)]
    packages = {package for finding in missing for package in finding.packages}
    lines = [install_line(packages), *(finding.command for finding in missing)]
    return " && ".join(dict.fromkeys(filter(None, lines)))


def _check(name: str, check: Callable[[], str], optional: bool = False) -> Finding:
    try:
        return Finding(name, True, check(), optional)
    except (SetupError, RenderError, ImportError) as error:
        return Finding(name, False, str(error), optional)


def _load_plugin() -> str:
    # HELM only warns of a plugin that fails, and then knows none of its run entries.
    plugins = entry_points(group="helm", name="structext")
    if not plugins:
        raise SetupError("helm-structext is not installed: pip install helm-structext")
    for plugin in plugins:
        plugin.load()
    return plugins["structext"].value


def _render_formula() -> str:
    return f"a formula in {render('latex', '$x^2$').seconds:.2f} s"


def _render_page() -> str:
    return f"a page in {render('html', '<p>HTML</p>').seconds:.2f} s"


def _render_component() -> str:
    code = "export default () => <p>React</p>"
    return f"a component in {render('react', code).seconds:.2f} s"
