"""Image2Struct: Benchmarking Structure Extraction for Vision-Language Models.

Roberts, Lee, Wong, Yasunaga, Mai and Liang, NeurIPS 2024 (Datasets and Benchmarks).

A model sees a picture and writes the code that draws it. Prompts: Appendix C, in the wording
that the published runs sent.
"""

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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

from helm_structext.cache import store
from helm_structext.data import Row, load_rows
from helm_structext.data.archives import asset_names, unpack_repository
from helm_structext.errors import SetupError
from helm_structext.image2struct.perturbations import perturb
from helm_structext.metrics.sizes import SizeHandling
from helm_structext.models.answer_index import Answer, request_key, write_answer
from helm_structext.sandbox import worker_count

INSTRUCTIONS = "Just give a short answer without answering in a complete sentence."
CHAIN_OF_THOUGHT = (
    "First think step by step about what the image shows and how to write it. "
    "Then give the final answer in one fenced code block."
)
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
    size_handling: SizeHandling

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
    "image2struct_webpage": Domain(
        dataset="stanford-crfm/image2struct-webpage-v1",
        format="webpage",
        subsets=("css", "html", "javascript"),
        wild_subsets=("wild", "wild_legacy"),
        structured=True,
        prompt=(
            "Please generate the source code to generate a webpage that looks like this image as "
            "much as feasibly possible.\n"
            "You should output a json object associating each file name with its content.\n"
            "\n"
            "Here is a simple example of the expected structure (that does not correspond to the "
            "image). In this example, 3 files are created: index.html, style.css and script.js.\n"
            "[\n"
            "  {\n"
            '    "filename": "index.html",\n'
            '    "content": "<!DOCTYPE html>\\n<html>\\n<head>\\n<title>Title of the document'
            "</title>\\n</head>\\n<body>\\n\\n<p>Content of the document......</p>\\n\\n</body>"
            '\\n</html>"\n'
            "  },\n"
            "  {\n"
            '    "filename": "style.css",\n'
            '    "content": "body {\\n  background-color: lightblue;\\n}\\nh1 {\\n  color: white;'
            '\\n  text-align: center;\\n}"\n'
            "  },\n"
            "  {\n"
            '    "filename": "script.js",\n'
            '    "content": "document.getElementById(\\"demo\\").innerHTML = '
            '\\"Hello JavaScript!\\";"\n'
            "  }\n"
            "]\n"
            "You do not have to create files with the same names. Create as many files as you "
            "need, you can even use directories if necessary, they will be created for you "
            "automatically. Try to write some realistic code keeping in mind that it should look "
            "like the image as much as feasibly possible."
        ),
        size_handling="resize",
    ),
    "image2struct_music": Domain(
        dataset="stanford-crfm/image2struct-musicsheet-v1",
        format="lilypond",
        subsets=("music",),
        wild_subsets=(),
        structured=False,
        prompt=(
            "Please generate the Lilypond code to generate a music sheet that looks like this "
            "image as much as feasibly possible.\n"
            "This music sheet was created by me, and I would like to recreate it using Lilypond."
        ),
        size_handling="padding",
    ),
}


@dataclass(frozen=True)
class Problem:
    """What a row says: the picture, what may be used, and what is known of the answer.

    Args:
        uuid: the row's id.
        picture: bytes of a PNG file.
        prompt: the domain's, with the names of the assets.
        assets: files that a completion may refer to: name to content.
        text: the structure reduced to its content; empty where there is none.
        oracle: a right completion, or None; only the oracle model sees it.
    """

    uuid: str
    picture: bytes
    prompt: str
    assets: Mapping[str, bytes]
    text: str
    oracle: str | None


def read_problem(row: Row, domain: Domain, subset: str) -> Problem:
    """Reads a row of a domain's dataset.

    Raises:
        SetupError: the row lacks a column, or holds a broken picture or archive.
    """
    structure = text = oracle = None
    assets: dict[str, bytes] = {}
    if domain.has_structure(subset):
        structure, text = row.verbatim("structure"), row.verbatim("text")
        oracle = structure
    elif row.has("oracle_structure"):
        oracle = row.verbatim("oracle_structure")
    if structure is not None and domain.format == "webpage":
        try:
            files = unpack_repository(structure)
        except ValueError as error:
            raise SetupError(f"{row.origin}: column 'structure': {error}") from error
        assets = {name: files[name] for name in asset_names(files)}
        oracle = _as_completion(files, assets)
    return Problem(
        uuid=row.text("uuid"),
        picture=row.picture("image"),
        prompt=domain.prompt + _asset_list(assets),
        assets=assets,
        text=text or "",
        oracle=oracle,
    )


