"""Image2Struct: Benchmarking Structure Extraction for Vision-Language Models.

Roberts, Lee, Wong, Yasunaga, Mai and Liang, NeurIPS 2024 (Datasets and Benchmarks).

A model sees a picture and writes the code that draws it.
"""

from concurrent.futures import ThreadPoolExecutor
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
from helm_structext.data import NEWEST, Row, provenance
from helm_structext.errors import SetupError
from helm_structext.formats import FORMATS
from helm_structext.image2struct.perturbations import perturb
from helm_structext.image2struct.rows import read_problem, round_of, rows_of, store_assets
from helm_structext.image2struct.tasks import DOMAINS, Domain
from helm_structext.models.answer_index import Answer, request_key, write_answer
from helm_structext.sandbox import worker_count


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
        revision: of the published dataset: a branch, a tag or a commit.
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
        revision: str = NEWEST,
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
        self.revision = revision

    def get_instances(self, output_path: str) -> list[Instance]:
        """Returns the instances; their pictures and the answer index go to `output_path`.

        Raises:
            SetupError: the source can't be read, or a row lacks what an instance needs.
        """
        domain = DOMAINS[self.domain]
        subsets = domain.subsets if self.subset == "all" else (self.subset,)
        rows = [
            (row, subset)
            for subset in subsets
            for row in rows_of(self.domain, subset, self.difficulty, self.source, self.revision)
        ]
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

    def _to_instance(self, row: Row, subset: str, domain: Domain, folder: Path) -> Instance:
        problem = read_problem(row, domain, subset)
        seen = problem.picture
        if self.perturbation != "none":
            seen = perturb(seen, self.perturbation, self.severity)
        write_answer(
            folder / "answers",
            request_key(problem.prompt, [seen]),
            Answer(problem.uuid, domain.format, problem.oracle, FORMATS[domain.format].blank),
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
        if name := round_of(row):
            extra_data["round"] = name
        if row.has("download_url"):  # several pictures may come from one paper
            extra_data["origin"] = row.text("download_url")
        extra_data |= provenance(row.dataset)
        if problem.assets:
            stored = store_assets(folder / "assets", problem)
            extra_data["assets"] = {name: str(path) for name, path in stored.items()}
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
