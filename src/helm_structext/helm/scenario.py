"""The scenario of all our runs: what a benchmark asks becomes HELM's instances."""

from pathlib import Path
from typing import Any

from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
)
from helm.common.media_object import MediaObject, MultimediaObject

from helm_structext.benchmarks import benchmark_named
from helm_structext.data import provenance
from helm_structext.models.answer_index import KnownAnswer, request_key, write_answer
from helm_structext.scoring import scorer as scoring
from helm_structext.storage.cache import store


class BenchmarkScenario(Scenario):
    """The instances of a run: texts, pictures, and references for the viewer.

    Args:
        benchmark: the name of its package (`helm_structext.benchmarks`).
        arguments: of the run, those of the benchmark's `arguments`.
    """

    tags = ["structured output"]  # noqa: RUF012 (the type that HELM declares)

    def __init__(self, benchmark: str, **arguments: Any) -> None:
        super().__init__()
        asked = benchmark_named(benchmark)
        self.name, self.description = benchmark, asked.title
        self._readers = asked.readers
        self._scorer = asked.scorer(arguments, scoring.Door())

    def get_instances(self, output_path: str) -> list[Instance]:
        """Returns the instances; their pictures and the answer index go to `output_path`.

        Raises:
            SetupError: the source can't be read, or a row lacks what an instance needs.
        """
        return [self._to_instance(asked, Path(output_path)) for asked in self._scorer.inputs()]

    def _to_instance(self, asked: scoring.Input, folder: Path) -> Instance:
        pictures = [asked.picture] if asked.picture is not None else []
        write_answer(
            folder / "answers",
            request_key(asked.text + self._scorer.suffix, pictures),
            KnownAnswer(
                asked.key.id,
                asked.format,
                asked.oracle,
                asked.blank,
                self.name if asked.format in self._readers else None,
            ),
        )
        extra_data = {**asked.details, **provenance(asked.dataset)}
        if asked.code is not None:
            code = asked.code.encode("utf-8", "replace")
            extra_data["code"] = str(store(folder / "codes", code, "txt"))
        if asked.assets:
            extra_data["assets"] = {
                name: str(store(folder / "assets", content, name.rpartition(".")[2].lower()))
                for name, content in asked.assets.items()
            }
        return Instance(
            id=asked.key.id,
            input=_input(asked, folder),
            references=_references(asked, folder),
            split=self._scorer.split,
            sub_split=asked.key.part if self._scorer.parted else None,
            extra_data=extra_data,
        )


def _input(asked: scoring.Input, folder: Path) -> Input:
    if asked.picture is None:
        return Input(text=asked.text)
    text = MediaObject(text=asked.text, content_type="text/plain")
    return Input(multimedia_content=MultimediaObject([text, _store_picture(folder, asked.picture)]))


def _references(asked: scoring.Input, folder: Path) -> list[Reference]:
    if asked.target is None:
        return []
    picture = asked.target_picture
    content = MultimediaObject([_store_picture(folder, picture)]) if picture is not None else None
    return [Reference(Output(text=asked.target, multimedia_content=content), tags=[CORRECT_TAG])]


def _store_picture(folder: Path, picture: bytes) -> MediaObject:
    location = str(store(folder / "images", picture, "png"))
    return MediaObject(location=location, content_type="image/png")
