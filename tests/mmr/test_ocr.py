"""The offline models' answers to the four kinds of questions."""

import io
import shutil

import pytest
from helm.common.cache import BlackHoleCacheConfig, SqliteCacheConfig
from helm.common.media_object import MediaObject, MultimediaObject
from helm.common.request import Request
from PIL import Image, ImageDraw, ImageFont

from helm_structext.metrics import iou, pnls
from helm_structext.mmr.tasks import KINDS, prompt_of, read_answer, read_reply
from helm_structext.models import clients
from helm_structext.models.answer_index import KnownAnswer, request_key, write_answer

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"
ANSWERS = {
    "choice": "3",
    "text": '"EMMA',
    "box": "[0.25, 0.5, 0.75, 1.0]",
    "text_box": '["EMMA", [0.25, 0.5, 0.75, 1.0]]',
}


def cover() -> tuple[bytes, dict[str, tuple[int, int, int, int]]]:
    """A plain cover, and the boxes of its texts in pixels."""
    image = Image.new("RGB", (600, 800), "white")
    pen = ImageDraw.Draw(image)
    boxes = {}
    for text, size, top in (("HARTFIELD", 30, 60), ("EMMA", 90, 200), ("Jane Austen", 40, 700)):
        font = ImageFont.truetype(FONT, size)
        place = (300 - pen.textlength(text, font) / 2, top)
        pen.text(place, text, "black", font)
        boxes[text] = pen.textbbox(place, text, font)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue(), boxes


@pytest.fixture
def request_for(tmp_path, monkeypatch):
    monkeypatch.setattr(clients, "get_benchmark_output_path", lambda: str(tmp_path))

    def make(kind: str, question: str = "Question?") -> Request:
        picture, _ = cover()
        path = tmp_path / "picture.png"
        path.write_bytes(picture)
        prompt = prompt_of(question, kind, "scale")
        oracle = KINDS[kind].write(read_answer(kind, ANSWERS[kind]))
        write_answer(
            tmp_path / "scenarios" / "mmr" / "answers",
            request_key(prompt, [picture]),
            KnownAnswer("one", KINDS[kind].format, oracle, KINDS[kind].blank, "mmr"),
        )
        media = [
            MediaObject(text=prompt, content_type="text/plain"),
            MediaObject(location=str(path), content_type="image/png"),
        ]
        return Request(multimodal_prompt=MultimediaObject(media))

    return make


@pytest.mark.parametrize("kind", KINDS)
def test_the_oracle_is_read_as_the_answer(request_for, kind):
    said = clients.OracleClient().make_request(request_for(kind)).completions[0].text
    reading, truth = read_reply(kind, said), read_answer(kind, ANSWERS[kind])
    assert (reading.choice, reading.box) == (truth.choice, truth.box)
    if truth.text is not None:
        # Text grounding keeps the comma before the box, as published.
        assert pnls(reading.text, truth.text) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_the_blank_model_says_nothing(request_for, kind):
    said = clients.BlankClient().make_request(request_for(kind)).completions[0].text
    assert said == KINDS[kind].blank
    if kind in ("text", "text_box"):
        assert read_reply(kind, said).text.strip(",") == ""
    if kind in ("box", "text_box"):
        assert read_reply(kind, said).box == (0, 0, 1, 1)


needs_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="needs tesseract-ocr"
)


@needs_tesseract
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the title in the image?", "EMMA"),
        ("What text is written at the bottom center of the image?", "Jane Austen"),
        ('What text is displayed above "EMMA" on this book cover?', "HARTFIELD"),
        ('What text is written below "EMMA"?', "Jane Austen"),
    ],
)
def test_the_ocr_model_reads_the_text_that_is_asked_for(request_for, question, answer):
    client = clients.OcrClient(BlackHoleCacheConfig())
    said = client.make_request(request_for("text", question)).completions[0].text
    assert pnls(said, answer) > 0.9


@needs_tesseract
def test_the_ocr_model_grounds_a_text_and_reads_each_picture_once(request_for, tmp_path):
    client = clients.OcrClient(SqliteCacheConfig(str(tmp_path / "ocr.sqlite")))
    question = "What is the author at the bottom center of the image? Where is it in the image?"
    first = client.make_request(request_for("text_box", question))
    assert not first.cached
    reading = read_reply("text_box", first.completions[0].text)
    box = [
        number / size
        for number, size in zip(cover()[1]["Jane Austen"], (600, 800) * 2, strict=True)
    ]
    assert pnls(reading.text, "Jane Austen") > 0.9
    assert iou(reading.box, box) > 0.8
    assert client.make_request(request_for("text", "What is the title in the image?")).cached


@needs_tesseract
def test_the_ocr_model_guesses_choices_and_objects(request_for):
    client = clients.OcrClient(BlackHoleCacheConfig())
    assert client.make_request(request_for("choice")).completions[0].text == "1"
    said = client.make_request(request_for("box")).completions[0].text
    assert read_reply("box", said).box == (0, 0, 1, 1)
