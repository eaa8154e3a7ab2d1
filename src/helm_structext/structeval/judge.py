"""StructEval's judge: a vision-language model that is asked what can be seen in a rendered picture.

The verdict on an answer, which nobody gives where nothing is to be seen (text formats), has

- ``text``: question, expected answer and verdict line by line, for people;
- ``judge``: the judge as the run entry names it;
- ``answers``: for each pair of question and answer true, false, or None for no verdict;
- ``vqa_score``: the share of true ones, in [0, 1], higher is better; None in ``corrected`` where
  the judge's reply can't be read: it is the judge's failure, and the answer has no such score;
- ``parsed``: whether the judge's reply could be read; true also where no judge was asked;
- ``unread``: why it could not (`helm_structext.structeval.verdicts`), or "";
- ``reply``: what the judge wrote last, or None where none was asked;
- ``requests``: how often it was asked: once, in ``corrected`` again where the reply was empty or
  cut, and never where the completion gave no picture, which has a score of 0 by itself;
- ``prompt_tokens``, ``completion_tokens``: what the requests took as their provider counts, the
  picture included, or None where the provider does not say; the same from HELM's cache.

HELM's costs.json leaves out what annotators ask for, hence the last three.

Source: StructEval, section 3 ("VQA Score") and Figure 5; prompt and the score of 0 without a picture
as in the published code.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from helm_structext.baselines import OCR_JUDGE
from helm_structext.protocols import ProtocolName
from helm_structext.scoring.handling import JUDGE, Failure
from helm_structext.structeval.verdicts import Unread, Verdict, read_verdicts

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


class Judge(Protocol):
    """Who is asked about pictures.

    Attributes:
        name: as in run entries.
    """

    name: str

    def look(
        self, picture: Path | None, pairs: Sequence[Pair], protocol: ProtocolName
    ) -> dict[str, Any]:
        """Returns the annotation of a picture, or of None where nothing was rendered.

        Args:
            picture: a PNG file, or None.
            pairs: what to ask about.
            protocol: by which the reply is read, ``published`` or ``corrected``.

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


def vqa_score(verdicts: Sequence[Verdict]) -> float:
    """Returns the share of pairs that are true, in [0, 1]; no verdict counts as wrong.

    Without pairs it is 0, as published.

    >>> vqa_score([True, None, False, True])
    0.5
    """
    return sum(verdict is True for verdict in verdicts) / len(verdicts) if verdicts else 0.0


class JudgeReply(NamedTuple):
    """What a judge wrote, what that took (None where its provider does not say), and whether it was cut."""

    text: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cut: bool = False


def needs_room(reply: JudgeReply, count: int, protocol: ProtocolName) -> bool:
    """Says whether a judge is asked again, with room for a longer reply: the published one never is.

    Args:
        reply: what the judge said.
        count: how many questions it was asked.
        protocol: by whose rules verdicts are read.

    >>> needs_room(JudgeReply('{"1": tr', 900, 4000, cut=True), 1, "corrected")
    True
    """
    read = read_verdicts(reply.text, count, protocol)
    return protocol == "corrected" and isinstance(read, Unread) and (read.short or reply.cut)


def annotation(
    judge: str, pairs: Sequence[Pair], replies: Sequence[JudgeReply], protocol: ProtocolName
) -> dict[str, Any]:
    """Returns the annotation of one answer; see the module's docstring.

    Args:
        judge: its name in the run entry.
        pairs: what it was asked about.
        replies: what it wrote, the last of which is read; none where there was no picture, or no
            pair, and nobody was asked.
        protocol: ``published`` or ``corrected``.

    >>> pairs = [{"question": "How many rows?", "answer": "3"}]
    >>> found = annotation("me/judge", pairs, [JudgeReply('{"1": true}', 900, 8)], "published")
    >>> print(found["text"])
    me/judge: 1 of 1
    true: How many rows? 3
    >>> found["answers"], found["vqa_score"], found["prompt_tokens"]
    ([True], 1.0, 900)
    >>> annotation("me/judge", pairs, [], "published")["requests"]
    0
    >>> found = annotation("me/judge", pairs, [JudgeReply("Hm.", 900, 8)], "corrected")
    >>> found["vqa_score"], found["unread"]
    (None, 'has no verdicts')
    """
    reply = replies[-1].text if replies else None
    verdicts: Sequence[Verdict] = [None] * len(pairs)
    unread = ""
    if reply is not None:
        read = read_verdicts(reply, len(pairs), protocol)
        if isinstance(read, Unread):
            unread = read.reason
        else:
            verdicts = read
    lines = (
        f"{json.dumps(verdict)}: {pair['question']} {pair['answer']}"
        for verdict, pair in zip(verdicts, pairs, strict=True)
    )
    said = "unreadable" if unread else f"{verdicts.count(True)} of {len(pairs)}"
    return {
        "text": "\n".join([f"{judge}: {said}{' (no picture)' if reply is None else ''}", *lines]),
        "judge": judge,
        "answers": verdicts,
        "vqa_score": None if unread and protocol == "corrected" else vqa_score(verdicts),
        "parsed": not unread,
        "unread": unread,
        "reply": reply,
        "requests": len(replies),
        "prompt_tokens": add_tokens(reply.prompt_tokens for reply in replies),
        "completion_tokens": add_tokens(reply.completion_tokens for reply in replies),
    }


def judge_failure(verdict: Mapping[str, Any] | None) -> Failure | None:
    """Returns why an answer has no verdict though a judge was asked, or None.

    Args:
        verdict: see the module's docstring; None without a judge.

    >>> print(judge_failure({"vqa_score": None, "unread": "has no verdicts"}))
    judge: the judge's reply has no verdicts
    """
    if verdict is None or verdict["vqa_score"] is not None:
        return None
    return Failure(JUDGE, f"the judge's reply {verdict['unread']}")


def add_tokens(numbers: Iterable[int | None]) -> int | None:
    """Returns the sum of what requests took, or None where that of any is unknown.

    >>> add_tokens([9, 5]), add_tokens([9, None]), add_tokens([])
    (14, None, 0)
    """
    known = list(numbers)
    return None if None in known else sum(number or 0 for number in known)
