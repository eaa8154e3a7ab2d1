"""A report open in a browser, and a small suite with pictures for it."""

import base64
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from selenium import webdriver
from selenium.webdriver.common.by import By

from helm_structext.benchmarks import BENCHMARKS
from helm_structext.image2struct.results import Image2StructResult, conditions_of
from helm_structext.metrics import earth_mover_similarity
from helm_structext.mmr.tasks import ParsedReply
from helm_structext.report.parts import Parts
from helm_structext.results.result_sets import Selection
from support import mmr_answers, structeval_answers
from support.browser import patience

EMS = "earth_mover_similarity"
SUBSETS = {
    "equation": "image2struct_latex",
    "plot": "image2struct_latex",
    "wild": "image2struct_latex",
    "css": "image2struct_webpage",
    "music": "image2struct_music",
}
HOSTILE = '</script><img src=x onerror="hacked=1"><!--<script>hacked=1</script>&amp;'


def page(seed: int, size: tuple[int, int] = (160, 96)) -> Image.Image:
    """Some black boxes on white, others for each seed."""
    random = np.random.default_rng(seed)
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for _ in range(6):
        x, y = random.integers(0, size[0] - 24), random.integers(0, size[1] - 16)
        draw.rectangle((x, y, x + 20, y + 12), fill=tuple(random.integers(0, 120, 3).tolist()))
    return image


