"""The page docs/evidence.md: published numbers beside ours.

    python benchmarks/evidence.py [--evaluations FOLDER] [--runs FOLDER [--root FOLDER]] [--write]

Prints the page, or writes it with `--write`. The numbers come from tests/golden, the embedded samples and HELM's
installed code. Published evaluations of StructEval (a folder of their JSON files) and HELM's own Image2Struct runs
(a suite's folder) are scored again where they are named; else the page says that they were not.
"""

import argparse
import json
import sys
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from helm_structext import metrics
from helm_structext.benchmarks import run_of_entry
from helm_structext.image2struct import rescore as image2struct_rescore
from helm_structext.image2struct.tables import averages
from helm_structext.metrics import EmsSettings
from helm_structext.renderers.latex import STEPS, complete, content
from helm_structext.results.defects import defects_text
from helm_structext.results.statistics import mean_win_rates, rank_win_rates
from helm_structext.results.tabular import Cell, markdown
from helm_structext.scoring.rescoring import RescoringOptions
from helm_structext.scoring.scorer import Door
from helm_structext.structeval import rescore as structeval_rescore
from helm_structext.structeval.agreement import KEYWORDS, score_agreement
from helm_structext.structeval.evaluations import (
    SUBSET_SIZES,
    TASK_OF_CODES,
    ItemScore,
    example_means,
    overall_of_subsets,
)
from helm_structext.structeval.results import published_scores
from helm_structext.structeval.tables import HEADERS, TABLES
from helm_structext.structeval.tasks import SUBSETS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "evidence.md"
GOLDEN = ROOT / "tests" / "golden"

FEW_PATCHES = 12
"""Of the pictures of which HELM computes the earth mover similarity here and now; with 100 it takes minutes."""
EACH = 50
"""One text in so many goes to HELM's edit similarity, which takes seconds for some."""
BOUNDS = (1e-9, 1e-5, 1e-4, 1e-3)
"""What differences are said to be below: their last digits depend on the processor."""


def main() -> int:
    """Prints or writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--evaluations", type=Path, metavar="FOLDER", help="StructEval's JSON files"
    )
    parser.add_argument(
        "--runs", type=Path, metavar="FOLDER", help="a suite of HELM's Image2Struct"
    )
    parser.add_argument("--root", type=Path, default=Path(), help="the folder that HELM ran in")
    parser.add_argument("--write", action="store_true", help=f"to {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    sections = {**SECTIONS}
    if options.evaluations:
        sections["StructEval: evaluations"] = partial(evaluations, options.evaluations)
    if options.runs:
        sections["Image2Struct: HELM's runs"] = partial(runs, options.runs, options.root)
    page = "\n\n".join([INTRODUCTION, *map(section, sections, sections.values())]) + "\n"
    if options.write:
        PAGE.write_text(page, encoding="utf-8")
    else:
        sys.stdout.write(page)
    return 0


def section(title: str, make: Callable[[], str]) -> str:
    """Returns a section of the page."""
    paragraphs = (
        part if "\n" in part else textwrap.fill(part, 115, break_on_hyphens=False)
        for part in make().split("\n\n")
    )
    return "\n\n".join([f"## {title}", *paragraphs])


INTRODUCTION = """# Evidence

