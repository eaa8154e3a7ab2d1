import base64
import io
import json
import tarfile
from pathlib import Path

import pytest

from helm_structext.errors import SetupError
from helm_structext.image2struct.tasks import DOMAINS
from helm_structext.models.answer_index import read_answer, request_key
from support import door
from support.rows import latex_row, png


def instances_of(source, output, subset="equation", difficulty="all"):
    return door.instances(
        output, "image2struct", subset=subset, difficulty=difficulty, source=str(source)
    )


def test_an_instance_has_prompt_picture_reference_and_answer(dataset, tmp_path):
    (instance,) = instances_of(dataset([latex_row(7)]), tmp_path)
    prompt, picture = instance.input.multimedia_content.media_objects
    assert prompt.text == DOMAINS["image2struct_latex"].prompt
    assert Path(picture.location).read_bytes() == png((7, 0, 0))
    assert instance.references[0].output.text == "$x^7$"
    assert instance.references[0].output.multimedia_content.media_objects == [picture]
    assert (instance.id, instance.split) == ("uuid-7", "valid")
    answer = read_answer(tmp_path / "answers", request_key(prompt.text, [png((7, 0, 0))]))
    assert (answer.instance, answer.format, answer.oracle) == ("uuid-7", "latex", "$x^7$")
    assert (answer.blank, answer.reader) == (r"\mbox{}", "image2struct")


def test_difficulty_selects_rows(dataset, tmp_path):
    folder = dataset([latex_row(i) for i in range(6)])
    assert [i.id for i in instances_of(folder, tmp_path, difficulty="hard")] == ["uuid-2", "uuid-5"]


def test_rows_of_other_categories_are_left_out(dataset, tmp_path):
    folder = dataset([latex_row(0), latex_row(1, category='"table"')])
    assert [i.id for i in instances_of(folder, tmp_path)] == ["uuid-0"]


def test_wild_rows_have_no_text_and_perhaps_an_oracle(dataset, tmp_path):
    wild = {"category": '"wild"', "structure": ..., "text": ...}
    folder = dataset(
        [latex_row(0, oracle_structure=None, **wild), latex_row(1, oracle_structure="y", **wild)],
        "wild",
    )
    first, _ = instances_of(folder, tmp_path, subset="wild")
    assert first.references[0].output.text == ""
    prompt = DOMAINS["image2struct_latex"].prompt
    answers = [
        read_answer(tmp_path / "answers", request_key(prompt, [png((number, 0, 0))]))
        for number in (0, 1)
    ]
    assert [answer.oracle for answer in answers] == [None, "y"]


def test_all_stands_for_the_structured_subsets_as_sub_splits(dataset, tmp_path):
    subsets = DOMAINS["image2struct_latex"].subsets
    for number, subset in enumerate(subsets):
        folder = dataset([latex_row(number, category=f'"{subset}"')], subset)
    instances = instances_of(folder, tmp_path, subset="all")
    assert [instance.sub_split for instance in instances] == list(subsets)


@pytest.mark.parametrize("column", ["structure", "text", "image", "uuid", "category"])
def test_a_missing_column_names_row_and_column(dataset, tmp_path, column):
    folder = dataset([latex_row(0, **{column: ...})])
    with pytest.raises(SetupError, match=rf"row 0 of .*parquet has no column '{column}'"):
        instances_of(folder, tmp_path)


def test_two_rows_with_one_uuid_are_an_error(dataset, tmp_path):
    with pytest.raises(SetupError, match=r"row 1 .* uuid of an earlier row"):
        instances_of(dataset([latex_row(0), latex_row(0)]), tmp_path)


def test_a_selection_without_rows_is_an_error(dataset, tmp_path):
    with pytest.raises(SetupError, match="difficulty=hard"):
        instances_of(dataset([latex_row(0)]), tmp_path, difficulty="hard")


def test_own_pictures_are_wild_instances(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "page.png").write_bytes(png())
    (instance,) = instances_of(tmp_path / "mine", tmp_path / "out", subset="wild")
    assert instance.id == "page.png"
    with pytest.raises(SetupError, match=r"page\.png has no column 'structure'"):
        instances_of(tmp_path / "mine", tmp_path / "out", subset="equation")


def test_a_perturbation_changes_what_is_seen_and_not_the_reference(dataset, tmp_path):
    folder = dataset([latex_row(7)])
    (instance,) = door.instances(
        tmp_path, "image2struct", source=str(folder), perturbation="noise", severity=5
    )
    prompt, seen = instance.input.multimedia_content.media_objects
    (reference,) = instance.references[0].output.multimedia_content.media_objects
    assert Path(reference.location).read_bytes() == png((7, 0, 0))
    assert seen.location != reference.location
    key = request_key(prompt.text, [Path(seen.location).read_bytes()])
    assert read_answer(tmp_path / "answers", key).oracle == "$x^7$"


def repository(**files: bytes) -> str:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name.replace("_", "."))
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return base64.b64encode(buffer.getvalue()).decode()


def webpage_of(dataset, output, structure):
    folder = dataset([latex_row(1, category='"html"', structure=structure, text="Hi")], "html")
    webpages = {"domain": "image2struct_webpage", "subset": "html"}
    (instance,) = door.instances(output, "image2struct", source=str(folder), **webpages)
    return instance


def test_the_assets_of_a_webpage_are_named_and_kept_by_content(dataset, tmp_path):
    logo = png((9, 9, 9))
    instance = webpage_of(
        dataset, tmp_path, repository(index_html=b"<img src=logo.png>Hi", logo_png=logo)
    )
    prompt = instance.input.multimedia_content.media_objects[0].text
    assert prompt.endswith("\nYou have access to the following assets:\n- logo.png\n")
    assert Path(instance.extra_data["assets"]["logo.png"]).read_bytes() == logo
    answer = read_answer(tmp_path / "answers", request_key(prompt, [png((1, 0, 0))]))
    assert json.loads(answer.oracle) == [
        {"filename": "index.html", "content": "<img src=logo.png>Hi"}
    ]


def test_a_webpage_without_assets_has_the_plain_prompt(dataset, tmp_path):
    instance = webpage_of(dataset, tmp_path, repository(index_html=b"Hi"))
    prompt = instance.input.multimedia_content.media_objects[0].text
    assert prompt == DOMAINS["image2struct_webpage"].prompt
    assert "assets" not in instance.extra_data


def test_a_hostile_archive_names_its_row(dataset, tmp_path):
    with pytest.raises(SetupError, match=r"row 0 of .*: column 'structure': .*base64"):
        webpage_of(dataset, tmp_path, "no archive")
