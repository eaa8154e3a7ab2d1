"""Figures of chosen instances: what stands in them, and that LaTeX takes the file that shows them."""

import io
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from helm_structext.cli import main
from helm_structext.errors import SetupError
from helm_structext.image2struct import report as image2struct
from helm_structext.image2struct.results import result_sets
from helm_structext.pictures import MAX_SIDE
from helm_structext.renderers import render
from helm_structext.report.figures import (
    LATEX,
    MAX_MODELS,
    Place,
    choose_places,
    make_cells,
    write_figures,
)
from support import GOLDEN
from support.image2struct_answers import result

RED, BLUE = (255, 0, 0), (0, 0, 255)


def picture(path: Path, color: tuple[int, int, int], size: tuple[int, int] = (60, 40)) -> Path:
    Image.new("RGB", size, color).save(path)
    return path


def parts(*answers: Any) -> Any:
    return {"image2struct": (image2struct, result_sets(answers))}


def answers_to(folder: Path, instance: str, *models: str, **changes: Any) -> list[Any]:
    reference = picture(folder / f"reference-{len(instance)}.png", RED)
    drawn = picture(folder / "drawn.png", BLUE)
    return [
        result(
            model,
            instance,
            0.9 - number / 10,
            **{"picture": reference, "rendering": drawn, **changes},
            scores={"pixel_similarity_published": 0.25, "edit_similarity": 0.5},
        )
        for number, model in enumerate(models)
    ]


def only_place(*answers: Any) -> Place:
    (place,) = choose_places(parts(*answers), 1, 1)
    return place


def area(png: Path, color: tuple[int, int, int]) -> int:
    return int((np.asarray(Image.open(png).convert("RGB")) == color).all(axis=2).sum())


def test_the_reference_stands_first_and_then_the_best_model(tmp_path):
    cells = make_cells(only_place(*answers_to(tmp_path, "1", "z/good", "a/bad")))
    assert [cell.label for cell in cells] == ["Reference", "z/good", "a/bad"]
    assert [cell.picture.getpixel((0, 0)) for cell in cells] == [RED, BLUE, BLUE]
    blank = "\N{NO-BREAK SPACE}"
    assert cells[1].below == f"PS{blank}0.250, EMS{blank}0.900, Edit{blank}0.500"
    assert cells[0].below == ""


def test_an_answer_that_did_not_render_shows_why_and_what_it_was(tmp_path):
    reference = picture(tmp_path / "reference.png", RED)
    failed = result(
        "m", "1", None, picture=reference, error="syntax: line 3: what?", completion=r"\frac{1}"
    )
    cells = make_cells(only_place(failed))
    assert cells[1].picture is None
    assert cells[1].text == "syntax: line 3: what?\n\n\\frac{1}"
    assert cells[1].below == "EMS\N{NO-BREAK SPACE}0.000"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "No such file"),
        (b"%!PS-Adobe-3.0 EPSF-3.0", "not a picture"),
        (b"P6\n90000 90000\n255\n", "not a picture"),
    ],
)
def test_pictures_that_are_none_are_said_and_not_shown(tmp_path, data, said):
    bad = tmp_path / "bad.png"
    if data:
        bad.write_bytes(data)
    cells = make_cells(only_place(*answers_to(tmp_path, "1", "m", rendering=bad)))
    assert cells[1].picture is None
    assert said in cells[1].text


def test_huge_pictures_are_shown_small_or_refused(tmp_path):
    wide = picture(tmp_path / "wide.png", BLUE, (60_000, 2))
    large = io.BytesIO()
    Image.new("1", (7000, 7000)).save(large, "PNG")  # more pixels than are read
    (tmp_path / "large.png").write_bytes(large.getvalue())
    answers = [
        *answers_to(tmp_path, "1", "wide", rendering=wide),
        *answers_to(tmp_path, "1", "large", rendering=tmp_path / "large.png"),
    ]
    place = only_place(*answers)
    cells = make_cells(place)
    assert "at most 40,000,000 are read" in next(c.text for c in cells if c.label == "large")
    (file,) = write_figures([place], tmp_path / "out")
    assert max(Image.open(file).size) < MAX_SIDE / 10
    assert area(file, RED) > 10_000


