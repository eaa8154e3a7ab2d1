"""What describes the rows of StructEval's dataset: Tables 1 and 7."""

from collections.abc import Iterator

from helm_structext.results.descriptions import RowFacts
from helm_structext.structeval.rows import StructEvalQuestion, load_questions
from helm_structext.structeval.tasks import TASKS

SUBSET_LABELS = {
    "t_generation": "SE-T-gen",
    "t_conversion": "SE-T-conv",
    "v_generation": "SE-V-gen",
    "v_conversion": "SE-V-conv",
}
"""Subset to its name in Table 1."""


def describe_source(entry: str, source: str, revision: str) -> Iterator[RowFacts]:
    """Yields what describes each row.

    Args:
        entry: the name of the run entry.
        source: ``hub``, ``sample`` or a folder.
        revision: of the published dataset.

    Raises:
        SetupError: the source can't be read, or a row is not as it should be.
    """
    return map(_of_question, load_questions(source, TASKS, revision))


def _of_question(question: StructEvalQuestion) -> RowFacts:
    kind = question.kind
    numbers = {"Keywords": float(len(question.keywords))}
    texts = {"Queries": question.query, "Keywords": "\n".join(question.keywords)}
    if kind.rendered:  # nothing else is asked about
        numbers["Question pairs"] = float(len(question.pairs))
        texts["Questions"] = "\n".join(pair["question"] for pair in question.pairs)
    return RowFacts({"Subset": SUBSET_LABELS[kind.subset], "Task": kind.name}, numbers, texts)