class Folder:
    """Makes answers whose pictures lie in a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def save(self, image: Image.Image, name: str) -> Path:
        file = self.path / f"{name}.png"
        image.save(file)
        return file

    def answer(
        self, model: str, instance: str, subset: str = "equation", **changes: Any
    ) -> Image2StructResult:
        """One answer; `rendering` is a picture, or None if it failed."""
        reference = changes.pop("reference", page(len(instance) + sum(map(ord, instance))))
        rendering = changes.pop("rendering", reference)
        domain = SUBSETS[subset]
        picture = self.save(reference, f"{subset}-{instance}")
        path = None
        scores = {EMS: 0.0, "compilation_success": 0.0, "metric_errors": 0.0}
        if rendering is not None:
            path = self.save(rendering, f"{subset}-{instance}-{model.replace('/', '-')}")
            handling = "resize" if domain == "image2struct_webpage" else "padding"
            ems = earth_mover_similarity(rendering, reference, handling)
            scores = {
                **{EMS: ems, "compilation_success": 1.0, "metric_errors": 0.0},
                **{"earth_mover_similarity_rendered": ems, "block_emd": 1 - ems},
                "structural_similarity": ems**2,
            }
        arguments = {"domain": domain, "subset": subset, "difficulty": "all", "source": "sample"}
        arguments |= {"protocol": "published", **changes.pop("arguments", {})}
        fields: dict[str, Any] = {
            **{"run": "run", "difficulty": "easy", "date": "2026-01-31"},
            **{"reference_text": "the reference", "completion": f"code of {model} for {instance}"},
            **{"finish_reason": "stop", "text": "its text"},
            "error_kind": None if path else "syntax",
            "error": "" if path else "syntax: line 3 is wrong",
        }
        return Image2StructResult(
            model=model,
            instance=instance,
            subset=subset,
            domain=domain,
            conditions=conditions_of(arguments),
            picture=picture,
            rendering=path,
            scores=scores,
            **{**fields, **changes},
        )


def parts(**results: Any) -> Parts:
    """What a report shows: name of a benchmark to its results, none by default."""
    return {
        benchmark.name: (
            benchmark.report,
            benchmark.result_sets(results.get(benchmark.name, []), Selection()),
        )
        for benchmark in BENCHMARKS
    }


def small_suite(folder: Folder) -> list[Image2StructResult]:
    """Three models, eleven instances of all domains: right, moved, and failing in many ways."""
    results = []
    for subset, names in {
        "equation": "abc",
        "plot": "de",
        "wild": "fg",
        "css": "hi",
        "music": "jk",
    }.items():
        for name in names:
            reference = page(ord(name), (160, 90) if subset == "css" else (160, 96))
            moved = Image.new("RGB", (180, 110), "white")
            moved.paste(reference, (8, 8))
            difficulty = "hard" if name in "ad" else "easy"
            common = {"reference": reference, "difficulty": difficulty}
            results += [
                folder.answer("x/good", name, subset, **common),
                folder.answer("x/moved", name, subset, rendering=moved, **common),
                folder.answer(
                    "x/bad", name, subset, rendering=None if name in "aceh" else moved, **common
                ),
            ]
    by_name = {(r.model, r.instance): r for r in results}
    for instance, changes in {
        "a": {"error_kind": "timeout", "error": "timeout: more than 10 s"},
        "c": {"finish_reason": "length", "completion": "unfinished zebra"},
        "e": {"completion": "I'm sorry, but I can't assist with that."},
    }.items():
        old = by_name["x/bad", instance]
        results[results.index(old)] = replace(old, **changes)
    return results


def mixed_suite(folder: Folder) -> dict[str, list[Any]]:
    """Answers of all benchmarks, for `parts`: of the same models, right, wrong and failing."""
    pictures = [folder.save(page(seed, (400, 240)), f"page-{seed}") for seed in (1, 2)]
    truth, models = (0.1, 0.2, 0.5, 0.4), ("x/good", "x/moved", "x/bad")
    rights = (1.0, 0.5, 0.0)
    said = ('"EMMA", [0.1, 0.2, 0.5, 0.4]', '"EMMA", [0.6, 0.6, 1, 1]', "somewhere")
    questions = [
        mmr_answers.answer(
            model,
            task,
            number,
            right,
            question="Which one?\nChoices:\n1. this\n2. that",
            picture=pictures[number % 2],
            truth=ParsedReply(text="EMMA", box=truth) if boxed else ParsedReply(choice=1),
            completion=reply if boxed else f"{2 - int(right)}",
            scores={"valid_format": 0.0} if reply == "somewhere" else {},
        )
        for task, boxed in (("grounding_t", True), ("font_color", False))
        for number in range(3)
        for model, reply, right in zip(models, said, rights, strict=True)
    ]
    structures = [
        structeval_answers.answer(
            model,
            "text_to_json",
            right,
            instance=f"00050{number}",
            keywords=["a", "b[0].c"],
            completion=f'{{"a": {right}, "b": [{{"c": {number}}}]}}',
        )
        for number in range(2)
        for model, right in zip(models, rights, strict=True)
    ]
    pairs = [{"question": "What is the title?", "answer": "Trip Summary"}]
    drawn = {"pairs": pairs, "keywords": ["<h1>"], "instance": "000400", "judge_reply": "{}"}
    structures += [
        structeval_answers.answer(
            model,
            "text_to_html",
            right,
            **{**drawn, "rendering": picture, "verdicts": [bool(right)]},
            **{"completion": f"<h1>{model}</h1>", "error": "" if picture else "syntax: no tag"},
            error_kind=None if picture else "syntax",
        )
        for model, right, picture in zip(models, rights, [*pictures, None], strict=True)
    ]
    return {"image2struct": small_suite(folder), "mmr": questions, "structeval": structures}


FRAME = "return new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))"
QUIET = """
return new Promise((done, fail) => {
    const drawn = document.body.appendChild(document.createElement("i"));
    Object.assign(drawn.style, {position: "fixed", left: 0, top: 0, width: "1px", height: "1px"});
    let [seen, same, left] = ["", 0, 2000];
    const look = () => {
        drawn.style.background = left % 2 ? "#000" : "#fff";
        const cards = list => [...list.cards.values()].map(card => [card.style.top, card.offsetHeight]);
        const now = [scrollY, report.lists.map(list => [list.place.offsetHeight, cards(list)])].join();
        same = now === seen && !report.isFilling() ? same + 1 : 0;
        seen = now;
        if (same < 6 && left--) return requestAnimationFrame(look);
        drawn.remove();
        return same < 6 ? fail(Error("The page is never quiet")) : done();
    };
    look();
})
"""
"""Waits until nothing has moved for six frames; a change leads to another one in the next frame or after two.