def _asset_list(assets: Mapping[str, bytes]) -> str:
    if not assets:
        return ""
    return "\nYou have access to the following assets:\n" + "".join(
        f"- {name}\n" for name in assets
    )


def _as_completion(files: Mapping[str, bytes], assets: Mapping[str, bytes]) -> str:
    """A repository as a model would write it: the text files, without the assets."""
    return json.dumps(
        [
            {"filename": name, "content": content.decode("utf-8", "replace")}
            for name, content in files.items()
            if name not in assets
        ],
        ensure_ascii=False,
    )


class Image2StructScenario(Scenario):
    """One domain's instances: an input picture, and where it exists the structure behind it.

    Args:
        domain: a key of `DOMAINS`.
        subset: one of the domain's subsets, or ``all``: those with a ground truth, each as a
            sub-split.
        difficulty: ``all``, ``easy``, ``medium`` or ``hard``.
        source: ``hub``, ``sample`` or a folder (`helm_structext.data.load_rows`).
        protocol: ``published`` or ``corrected``; instances are the same in both.
        perturbation: ``none``, or a key of `helm_structext.image2struct.perturbations.PERTURBATIONS`: how the
            input picture (never the reference) is made worse.
        severity: 1 to 5.
        wording: a label of the instructions, which the run's adapter holds.
    """

    description = "Write the code that draws a picture"
    tags = ["vision-language"]  # noqa: RUF012 (the type that HELM declares)

    def __init__(
        self,
        domain: str,
        subset: str,
        difficulty: str,
        source: str,
        protocol: str,
        perturbation: str = "none",
        severity: int = 3,
        wording: str = "default",
    ) -> None:
        super().__init__()
        self.name = domain
        self.domain = domain
        self.subset = subset
        self.difficulty = difficulty
        self.source = source
        self.protocol = protocol
        self.perturbation = perturbation
        self.severity = severity
        self.wording = wording

    def get_instances(self, output_path: str) -> list[Instance]:
        """Returns the instances; their pictures and the answer index go to `output_path`.

        Raises:
            SetupError: the source can't be read, or a row lacks what an instance needs.
        """
        domain = DOMAINS[self.domain]
        subsets = domain.subsets if self.subset == "all" else (self.subset,)
        rows = [(row, subset) for subset in subsets for row in self._rows(domain, subset)]
        instances: dict[str, Instance] = {}
        # Most of the time goes to decoding pictures, which threads do at once.
        with ThreadPoolExecutor(worker_count()) as threads:
            made = threads.map(
                lambda pair: self._to_instance(pair[0], pair[1], domain, Path(output_path)), rows
            )
            for (row, _), instance in zip(rows, made, strict=True):
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
            if self.difficulty == "all" or row.text("difficulty") == self.difficulty:
                yield row

    def _to_instance(self, row: Row, subset: str, domain: Domain, folder: Path) -> Instance:
        problem = read_problem(row, domain, subset)
        seen = problem.picture
        if self.perturbation != "none":
            seen = perturb(seen, self.perturbation, self.severity)
        write_answer(
            folder / "answers",
            request_key(problem.prompt, [seen]),
            Answer(problem.uuid, domain.format, problem.oracle),
        )
        pictures = [
            MediaObject(
                location=str(store(folder / "images", png, "png")), content_type="image/png"
            )
            for png in (seen, problem.picture)
        ]
        prompt = MediaObject(text=problem.prompt, content_type="text/plain")
        extra_data: dict[str, Any] = {
            column: row.text(column) for column in ("difficulty", "date") if row.has(column)
        }
        if problem.assets:
            extra_data["assets"] = {
                name: str(store(folder / "assets", content, name.rpartition(".")[2].lower()))
                for name, content in problem.assets.items()
            }
        return Instance(
            id=problem.uuid,
            input=Input(multimedia_content=MultimediaObject([prompt, pictures[0]])),
            references=[
                Reference(
                    Output(text=problem.text, multimedia_content=MultimediaObject([pictures[1]])),
                    tags=[CORRECT_TAG],
                )
            ],
            split=VALID_SPLIT,
            sub_split=subset if self.subset == "all" else None,
            extra_data=extra_data,
        )
