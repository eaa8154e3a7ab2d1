import json

import pytest

from helm_structext.data.archives import pack_repository
from helm_structext.extraction import extract
from helm_structext.image2struct.rows import repository_completion
from helm_structext.protocols import PROTOCOLS

TEXTS = {
    "README.md": "# A page\n```html\n<p>\n```\n~~~~ ````` \\``` \\",
    "index.html": "<p></think>x<think>y</think></p>\n</script>",
    "data.json": r'"\u0060``` \\```"',
}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_repository_is_extracted_whole_whatever_fences_and_tags_its_files_have(protocol):
    structure = pack_repository({name: text.encode() for name, text in TEXTS.items()})
    completion, assets = repository_completion(structure)
    listed = json.loads(extract(completion, "webpage", protocol))
    assert {file["filename"]: file["content"] for file in listed} == TEXTS
    assert not assets


def test_pictures_are_no_part_of_the_completion():
    structure = pack_repository({"a.PNG": b"\x89PNG", "index.html": b"<img src=a.PNG>"})
    completion, assets = repository_completion(structure)
    assert assets == {"a.PNG": b"\x89PNG"}
    assert [file["filename"] for file in json.loads(completion)] == ["index.html"]
