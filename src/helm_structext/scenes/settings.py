"""What a set of scenes is made by: which kinds, formats, languages and levels, how many, from which seed."""

import json
import shlex
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

from helm_structext.errors import SetupError
from helm_structext.formats import FORMATS
from helm_structext.scenes.kinds import KINDS
from helm_structext.scenes.scene import LANGUAGES, LEVELS, Level
from helm_structext.texts import quote_value

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class SetSettings:
    """What decides all of a set but its pictures.

    Args:
        kinds: keys of `helm_structext.scenes.kinds.KINDS`.
        formats: keys of `helm_structext.formats.FORMATS`, some of which write each kind.
        count: scenes of each kind, from 1 on.
        seed: another one gives other scenes.
        languages: keys of `helm_structext.scenes.scene.LANGUAGES`.
        levels: of `helm_structext.scenes.scene.LEVELS`.
        parallel: whether each scene is written in all formats that can say it, or in one, drawn by lot.
        proof: whether pictures are checked.
    """

    kinds: tuple[str, ...]
    formats: tuple[str, ...]
    count: int
    seed: int
    languages: tuple[str, ...]
    levels: tuple[Level, ...]
    parallel: bool
    proof: bool

    @cached_property
    def command(self) -> str:
        """The command that makes the set, but for its folder."""
        words = ["--kind", *self.kinds, "--formats", *self.formats]
        words += ["--count", str(self.count), "--seed", str(self.seed)]
        if len(self.languages) < len(LANGUAGES):
            words += ["--language", *self.languages]
        if len(self.levels) < len(LEVELS):
            words += ["--level", *self.levels]
        words += ["--parallel"] * self.parallel + ["--no-proof"] * (not self.proof)
        return shlex.join(["helm-structext", "generate", "image2struct", *words])

    def document(self) -> dict[str, object]:
        """Returns the settings as JSON has them."""
        found: dict[str, object] = json.loads(json.dumps(asdict(self)))
        return found


def choose_settings(
    *,
    count: int,
    seed: int,
    kinds: Iterable[str] = (ALL,),
    formats: Iterable[str] = (ALL,),
    languages: Iterable[str] = (ALL,),
    levels: Iterable[str] = (ALL,),
    parallel: bool = False,
    proof: bool = True,
) -> SetSettings:
    """Returns the settings of a set, with names in the order of their tables.

    Args:
        count: see `SetSettings`; so are the others.
        kinds: names, or ``all``: those that the formats can write; so are `formats`, `languages` and
            `levels`.

    Raises:
        SetupError: a name is unknown, there is nothing to make, or kinds and formats don't go
            together. The message says what there is.
    """
    if count < 1:
        raise SetupError(f"the set would have {count} scenes; expected 1 or more")
    kinds, formats = list(kinds), list(formats)
    asked = _choose("kind", kinds, KINDS)
    written = {name: list(KINDS[name].writers) for name in asked}
    all_formats = {format for names in written.values() for format in names}
    wanted = _choose("format", formats, FORMATS, [name for name in FORMATS if name in all_formats])
    if ALL in kinds:
        asked = [name for name in asked if {*written[name]} & {*wanted}]
    idle = [name for name in wanted if name not in all_formats]
    idle += [name for name in asked if not {*written[name]} & {*wanted}]
    if idle:
        pairs = "; ".join(f"{name}: {', '.join(known)}" for name, known in written.items())
        raise SetupError(f"nothing goes together with {', '.join(idle)}; there is {pairs}")
    return SetSettings(
        kinds=tuple(asked),
        formats=tuple(wanted),
        count=count,
        seed=seed,
        languages=tuple(_choose("language", languages, LANGUAGES)),
        levels=tuple(level for level in LEVELS if level in _choose("level", levels, LEVELS)),
        parallel=parallel,
        proof=proof,
    )


def _choose(
    what: str, names: Iterable[str], known: Collection[str], all_of_them: Sequence[str] = ()
) -> list[str]:
    """Returns names in the order of a table."""
    names = list(names)
    wrong = next((name for name in names if name not in (ALL, *known)), None)
    if wrong is not None or not names:
        said = "none is named" if wrong is None else f"{quote_value(wrong)} is none"
        raise SetupError(f"{what}: {said}; there are {', '.join(known)}, and {ALL}")
    return list(all_of_them or known) if ALL in names else [one for one in known if one in names]