Published numbers beside ours. `benchmarks/evidence.py` makes this page, and a test compares it with what the
script computes. Where a difference is named, it is the largest one. Where numbers differ on purpose, the pages of
the benchmarks say why ([Image2Struct](benchmarks/image2struct.md#how-it-differs-from-the-published-code),
[MMR](benchmarks/mmr.md#how-it-differs-from-the-published-code),
[StructEval](benchmarks/structeval.md#how-it-differs-from-the-published-code)). The last section says what is not
shown."""


class Compared(NamedTuple):
    """A published number, and ours."""

    name: str
    published: float
    ours: float


def compared(numbers: Iterable[Compared], decimals: int, first: str = "Model") -> str:
    """Returns a table of numbers, and how far apart they are at most."""
    numbers = list(numbers)
    # + 0.0: of zeros, too, which would be printed as -0.
    apart = {one.name: round(one.ours - one.published, decimals) + 0.0 for one in numbers}
    rows = [
        [name, *(f"{value:.{decimals}f}" for value in (theirs, ours, apart[name]))]
        for name, theirs, ours in numbers
    ]
    far = max(apart, key=lambda name: abs(apart[name]))
    columns = np.array([(one.published, one.ours) for one in numbers]).T
    said = f"Largest difference: {abs(apart[far]):.{decimals}f}{f' ({far})' if apart[far] else ''}."
    if len(numbers) > 2:
        said += f" Correlation: {np.corrcoef(columns)[0, 1]:.4f}."
    return f"{said}\n\n{markdown([first, 'published', 'ours', 'difference'], rows)}"


def golden(name: str) -> Any:
    """Reads a file of published values; of JSON lines, a list."""
    text = (GOLDEN / name).read_text(encoding="utf-8")
    return (
        [json.loads(line) for line in text.splitlines()] if name.endswith("l") else json.loads(text)
    )


# StructEval


def table_6() -> str:
    """The averages of Table 6 from the tasks' scores in Tables 8 to 14."""
    tables = golden("structeval_tables.json")

    def subset(name: str, model: str) -> float:
        return fmean(
            value
            for number, tasks in TABLES[name].items()
            for value in tables[number][model][: len(tasks)]
        )

    found = [
        (model, printed, [subset(name, model) for name in SUBSETS])
        for model, printed in tables["6"].items()
    ]
    apart = max(
        abs(ours - theirs)
        for _, printed, subsets in found
        for theirs, ours in zip(printed, subsets, strict=False)
    )
    return (
        "The averages of Table 6, from the scores of the tasks in Tables 8 to 14: a subset is the unweighted mean of "
        "its tasks, the average that of the four subsets. No printed mean of a subset is more than "
        f"{apart:.3f} away. "
        + compared((Compared(m, printed[-1], fmean(subsets)) for m, printed, subsets in found), 2)
    )


def leaderboard() -> str:
    """The overall means of the leaderboard since 2026, from its means of subsets."""
    rows = golden("structeval_leaderboard.json")["rows"]
    return (
        "The overall mean over examples on the leaderboard of October 2026, from its means of the four subsets and "
        "their sizes. "
        + compared(
            (
                Compared(
                    row["name"],
                    row["overall"],
                    overall_of_subsets({name: row[name] for name in SUBSET_SIZES}, SUBSET_SIZES),
                )
                for row in rows
            ),
            2,
        )
    )


def run_of_october() -> str:
    """A published run by its scores: its means, and what is wrong in it."""
    run = golden("structeval_run.json")
    items = {
        id: ItemScore(TASK_OF_CODES[id[:4]], rendered, score)
        for id, (rendered, score) in run["scores"].items()
    }
    means = example_means(items.values())
    return (
        f"The published scores of {run['name']} ({run['evaluated_on']}, judged by {run['judge']}): "
        f"{len(items)} examples, all of pictures. Published are the means that the file states, ours are those of "
        "its scores. "
        + compared(
            (Compared(HEADERS[n], v, 100 * means[n]) for n, v in run["metrics"].items()), 2, "Mean"
        )
        + "\n\nNot all of these scores are the model's. `helm-structext rescore` prints this of the file, by the rules "
        "of [Results](results.md#scores-made-again):\n\n"
        + defects_text(structeval_rescore.checked_scores(items))
        + "\n\nSo Matplotlib and Typst were not drawn at all. Nearly all answers in Canvas, and in Vue from "
        "Markdown, have hardly more than the 0.30 of a blank page with all keywords. Four answers in Mermaid have "
        "more than the 0.10 of keywords without a picture. A rank by such means is partly one of the renderer."
    )


def two_judges() -> str:
    """The scores of the same answers by the two judges that were published."""
    run, other = golden("structeval_run.json"), golden("structeval_second_judge.json")
    items = {
        id: ItemScore(TASK_OF_CODES[id[:4]], rendered, score)
        for id, (rendered, score) in run["scores"].items()
    }
    second = {id: items[id]._replace(score=score) for id, score in other["scores"].items()}
    table = score_agreement(items, second, (run["judge"], other["judge"]))
    undrawn = [(items[id].score, second[id].score) for id in items if not items[id].syntax]
    credit = [sum(score > KEYWORDS for score in scores) for scores in zip(*undrawn, strict=True)]
    means = example_means(second.values())
    return (
        f"The same answers judged by {other['judge']}, too. Of both, verdicts are not published and scores are, so that "
        "only bounds are known: where one judge says yes more often, so many of its yeses are noes of the other. "
        + compared(
            (Compared(HEADERS[n], v, 100 * means[n]) for n, v in other["metrics"].items()),
            2,
            "Mean",
        )
        + f"\n\n{table.markdown()}\n\nOf {len(undrawn)} answers without a picture {credit[0]} have more than keywords can "
        f"give by {run['judge']}, and {credit[1]} by {other['judge']}: all in Mermaid."
    )


# Image2Struct


def table_2() -> str:
    """The win rates of Table 2 from its other columns, by three rules."""
    table = golden("image2struct_table2.json")
    printed = {model: row[0] for model, row in table["rows"].items()}

    def columns(order: Iterable[str]) -> dict[str, dict[str, float]]:
        order = list(order)
        return {
            name: {model: table["rows"][model][place] for model in order}
            for place, name in enumerate(table["columns"])
            if place
        }

    def same(rates: Mapping[str, float]) -> int:
        return sum(abs(rates[model] - rate) < 0.0005 + 1e-9 for model, rate in printed.items())

    ranks = rank_win_rates(columns(table["order of Table A4"]))
    return (
        "The mean win rates of Table 2, from its six other columns. By the rule behind them, each column is "
        "sorted, and who has rank r of n from below wins r / (n − 1); ties stay in the order of the rows, here of "
        f"Table A4. That gives {same(ranks)} of {len(printed)} printed values. Strict wins give "
        f"{same(mean_win_rates(columns(printed), 0))}, ties as half "
        f"{same(mean_win_rates(columns(printed)))}. `helm-structext tables` prints all three. "
        + compared((Compared(model, rate, ranks[model]) for model, rate in printed.items()), 3)
    )


def section_4_1() -> str:
    """The averages over models of the text, and the edit similarity of Appendix E."""
    paper = golden("image2struct_table2.json")
    places = {"LaTeX": 1, "webpages": 3, "music": 5}
    found = {
        domain: averages(
            *({m: row[at] for m, row in paper["rows"].items()} for at in (place, place + 1))
        )
        for domain, place in places.items()
    }
    means = ", ".join(f"{domain} {mean:.3f}" for domain, (mean, _) in found.items())
    steps = STEPS["published"]
    codes = [content(complete(code, steps).text, steps) for code in paper["Appendix E"]["codes"]]
    longer, both = max(map(len, codes)), sum(map(len, codes))
    edits = (1 - metrics.levenshtein_similarity(*codes)) * longer
    return (
        "The average EMS over models that section 4.1 prints is the mean of rendering success × EMS of Table 2, "
        f"which counts failures twice; the plain means are {means}. The edit similarity of the pair in Appendix E "
        "is 1 − d / (|a| + |b|) of the reduced codes. "
        + compared(
            [
                *(Compared(d, v, found[d][1]) for d, v in paper["section 4.1"].items()),
                Compared("Appendix E", paper["Appendix E"]["similarity"], 1 - edits / both),
            ],
            4,
            "Value",
        )
    )


# MMR


def table_1() -> str:
    """The totals of Table 1 from its columns, and the oracle's answers."""
    table = golden("mmr_table1.json")
    benchmark, run = run_of_entry("mmr:task=all,source=sample")
    scorer = benchmark.scorer(run.arguments, Door())
    asked = {one.key.id: one.oracle for one in scorer.inputs()}
    scores = [scorer.score(item, asked[key.id] or "").scores for key, item in scorer.find([*asked])]
    names = ("correct", "pnls_correct", "pnls_correct_published", "iou_correct")
    right = sum(all(one[name] == 1 for name in names if name in one) for one in scores)
    return (
        "The totals of Table 1, from its twelve columns of 50. Two printed totals are not the sum of their row. "
        + compared((Compared(m, row[-1], sum(row[:-1])) for m, row in table["rows"].items()), 0)
        + f"\n\nRight answers count as right: of the embedded sample, {right} of {len(scores)} of the oracle's."
    )


# The published code


def code_values() -> str:
    """Values of the published code beside ours."""
    rows: list[list[Cell]] = [
        [what, of, len(pairs), _bound(max(abs(ours - theirs) for theirs, ours in pairs))]
        for what, of, pairs in (
            *_recorded_pictures(),
            *_live_pictures(),
            *_recorded_texts(),
        )
    ]
    return (
        "The same inputs, given to the published code and to ours. Recorded values were computed with the published "
        "code once and lie in `tests/golden`; the others come from HELM's installed code as this page is made "
        f"(of the earth mover similarity with at most {FEW_PATCHES} patches; with HELM's gray of white "
        "rounded, which on some processors is not white).\n\n"
        + markdown(["Value", "Published code", "Values", "Largest difference"], rows)
    )


Pairs = list[tuple[float, float]]
OURS: Mapping[str, Callable[..., float]] = {
    "block_emd": metrics.block_emd,
    "earth_mover_similarity": metrics.earth_mover_similarity,
    "ssim_similarity": metrics.structural_similarity,
    "pixel_similarity_helm": metrics.pixel_similarity_published,
}
"""HELM's name, or that of its recorded value, to our metric."""


def _pictures() -> Iterator[tuple[dict[str, Any], Image.Image, Image.Image]]:
    for row in golden("image_metrics.json"):
        first, second = (
            Image.open(GOLDEN / "images" / row[side]) for side in ("prediction", "reference")
        )
        yield row, first, second


def _recorded_pictures() -> Iterator[tuple[str, str, Pairs]]:
    found: dict[str, Pairs] = defaultdict(list)
    for row, *pair in _pictures():
        for name, metric in OURS.items():
            found[name].append((row[name], metric(*pair, row["size_handling"])))
    for name, pairs in found.items():
        yield OURS[name].__name__, "HELM 0.5.16, recorded", pairs


def _live_pictures() -> Iterator[tuple[str, str, Pairs]]:
    from helm.benchmark.metrics.vision_language import emd_utils, image_metrics
    from helm.benchmark.metrics.vision_language.image_utils import (
        pixel_similarity,
        preprocess_image,
    )
    from helm.common.cache import BlackHoleCacheConfig, Cache

    to_gray = emd_utils.to_gray
    helm = image_metrics.AnnotatedImageMetrics("latex", [])
    helm._cache = Cache(BlackHoleCacheConfig())
    few = EmsSettings(max_num_patches=FEW_PATCHES)
    found: dict[str, Pairs] = defaultdict(list)
    setattr(emd_utils, "to_gray", lambda image: np.round(to_gray(image), 13))  # noqa: B010
    try:
        for row, prediction, reference in _pictures():
            first, second = metrics.match_sizes(prediction, reference, row["size_handling"])
            grays = preprocess_image(first), preprocess_image(second)
            found["earth_mover_similarity"].append(
                (
                    helm.ems(first, second, max_num_patches=FEW_PATCHES),
                    metrics.earth_mover_similarity(first, second, settings=few),
                )
            )
            found["structural_similarity"].append(
                (helm.compute_ssim(*grays), metrics.structural_similarity(first, second))
            )
            found["pixel_similarity_published"].append(
                (pixel_similarity(*grays), metrics.pixel_similarity_published(first, second))
            )
    finally:
        setattr(emd_utils, "to_gray", to_gray)  # noqa: B010
    for row in golden("pnls.jsonl")[::EACH]:
        texts = row["prediction"], row["truth"]
        found["edit_similarity"].append(
            (helm.compute_edit_sim(*texts), metrics.edit_similarity(*texts))
        )
    for name, pairs in found.items():
        yield name, "HELM, installed", pairs


def _recorded_texts() -> Iterator[tuple[str, str, Pairs]]:
    rows = golden("pnls.jsonl")
    for metric in (metrics.pnls, metrics.pnls_published):
        name = metric.__name__
        yield name, "MMR, recorded", [(r[name], metric(r["prediction"], r["truth"])) for r in rows]
    texts = golden("structeval_texts.jsonl")
    ours = [metrics.text_scores_published(r["text"], r["paths"], r["format"]) for r in texts]
    for place, name in enumerate(("syntax", "path_score")):
        published = f"{name.removesuffix('_score')}_score_published"
        pairs = [(row[name], scores[place]) for row, scores in zip(texts, ours, strict=True)]
        yield published, "StructEval, recorded", pairs


def _bound(difference: float) -> str:
    if difference == 0:
        return "0"
    above = next((bound for bound in BOUNDS if difference < bound), None)
    return f"below {above:.0e}" if above else f"{difference:.3f}"


# What is scored again


def agreement(results: Iterable[tuple[str, str, Mapping[str, float], Mapping[str, float]]]) -> str:
    """Returns a table of old and new scores: how many are the same, correlation, and the largest difference.

    Args:
        results: a part, an instance, its published scores and ours.
    """
    found: dict[tuple[str, str], list[Compared]] = defaultdict(list)
    for part, instance, old, new in results:
        for name in sorted(old.keys() & new.keys()):
            found[part, name].append(Compared(instance, old[name], new[name]))
    rows: list[list[Cell]] = []
    for (part, name), numbers in found.items():
        columns = np.array([(one.published, one.ours) for one in numbers]).T
        far = max(numbers, key=lambda one: abs(one.ours - one.published))
        varied = len(numbers) > 1 and bool((columns.std(axis=1) > 0).all())
        rows.append(
            [
                *(part, name, len(numbers)),
                sum(abs(one.ours - one.published) < 0.005 for one in numbers),
                *columns.mean(axis=1).tolist(),
                float(np.corrcoef(columns)[0, 1]) if varied else None,
                f"{abs(far.ours - far.published):.3f} ({far.name})",
            ]
        )
    header = ["Of", "Score", "n", "same", "published", "ours", "correlation", "largest difference"]
    return markdown(header, rows)


def evaluations(folder: Path) -> str:
    """StructEval's evaluations of a folder, scored again; without a judge, as far as that goes."""
    parts = []
    for path in sorted(folder.glob("*.json")):
        work = structeval_rescore.prepare_rescoring(
            path, RescoringOptions(Path(), "published", "none")
        )
        results = list(work.results())
        table = agreement(
            (path.stem, one.instance, one.old, published_scores(one.new)) for one in results
        )
        parts += [table] if results else []
        parts.append(work.summary(results))
    return "\n\n".join(parts)


def runs(folder: Path, root: Path) -> str:
    """HELM's own Image2Struct runs, scored again."""
    options = RescoringOptions(root.absolute(), "published", "none")
    work = image2struct_rescore.prepare_rescoring(folder, options)
    results = list(work.results())
    table = agreement(
        (f"{r.model}, {r.domain}, {r.subset}", r.instance, r.old, r.new) for r in results
    )
    return f"{table}\n\n{work.summary(results)}"


def _not_at_hand(what: str, option: str) -> str:
    return (
        f"Not computed: {what} were not at hand. `python benchmarks/evidence.py {option}` scores them again "
        "and puts their tables here."
    )


def not_shown() -> str:
    """What the page can't say."""
    return "\n".join(f"- {one}" for one in NOT_SHOWN)


NOT_SHOWN = (
    "StructEval's published evaluations with answers, scored again: their repository has 535 MB, and was not fetched "
    "for this page. If you have them, run `python benchmarks/evidence.py --evaluations FOLDER`.",
    "HELM's released runs of Image2Struct, scored again. If you have them, run `python benchmarks/evidence.py "
    "--runs FOLDER`.",
    "The oracle on the published pictures of Image2Struct. These references were drawn with a network, by other "
    "versions of TeX, LilyPond and Chrome.",
    "Judges. Their verdicts depend on a model behind a server: `helm-structext judge-agreement` compares two.",
    "CIS and LPIPS beside HELM's. Their networks need weights that are fetched; `benchmarks/metrics.py` compares them, "
    "with random ones where there are none.",
    "A vision-language model that was evaluated here from the picture to the leaderboard.",
)

SECTIONS: dict[str, Callable[[], str]] = {
    "StructEval: Table 6": table_6,
    "StructEval: the leaderboard since 2026": leaderboard,
    "StructEval: a published run, and what is wrong in it": run_of_october,
    "StructEval: two judges of this run": two_judges,
    "StructEval: evaluations": partial(
        _not_at_hand, "StructEval's evaluations with answers", "--evaluations FOLDER"
    ),
    "Image2Struct: win rates of Table 2": table_2,
    "Image2Struct: section 4.1 and Appendix E": section_4_1,
    "Image2Struct: HELM's runs": partial(
        _not_at_hand, "HELM's released runs of Image2Struct", "--runs FOLDER"
    ),
    "MMR: Table 1": table_1,
    "Values of the published code": code_values,
    "What is not shown here": not_shown,
}
"""The sections of the page, in their order."""


if __name__ == "__main__":
    sys.exit(main())
