"""StructEval's judge: a vision-language model that is asked what can be seen in a rendered picture.

The verdict on an answer, which nobody gives where nothing is to be seen (text formats), has

- ``text``: question, expected answer and verdict line by line, for people;
- ``judge``: the judge as the run entry names it;
- ``answers``: for each pair of question and answer true, false, or None for no verdict;
- ``vqa_score``: the share of true ones, in [0, 1], higher is better;
- ``parsed``: whether the judge's reply could be read; true also where no judge was asked;
- ``reply``: what the judge wrote, or None where none was asked;
- ``requests``: 1, or 0 where the completion gave no picture, which has a score of 0 by itself;
- ``prompt_tokens``, ``completion_tokens``: what the request took as its provider counts, the
  picture included, or None where the provider does not say; the same from HELM's cache.

HELM's costs.json leaves out what annotators ask for, hence the last three.

Source: StructEval, section 3 ("VQA Score") and Figure 5; prompt, parsing and the score of 0 without
a picture as in the published code.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from helm_structext.baselines import OCR_JUDGE

DEFAULT_JUDGE = "openai/gpt-4.1-mini"

NO_JUDGE = "none"
"""Instead of a judge: no VQA score, and no final score of what is to be seen."""

NOT_COMPARABLE = frozenset({OCR_JUDGE})
"""Judges whose scores say nothing beside those of a vision-language model."""

# "output falseBase" is as published: a space is missing there.
PROMPT = (
    "You are given an image and a list of question-answer pairs. For each pair, verify if the "
    "image content supports the expected answer based on the corresponding question. If the image "
    "is fully white, then you should always output falseBase your judgment solely on the visual "
    "content of the provided image, and the question. Do not imagine anything. Do not use any "
    "external information or common-sense reasoning beyond what is visible. Respond with a JSON "
    'object mapping each question number to true or false (e.g., {"1": true, "2": false}). If the '
    "image is unclear or does not contain enough information to answer, use null for that "
    "question. Here are the question-answer pairs:\n"
)

Pair = Mapping[str, str]
"""``question`` and ``answer``, as in the column `VQA`."""

Verdict = bool | None


class Judge(Protocol):
    """Who is asked about pictures.

    Attributes:
        name: as in run entries.
    """

    name: str

    def look(self, picture: Path | None, pairs: Sequence[Pair]) -> dict[str, Any]:
        """Returns the annotation of a picture, or of None where nothing was rendered.

        Raises:
            SetupError: the judge can't be reached.
        """
        ...


def judge_prompt(pairs: Sequence[Pair]) -> str:
    """Returns what a judge is asked about a picture.

    >>> pairs = [{"question": "How many rows?", "answer": "3"}]
    >>> judge_prompt(pairs).splitlines()[-1]
    '1. Question: How many rows? Expected Answer: 3'
    """
    lines = (
        f"{number}. Question: {pair['question']} Expected Answer: {pair['answer']}\n"
        for number, pair in enumerate(pairs, 1)
    )
    return PROMPT + "".join(lines)


def read_verdicts(reply: str, count: int) -> list[Verdict] | None:
    """Reads a judge's reply by the published rule, which is strict.

    Args:
        reply: a JSON object and nothing else: no fence, no word before or after it.
        count: how many pairs were asked about.

    Returns:
        A verdict for each pair, None where the reply has null, something else, or nothing; or
        None instead of the list if the reply is no JSON object.

    >>> read_verdicts('{"1": true, "2": null, "4": "true"}', 4)
    [True, None, None, None]
    >>> read_verdicts('```json\\n{"1": true}\\n```', 1) is None
    True
    """
    try:
        said = json.loads(reply)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    found = (said.get(str(number)) for number in range(1, count + 1))
    return [verdict if isinstance(verdict, bool) else None for verdict in found]


def vqa_score(verdicts: Sequence[Verdict]) -> float:
    """Returns the share of pairs that are true, in [0, 1]; no verdict counts as wrong.

    Without pairs it is 0, as published.

    >>> vqa_score([True, None, False, True])
    0.5
    """
    return sum(verdict is True for verdict in verdicts) / len(verdicts) if verdicts else 0.0


class JudgeReply(NamedTuple):
    """What a judge wrote, and what that took; None where its provider does not say."""

    text: str
    prompt_tokens: int | None
    completion_tokens: int | None


def annotation(judge: str, pairs: Sequence[Pair], reply: JudgeReply | None) -> dict[str, Any]:
    """Returns the annotation of one answer; see the module's docstring.

    Args:
        judge: its name in the run entry.
        pairs: what it was asked about.
        reply: what it wrote, or None where there was no picture, or no pair, and nobody was asked.

    >>> pairs = [{"question": "How many rows?", "answer": "3"}]
    >>> found = annotation("me/judge", pairs, JudgeReply('{"1": true}', 900, 8))
    >>> print(found["text"])
    me/judge: 1 of 1
    true: How many rows? 3
    >>> found["answers"], found["vqa_score"], found["prompt_tokens"]
    ([True], 1.0, 900)
    >>> annotation("me/judge", pairs, None)["requests"]
    0
    """
    read = read_verdicts(reply.text, len(pairs)) if reply else None
    verdicts = read or [None] * len(pairs)
    lines = (
        f"{json.dumps(verdict)}: {pair['question']} {pair['answer']}"
        for verdict, pair in zip(verdicts, pairs, strict=True)
    )
    said = f"{verdicts.count(True)} of {len(pairs)}" if read or not reply else "unreadable"
    return {
        "text": "\n".join([f"{judge}: {said}{'' if reply else ' (no picture)'}", *lines]),
        "judge": judge,
        "answers": verdicts,
        "vqa_score": vqa_score(verdicts),
        "parsed": reply is None or read is not None,
        "reply": reply.text if reply else None,
        "requests": int(reply is not None),
        "prompt_tokens": reply.prompt_tokens if reply else 0,
        "completion_tokens": reply.completion_tokens if reply else 0,
    }