While something is drawn, frames come as fast as they can be made.
"""


class Page:
    """An open report, by default once it has loaded: what is selected earlier may not be scrolled to."""

    def __init__(self, browser: webdriver.Chrome, address: str, *, loaded: bool = True) -> None:
        self.browser = browser
        self.patience = patience(browser, 120)
        browser.get("about:blank")
        self.until("location.href === 'about:blank'")
        browser.get_log("browser")
        browser.get(address)
        if loaded:
            self.until("location.href !== 'about:blank' && document.readyState === 'complete'")
            self.run(FRAME)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.browser.execute_script(script, *arguments)

    def until(self, script: str) -> Any:
        return self.patience.until(lambda _: self.run(f"return {script}"))

    def rest(self) -> None:
        """Waits until lists have done what they do after a jump, in the frames after it."""
        self.run(QUIET)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.browser.switch_to.active_element.send_keys(key)

    def count(self, view: str = "image2struct") -> str:
        """What is said of how many answers pass a view's filters."""
        return self.run(
            "return document.querySelector(`#${arguments[0]} output`).textContent", view
        )

    def choose(self, view: str = "image2struct", /, **filters: str) -> str:
        """Fills in a view's filters as a user does; returns what is said about their number."""
        for name, value in filters.items():
            self.run(
                """const field = document.querySelector(`#${arguments[0]} form [name=${arguments[1]}]`);
                field.value = arguments[2];
                if (field.value !== arguments[2]) throw Error(`no such choice: ${arguments[2]}`);
                field.dispatchEvent(new Event("input", {bubbles: true}));""",
                *(view, name, value),
            )
            # The form waits a little for the next key.
            self.run(
                "return new Promise(resolve => setTimeout(resolve, arguments[0]))",
                300 if name == "text" else 30,
            )
        return self.count(view)

    def show(self, view: str, **filters: str) -> int:
        """Shows a view's answers with these filters and no others, as a click does; returns how many items are left."""
        self.run("report.showAnswers(report.viewNamed(arguments[0]), arguments[1])", view, filters)
        return self.items(view)

    def items(self, view: str = "image2struct") -> int:
        """How many items a view's list has."""
        return self.run("return report.viewNamed(arguments[0]).items.length", view)

    def select(self, position: int, view: str = "image2struct") -> None:
        """Selects an item of a view's list."""
        self.run(
            "report.selectItem(report.viewNamed(arguments[0]).list, arguments[1])", view, position
        )

    def open(self, position: int = 0, view: str = "image2struct") -> str:
        """Opens an item's first answer, and returns what the large view says of it."""
        self.run(
            "report.open(report.viewNamed(arguments[0]).items[arguments[1]].answers[0])",
            view,
            position,
        )
        return self.facts()

    def open_first(self, view: str, where: str = "true") -> str:
        """Opens the first `answer` of a sheet for which that is so."""
        self.run(
            f"report.open(report.sheetOf(report.viewNamed(arguments[0])).answers.find(answer => {where}))",
            view,
        )
        return self.facts()

    def facts(self) -> str:
        """What the large view says beside the pictures, once it does."""
        return self.until("document.getElementById('viewer-facts').innerText")

    def choose_condition(self, view: str, number: int) -> None:
        """Chooses one of a view's sheets."""
        self.run(
            """const choice = document.getElementById(`${arguments[0]}-condition`);
            choice.selectedIndex = arguments[1];
            choice.dispatchEvent(new Event("change"));""",
            *(view, number),
        )

    def filled(self) -> None:
        """Waits until all cards in the page have their texts and pictures."""
        self.until(
            """[...document.querySelectorAll(".card img, #viewer img")].every(
                image => image.complete && image.naturalWidth > 0) && !report.isFilling()"""
        )

    def cards(self) -> list[str]:
        return self.run(
            "return [...document.querySelectorAll('.card')].map(card => card.ariaLabel)"
        )

    def selected(self) -> str:
        return self.run("return document.querySelector('.card[aria-current]').ariaLabel")

    def viewer(self) -> str | None:
        """The text of the large view, if it is open."""
        dialog = self.browser.find_element(By.ID, "viewer")
        return dialog.text if dialog.get_attribute("open") else None

    def canvas(self, panel: str) -> Image.Image:
        self.filled()
        url = self.run(f"return document.querySelector('.card .{panel} canvas').toDataURL()")
        return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")

    def stderr(self) -> list[dict[str, Any]]:
        return self.browser.get_log("browser")
