"""StructEval: Benchmarking LLMs' Capabilities to Generate Structural Outputs.

Yang et al., 2025 (arXiv 2505.20139).

A model writes a structure: from a description, or out of another format. Some structures are text
(StructEval-T), others are rendered and looked at by a judge (StructEval-V). 44 tasks with 2,035
rows.
"""

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

from helm_structext.data import NEWEST, provenance
from helm_structext.models.answer_index import Answer, request_key, write_answer
from helm_structext.structeval.rows import Question, questions_of_run
from helm_structext.structeval.tasks import blank_answer, prompt_of, tasks_of


class StructEvalScenario(Scenario):
    """Structures to be written from a description, or out of another format.

    Args:
        task: a key of `helm_structext.structeval.tasks.TASKS`, or ``all``.
        subset: one of `helm_structext.structeval.tasks.SUBSETS`, or ``all``. Where several tasks are
            asked for, each is a sub-split.
        source: ``hub``, ``sample`` or a folder (`helm_structext.data.load_rows`).
        protocol: ``published`` or ``corrected``; instances are the same in both.
        revision: of the published dataset: a branch, a tag or a commit.
    """

    name = "structeval"
    description = "Write structures in 18 formats"
    tags = ["structured output"]  # noqa: RUF012 (the type that HELM declares)

    def __init__(
        self, task: str, subset: str, source: str, protocol: str, revision: str = NEWEST
    ) -> None:
        super().__init__()
        self.task = task
        self.subset = subset
        self.source = source
        self.protocol = protocol
        self.revision = revision

    def get_instances(self, output_path: str) -> list[Instance]:
        """Returns the instances; the answer index goes to `output_path`.

        Raises:
            SetupError: the source can't be read, a row is not as it should be, or a task has none.
        """
        tasks = tasks_of(self.task, self.subset)
        questions = questions_of_run(self.source, tasks, self.revision)
        for question in questions:
            write_answer(
                Path(output_path) / "answers",
                request_key(prompt_of(question.query), []),
                Answer(
                    question.id,
                    question.kind.format,
                    question.oracle,
                    blank_answer(question.kind.format),
                ),
            )
        return [_instance(question, len(tasks) > 1) for question in questions]


def _instance(question: Question, several_tasks: bool) -> Instance:
    oracle = question.oracle
    return Instance(
        id=question.id,
        input=Input(text=question.query),
        references=[] if oracle is None else [Reference(Output(text=oracle), tags=[CORRECT_TAG])],
        split=TEST_SPLIT,
        sub_split=question.task if several_tasks else None,
        extra_data={
            "task": question.task,
            "task_id": question.id,
            "format": question.kind.format,
            "keywords": question.keywords,
            "vqa": question.pairs,
            **provenance(question.dataset),
        },
    )
