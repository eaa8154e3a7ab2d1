"""Image2Struct: Benchmarking Structure Extraction for Vision-Language Models.

Roberts, Lee, Wong, Yasunaga, Mai and Liang, NeurIPS 2024 (Datasets and Benchmarks).

A model sees a picture and writes the code that draws it. Prompts: Appendix C, in the wording
that the published runs sent.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    VALID_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
)
from helm.common.media_object import MediaObject, MultimediaObject

from helm_structext.cache import write_atomically
from helm_structext.data import Row, load_rows
from helm_structext.errors import SetupError
from helm_structext.models.answers import Answer, request_key, write_answer

INSTRUCTIONS = "Just give a short answer without answering in a complete sentence."
MAX_TOKENS = 2000
DIFFICULTIES = ("all", "easy", "medium", "hard")


@dataclass(frozen=True)
class Domain:
    """What is particular to one of the benchmark's domains.

    Args:
        dataset: name of the published dataset; it has one config for each subset.
        format: the renderer's format.
        subsets: those of the published tables; ``all`` stands for these together.
        wild_subsets: pictures that were not made from code of this format.
        structured: whether the rows of `subsets` hold the code behind their picture.
        prompt: the text before the picture.
        size_handling: what makes two pictures comparable whose sizes differ.
    """

    dataset: str
    format: str
    subsets: tuple[str, ...]
    wild_subsets: tuple[str, ...]
    structured: bool
    prompt: str
    size_handling: str

    def has_structure(self, subset: str) -> bool:
        """Says whether the rows of a subset hold the code behind their picture."""
        return self.structured and subset not in self.wild_subsets


DOMAINS = {
    "image2struct_latex": Domain(
        dataset="stanford-crfm/image2struct-latex-v1",
        format="latex",
        subsets=("equation", "table", "plot", "algorithm"),
        wild_subsets=("wild", "wild_legacy"),
        structured=True,
        prompt=(
            "Please provide the LaTeX code used to generate this image. Only generate the code "
            "relevant to what you see. Your code will be surrounded by all the imports necessary "
            "as well as the begin and end document delimiters."
        ),
        size_handling="padding",
    ),
}


class Image2StructScenario(Scenario):
    """One domain's instances: an input picture, and where it exists the structure behind it.

    Args:
        domain: a key of `DOMAINS`.
        subset: one of the domain's subsets, or ``all``: those with a ground truth, each as a
            sub-split.
        difficulty: ``all``, ``easy``, ``medium`` or ``hard``.
        source: ``hub``, ``sample`` or a folder (`helm_structext.data.load_rows`).
        protocol: ``published`` or ``corrected``; instances are the same in both.
    """

    description = "Write the code that draws a picture"
    tags = ["vision-language"]  # noqa: RUF012 (the type that HELM declares)

    def __init__(
        self, domain: str, subset: str, difficulty: str, source: str, protocol: str
    ) -> None:
        super().__init__()
        self.name = domain
        self.domain = domain
        self.subset = subset
        self.difficulty = difficulty
        self.source = source
        self.protocol = protocol

    def get_instances(self, output_path: str) -> list[Instance]:
        """Returns the instances; their pictures and the answer index go to `output_path`.

        Raises:
            SetupError: the source can't be read, or a row lacks what an instance needs.
        """
        domain = DOMAINS[self.domain]
        subsets = domain.subsets if self.subset == "all" else (self.subset,)
        instances: dict[str, Instance] = {}
        for subset in subsets:
            for row in self._rows(domain, subset):
                instance = self._to_instance(row, domain, subset, Path(output_path))
                if instance.id in instances:
                    raise SetupError(
                        f"{row.origin} has the uuid of an earlier row, '{instance.id}'"
                    )
                instances[str(instance.id)] = instance
        if not instances:
            raise SetupError(
                f"source={self.source} has no {self.domain} instance with subset={self.subset} "
                f"and difficulty={self.difficulty}"
            )
        return list(instances.values())

    def _rows(self, domain: Domain, subset: str) -> Iterator[Row]:
        rows = load_rows(
            self.source,
            benchmark=self.domain,
            dataset=domain.dataset,
            config=subset,
            split="validation",
        )
        for row in rows:
            # The published datasets hold a few rows of other categories.
            if row.text("category") != subset:
                continue
            if self.difficulty in ("all", row.text("difficulty")):
                yield row

    def _to_instance(self, row: Row, domain: Domain, subset: str, folder: Path) -> Instance:
        png = row.picture("image")
        location = folder / "images" / f"{hashlib.sha256(png).hexdigest()}.png"
        if not location.exists():
            write_atomically(location, png)
        uuid = row.text("uuid")

        structure, text = None, ""
        if domain.has_structure(subset):
            structure, text = row.verbatim("structure"), row.verbatim("text")
        elif row.has("oracle_structure"):
            structure = row.verbatim("oracle_structure")
        write_answer(
            folder / "answers",
            request_key(domain.prompt, [png]),
            Answer(uuid, domain.format, structure),
        )

        picture = MediaObject(location=str(location), content_type="image/png")
        prompt = MediaObject(text=domain.prompt, content_type="text/plain")
        return Instance(
            id=uuid,
            input=Input(multimedia_content=MultimediaObject([prompt, picture])),
            references=[
                Reference(
                    Output(text=text, multimedia_content=MultimediaObject([picture])),
                    tags=[CORRECT_TAG],
                )
            ],
            split=VALID_SPLIT,
            sub_split=subset if self.subset == "all" else None,
            extra_data={
                column: row.text(column) for column in ("difficulty", "date") if row.has(column)
            },
        )
