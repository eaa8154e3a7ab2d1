"""What each component of a reward tells apart, and what it costs: the reasons for the presets.

    python benchmarks/reward_components.py [--samples 12] [--formats latex html …]

Right completions of the samples are made worse step by step, by changing words that they show, then
replaced by another sample's, then by a blank page. A component should fall from each step to the
next. Prints, for each component, how often it does so, how far a blank page and another page lie
below a right one, and the processor time of a pair.
"""

import argparse
import itertools
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from statistics import fmean

from completions import completions
from helm_structext.errors import RenderError
from helm_structext.extraction import extract
from helm_structext.formats import FORMATS
from helm_structext.image2struct.scores import PICTURE_METRICS, TEXT_METRICS
from helm_structext.patterns import Pattern
from helm_structext.renderers import Rendering, render
from helm_structext.rewards import PRESETS

FORMATS_USED = ("latex", "lilypond", "html", "svg", "matplotlib", "typst", "mermaid", "vega")
STEPS = {"right": 0.0, "some words": 0.2, "most words": 0.8}
"""What is done to a completion, and the share of its words that are changed."""
LAST = ("another", "blank")
WORD = Pattern(r"[A-Za-z]{3,}|[0-9]+")
COMPONENTS = {**PICTURE_METRICS, **TEXT_METRICS}
LESS_IS_BETTER = {"block_emd"}


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=12, help="of each format")
    parser.add_argument("--formats", nargs="*", default=FORMATS_USED, choices=FORMATS_USED)
    options = parser.parse_args()
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    ordered: dict[str, list[bool]] = defaultdict(list)
    seconds: dict[str, list[float]] = defaultdict(list)
    for format in options.formats:
        for reference, steps in cases(format, options.samples):
            measured: dict[str, dict[str, float]] = defaultdict(dict)
            for step, rendering in steps.items():
                for name, metric in COMPONENTS.items():
                    pair = (
                        (rendering.text, reference.text)
                        if name in TEXT_METRICS
                        else (rendering.image, reference.image)
                    )
                    start = time.process_time()
                    value = metric(*pair)
                    seconds[name].append(time.process_time() - start)
                    measured[name][step] = -value if name in LESS_IS_BETTER else value
                measured_by_presets(measured, step)
            for name, found in measured.items():
                for step, value in found.items():
                    values[name][step].append(value)
                better = [found[step] for step in (*STEPS, *LAST) if step in found]
                ordered[name] += [a > b for a, b in itertools.pairwise(better)]
        print(f"{format}: {len(values['block_emd']['right'])} so far", flush=True)
    head = (*STEPS, *LAST)
    print(f"| Component | {' | '.join(head)} | in order | ms |")
    print(f"|---|{'---:|' * (len(head) + 2)}")
    for name in (*COMPONENTS, *PRESETS):
        means = [f"{fmean(values[name][step]):.3f}" for step in head]
        cost = sum(fmean(seconds[part]) for part in PRESETS.get(name, {name: 1}) if part in seconds)
        print(f"| {name} | {' | '.join(means)} | {fmean(ordered[name]):.0%} | {1000 * cost:.0f} |")
    return 0


def measured_by_presets(measured: dict[str, dict[str, float]], step: str) -> None:
    """Adds the presets' weighted sums; all that is compared has rendered."""
    for preset, weights in PRESETS.items():
        measured[preset][step] = sum(
            weight * (measured[name][step] if name in COMPONENTS else 1.0)
            for name, weight in weights.items()
        )


def cases(format: str, count: int) -> Iterator[tuple[Rendering, dict[str, Rendering]]]:
    """Yields references, and what is compared with each: step to rendering."""
    right = []
    for completion in completions(format):
        code = extract(completion, format, "corrected")
        if (rendering := rendered(format, code)) and rendering.text != blank(format).text:
            right.append((code, rendering))
    right = right[:count]
    for number, (code, reference) in enumerate(right):
        steps = {"right": reference, "blank": blank(format)}
        for step, share in list(STEPS.items())[1:]:
            if changed := rendered(format, with_other_words(code, reference.text, share)):
                steps[step] = changed
        steps["another"] = right[number - 1][1]
        yield reference, steps


def with_other_words(code: str, shown: str, share: float) -> str:
    """Changes some of the words of a code that are shown; which ones is the same on each call."""
    names = {found[0] for found in WORD.finditer(shown)}
    chance = random.Random(code)

    def other(found: object) -> str:
        word: str = found[0]  # type: ignore[index]
        if word not in names or chance.random() >= share:
            return word
        letters = "0123456789" if word.isdigit() else "abcdefghijklmnopqrstuvwxyz"
        return "".join(chance.choice(letters) for _ in word)

    return WORD.sub(other, code)


def rendered(format: str, code: str) -> Rendering | None:
    """What code draws, if it does."""
    try:
        return render(format, code, protocol="corrected")
    except RenderError:
        return None


def blank(format: str) -> Rendering:
    """The blank page of a format."""
    return render(format, FORMATS[format].blank, protocol="corrected")


if __name__ == "__main__":
    sys.exit(main())
