"""One page of recommendations that follow from an audit's numbers, whomever they are against, and its tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from helm_structext.audit.choice import describe_choice
from helm_structext.audit.frauds import COPIES, FRAUDS
from helm_structext.audit.phrases import PHRASES
from helm_structext.audit.relations import RELATIONS
from helm_structext.audit.tables import (
    OWN,
    PRESET,
    SHOWN,
    Answers,
    audit_tables,
    find_measures,
    fraud_margins,
    harmless_loss,
    margin_of,
    mean_score,
    mistake_loss,
    noticed_share,
    unseen_share,
)
from helm_structext.audit.thresholds import LITTLE, MOSTLY, RIGHT, UNSEEN
from helm_structext.image2struct.scores import DISTANCES
from helm_structext.results.tabular import Table, format_cell, format_count, list_some
from helm_structext.scenes.mistakes import MISTAKES

DEFAULT = f"{PRESET}{OWN}"
"""What each format's rewards should take where nobody says otherwise."""
MAX_LISTED = 8
NAMED = "embedded: file of the picture"
"""What asks for the input by its name, and holds nothing of it."""


def write_page(
    answers: Answers, command: str, tables: Sequence[Table] = (), passport: str = ""
) -> str:
    """Returns the page in Markdown.

    Args:
        answers: that were measured, of at least one case.
        command: that measured them.
        tables: of the answers, if they were made already.
        passport: a line about where they were measured.
    """
    tables = tables or audit_tables(answers)
    parts = [
        "# What metrics see, and how they are fooled",
        f"`{command}`",
        *filter(None, [passport]),
        _counts(answers),
        "## What follows",
        "\n".join(f"- {one}" for one in recommendations(answers)),
        "## Numbers",
        *(table.markdown() for table in tables if table.printed),
    ]
    return "\n\n".join(parts) + "\n"


def _counts(answers: Answers) -> str:
    drawn = {one.case for one in answers if one.format in PHRASES}
    texts = {one.case for one in answers} - drawn
    roles = Counter(one.role for one in answers)
    failed = sum(bool(one.failures) for one in answers)
    undrawn = sum(bool(one.error) for one in answers)
    each = ", ".join(f"{number} {role}" for role, number in roles.items())
    return (
        f"{format_count(len(drawn), 'scene')} to be drawn, {len(texts)} to be written as text; {len(answers)} answers "
        f"({each}). {undrawn} were not drawn, which is 0 by all; on {failed} some metric failed, which is no score."
    )


def recommendations(answers: Answers) -> Iterator[str]:
    """Yields what follows from the numbers, a sentence or two each.

    Args:
        answers: of at least one case.
    """
    yield from describe_choice(answers)
    yield from _highest(answers)
    yield from _copied(answers)
    yield from _rearranged(answers)
    yield from _wrong_of_right(answers)
    yield from _fooled(answers)
    yield from _blind(answers)
    yield from _nervous(answers)
    yield from _unnoticed(answers)


def _wrong_of_right(answers: Answers) -> Iterator[str]:
    """Measures by which the reference's own code is not right."""
    low = [
        f"`{measure}` ({format_cell(score)})"
        for measure in find_measures(answers)
        if measure not in DISTANCES
        and (score := mean_score(answers, measure, "right", "right")) is not None
        and score < RIGHT
    ]
    if low:
        yield f"The right answer has less than {RIGHT} by: {', '.join(low)}."


def _highest(answers: Answers) -> Iterator[str]:
    """Which fraud is the highest of its scene, by each format's own preset, and how often."""
    often = Counter(one.fraud for one in fraud_margins(answers, DEFAULT))
    if often:
        names = [
            f"“{fraud}” ({format_count(number, 'scene')})" for fraud, number in often.most_common()
        ]
        yield f"The highest fraud by each format's own preset is: {list_some(names, MAX_LISTED)}."