def test_many_models_stand_in_rows_of_four_and_no_more_than_fit(tmp_path):
    few = only_place(*answers_to(tmp_path, "1", "a", "b", "c"))
    many = only_place(*answers_to(tmp_path, "1", *(f"m{number}" for number in range(40))))
    assert len(make_cells(many)) == MAX_MODELS + 1
    heights = [
        Image.open(write_figures([place], tmp_path / name)[0]).height
        for name, place in (("few", few), ("many", many))
    ]
    assert heights[1] > 4 * heights[0]


def test_the_same_answers_give_the_same_bytes_and_names(tmp_path):
    places = choose_places(parts(*answers_to(tmp_path, "1", "m")), 1, 1)
    first, second = (write_figures(places, tmp_path / name)[0] for name in ("a", "b"))
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()


NASTY = r"50% & $x_1^2$ {a} \input{/etc/passwd} ~#"


def test_latex_takes_any_names(tmp_path):
    answers = [
        *answers_to(tmp_path, NASTY, f"{NASTY}/model", "openai/模型"),
        *answers_to(tmp_path, "例子/../x", "openai/模型"),
    ]
    files = write_figures(choose_places(parts(*answers), 9, 1), tmp_path / "out")
    assert all(re.fullmatch(r"[A-Za-z0-9-]+\.png", file.name) for file in files)
    assert len({file.name for file in files}) == len(files) == 2
    text = (tmp_path / "out" / LATEX).read_text()
    assert text.isascii()
    assert r"\input" not in text
    figures = re.findall(r"\\includegraphics\[width=\\linewidth\]\{(.*)\}", text)
    assert sorted(figures) == sorted(file.name for file in files)
    # The pictures lie elsewhere for the engine: a box stands for each.
    code = text.replace(r"\includegraphics[width=\linewidth]", r"\fbox")
    document = rf"\documentclass{{article}}\begin{{document}}{code}\end{{document}}"
    assert render("latex", document).image


def test_instances_are_drawn_by_seed_or_named(tmp_path):
    answers = [a for number in range(30) for a in answers_to(tmp_path, f"{number}", "m", "n")]
    ours = parts(*answers)

    def drawn(sample: int, seed: int) -> set[str]:
        return {place.instance.id for place in choose_places(ours, sample, seed)}

    assert drawn(5, 1) == drawn(5, 1)
    assert drawn(5, 1) < drawn(6, 1)
    assert drawn(5, 1) != drawn(5, 2)
    named = choose_places(ours, 5, 1, ["3", "17"])
    assert [place.instance.id for place in named] == ["17", "3"]
    with pytest.raises(SetupError, match="the suite has no instance 99"):
        choose_places(ours, 5, 1, ["3", "99"])


def test_instances_without_any_picture_have_no_figure(tmp_path):
    absent = result("m", "1", None, picture=tmp_path / "absent.png")
    assert write_figures(choose_places(parts(absent), 1, 1), tmp_path / "out") == []
    assert "figure}" not in (tmp_path / "out" / LATEX).read_text()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path / "cache"))
    shutil.copytree(GOLDEN / "suite", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_benchmark_has_figures(folder, capsys):
    assert main(["figures", "demo", "-o", "out"]) == 0
    printed = capsys.readouterr().out
    files = sorted(file.name for file in (folder / "out").glob("*.png"))
    assert printed.startswith(f"{len(files)} figures in out, and figures.tex")
    assert "; 1 instance without any picture" in printed  # text
    for beginning in ("mmr-", "published-latex-", "published-structext-ocr-judge-"):
        assert any(name.startswith(beginning) for name in files)


def test_models_and_instances_are_chosen(folder, capsys):
    chosen = ["--models", "*careful", "--instances", "grounding_t-3", "-o", "out"]
    assert main(["figures", "demo", *chosen]) == 0
    assert capsys.readouterr().out == "1 figure in out, and figures.tex, which shows them\n"
    assert "careless" not in (folder / "out" / LATEX).read_text()
    assert main(["figures", "demo", "--instances", "nobody", "-o", "out"]) == 2
    assert "no instance nobody" in capsys.readouterr().err


def test_a_text_alone_has_no_figure(folder, capsys):
    assert main(["figures", "demo", "--instances", "000500", "-o", "out"]) == 2
    assert "no picture in 1 instance;" in capsys.readouterr().err
