"""Image2Struct: Benchmarking Structure Extraction for Vision-Language Models.

Roberts, Lee, Wong, Yasunaga, Mai and Liang, NeurIPS 2024 (Datasets and Benchmarks).

A model sees a picture and writes the code that draws it.
"""

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

from helm_structext.data import NEWEST, Row, provenance
from helm_structext.formats import FORMATS
from helm_structext.image2struct.perturbations import perturb
from helm_structext.image2struct.rows import read_problem, round_of, rows_of_run, store_assets
from helm_structext.image2struct.tasks import DOMAINS, Domain
from helm_structext.models.answer_index import Answer, request_key, write_answer
from helm_structext.processes import map_in_threads
from helm_structext.storage.cache import store


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
        rows = rows_of_run(self.domain, self.subset, self.difficulty, self.source, self.revision)
        # Most of the time goes to decoding pictures, which threads do at once.
        return list(
            map_in_threads(lambda found: self._to_instance(*found, domain, Path(output_path)), rows)
        )

    def _to_instance(self, row: Row, subset: str, domain: Domain, folder: Path) -> Instance:
        problem = read_problem(row, domain, subset)
        seen = perturb(problem.picture, self.perturbation, self.severity)
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