def _copied(answers: Answers) -> Iterator[str]:
    """How often the input itself, whatever brought it there, has more than half, by each format's own preset."""
    if margins := fraud_margins(answers, DEFAULT, COPIES):
        above = Counter(one.fraud for one in margins if one.margin < 0)
        often = ", ".join(
            f"“{name}” in {format_count(number, 'scene')}" for name, number in above.most_common()
        )
        mean = format_cell(fmean(one.margin for one in margins), "+.3f")
        yield (
            f"A copy of the input has more than half-right by each format's own preset in {above.total()} of "
            f"{format_count(len(margins), 'scene')}{f' (the highest: {often})' * bool(often)}; half-right stands {mean} above the "
            "highest copy on average. Only what guards notice keeps the input out of code."
        )


def _rearranged(answers: Answers) -> Iterator[str]:
    """How often a scene of which everything is there has more than half of it, by each format's own preset."""
    told = []
    for name in RELATIONS:
        if margins := fraud_margins(answers, DEFAULT, {name}):
            above = sum(one.margin < 0 for one in margins)
            mean = format_cell(fmean(one.margin for one in margins), "+.3f")
            told.append(f"“{name}” in {above} of {format_count(len(margins), 'scene')} ({mean})")
    if told:
        yield (
            "Where all is drawn and something belongs nowhere, an answer has more than half-right by each format's own "
            f"preset so often (half-right less its score, mean): {', '.join(told)}."
        )


def _fooled(answers: Answers) -> Iterator[str]:
    """Measures by which some fraud has more than an honest half-right answer, on average."""
    fooled = []
    for measure in find_measures(answers):
        margin = margin_of(answers, measure)
        if margin is not None and margin.value < 0:
            often = Counter(one.fraud for one in fraud_margins(answers, measure) if one.margin < 0)
            fraud, _ = often.most_common(1)[0]
            fooled.append(
                (margin.value, f"`{measure}` ({format_cell(margin.value, '+.3f')}, “{fraud}”)")
            )
    if fooled:
        names = ", ".join(said for _, said in sorted(fooled))
        yield f"By these a fraud has more than half-right on average, so none should be a reward alone: {names}."


def _blind(answers: Answers) -> Iterator[str]:
    """Mistakes that whole metrics and presets do not see; of components that is no wonder."""
    for kind in MISTAKES:
        blind = [
            f"`{measure}` ({share:.0%})"
            for measure in SHOWN
            if (share := unseen_share(answers, measure, kind)) is not None and share > MOSTLY
        ]
        if blind:
            yield f"“{kind}” mostly leaves more than {UNSEEN} by: {', '.join(blind)}."


def _nervous(answers: Answers) -> Iterator[str]:
    nervous = []
    for measure in find_measures(answers):
        harmless, wrong = harmless_loss(answers, measure), mistake_loss(answers, measure)
        if harmless is not None and wrong is not None and harmless > max(wrong, LITTLE):
            nervous.append(f"`{measure}` ({format_cell(harmless)} and {format_cell(wrong)})")
    if nervous:
        yield f"Harmless changes cost more than one mistake by: {', '.join(nervous)}."


def _unnoticed(answers: Answers) -> Iterator[str]:
    """Frauds that pass all guards mostly, the highest by each format's own preset first."""
    passing = []
    for name in FRAUDS:
        these = [one for one in answers if (one.role, one.name) == ("fraud", name)]
        score = mean_score(these, DEFAULT, "fraud", name)
        passed = (
            fmean(not one.guards_by_layout and not one.error for one in these) if these else 0.0
        )
        if score is not None and passed > MOSTLY and name not in {*COPIES, *RELATIONS}:
            passing.append((-score, f"“{name}” ({passed:.0%} pass, {format_cell(score)})"))
    if passing:
        names = list_some([said for _, said in sorted(passing)], MAX_LISTED)
        yield f"No guard notices, with their mean by each format's own preset: {names}."
    embedded = [name for name in FRAUDS if name.startswith("embedded") and name != NAMED]
    shares = {name: noticed_share(answers, name, "embedded") for name in embedded}
    if missed := [f"“{name}” ({share:.0%})" for name, share in shares.items() if share < 1]:
        yield f"The guard `embedded` does not notice every picture in code; share noticed: {', '.join(missed)}."
