"""MMR: Evaluating Reading Ability of Large Multimodal Models.

Chen, Zhang, Zhou, Rossi, Gu and Chen, 2024 (arXiv 2408.14594).

A model sees a picture with much text in it, a cover or a poster, and answers a question about it.
Eleven tasks, of which the first 50 questions each count.
"""

from collections import Counter
from pathlib import Path

from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
)
from helm.common.hierarchical_logger import hlog, hwarn
from helm.common.media_object import MediaObject, MultimediaObject

from helm_structext.data import NEWEST, Row, provenance
from helm_structext.errors import SetupError
from helm_structext.mmr.replies import Box
from helm_structext.mmr.rows import rows_of_run
from helm_structext.mmr.tasks import KINDS, TASKS, prompt_of, read_answer
from helm_structext.models.answer_index import Answer, request_key, write_answer
from helm_structext.storage.cache import store


class MMRScenario(Scenario):
    """Questions about pictures with much text in them.

    Args:
        task: a key of `helm_structext.mmr.tasks.TASKS`, or ``all``: each task as a sub-split.
        source: ``hub``, ``sample`` or a folder (`helm_structext.data.load_rows`).
        limit: how many of each task's rows to take, from the first; fewer are logged.
        system: a key of `helm_structext.mmr.tasks.SYSTEMS`.
        lenient: the scale of boxes in lenient scores, or ``none``; instances do not depend on it.
        revision: of the published dataset: a branch, a tag or a commit.
    """

    name = "mmr"
    description = "Read pictures with much text in them"
    tags = ["vision-language"]  # noqa: RUF012 (the type that HELM declares)

    def __init__(
        self,
        task: str,
        source: str,
        limit: int,
        system: str,
        lenient: str,
        revision: str = NEWEST,
    ) -> None:
        super().__init__()
        self.task = task
        self.source = source
        self.limit = limit
        self.system = system
        self.lenient = lenient
        self.revision = revision

    def get_instances(self, output_path: str) -> list[Instance]:
        """Returns the instances; their pictures and the answer index go to `output_path`.

        Raises:
            SetupError: the source can't be read, or a row lacks what an instance needs.
        """
        tasks = tuple(TASKS) if self.task == "all" else (self.task,)
        found: Counter[str] = Counter()
        instances = []
        for row, task, name in rows_of_run(self.source, tasks, self.limit, self.revision):
            instances.append(self._to_instance(row, task, name, Path(output_path)))
            found[task] += 1
        for task in tasks:
            if found[task] < self.limit:
                hlog(f"mmr: all {found[task]} rows of task {task}; the limit is {self.limit}")
        return instances

    def _to_instance(self, row: Row, task: str, name: str, folder: Path) -> Instance:
        kind = TASKS[task]
        answer, picture = row.verbatim("Answer"), row.base64_picture("image")
        try:
            truth = read_answer(kind, answer)
        except ValueError as error:
            raise SetupError(f"{row.origin}: column 'Answer': {error}") from error
        if truth.box is not None and _is_odd(truth.box):
            hwarn(
                f"{row.origin}: the box {list(truth.box)} is kept, although it is no part of 0 to 1"
            )
        prompt = prompt_of(row.verbatim("Question"), kind, self.system)
        write_answer(
            folder / "answers",
            request_key(prompt, [picture]),
            Answer(name, KINDS[kind].format, KINDS[kind].write(truth), KINDS[kind].blank),
        )
        image = MediaObject(
            location=str(store(folder / "images", picture, "png")), content_type="image/png"
        )
        return Instance(
            id=name,
            input=Input(
                multimedia_content=MultimediaObject(
                    [MediaObject(text=prompt, content_type="text/plain"), image]
                )
            ),
            references=[Reference(Output(text=answer), tags=[CORRECT_TAG])],
            split=TEST_SPLIT,
            sub_split=task if self.task == "all" else None,
            extra_data={
                "task": task,
                "img_id": row.verbatim("img_id"),
                **provenance(row.dataset),
            },
        )


def _is_odd(box: Box) -> bool:
    x_min, y_min, x_max, y_max = box
    return not (0 <= x_min < x_max <= 1 and 0 <= y_min < y_max <= 1)
