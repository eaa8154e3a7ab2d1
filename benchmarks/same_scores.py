"""The same answers through `helm-run`, Inspect, a server and this process: all numbers have to be equal.

    make setup .venv-integrations/inspect/installed
    .venv-integrations/inspect/bin/python benchmarks/same_scores.py

The answers are those to the samples of all three benchmarks: right, wrong and broken ones. Each way's
metrics are compared with those of `helm-run` to the last bit, and so is whether and why an answer
failed; the server runs in this project's own environment. Prints how much was compared, and exits
with an error if anything differs.
"""

import asyncio
import base64
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import ChatMessage, Model, ModelOutput, ModelUsage, get_model

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]

from helm_structext.image2struct.scores import DISTANCES  # noqa: E402
from helm_structext.integrations.training import items, training_set  # noqa: E402
from helm_structext.models.answer_index import request_key  # noqa: E402
from helm_structext.rewards import BaseReward, RewardResult  # noqa: E402
from helm_structext.serving.client import Client, Result  # noqa: E402
from helm_structext.serving.local import Local  # noqa: E402
from support import commands  # noqa: E402
from support.helm import helm_run, init, suite  # noqa: E402
from support.replies import ENTRIES, replies  # noqa: E402

PROGRAMS = ROOT / ".venv" / "bin"
"""Of this project's own environment, which has HELM."""
commands.BIN, commands.FORKED = PROGRAMS, ()
MODEL = "careless"
UNKNOWN = "unknown"
"""The kind of failure where HELM's runs keep none, as MMR's don't."""
Key = tuple[str, str]
"""A run entry of `ENTRIES`, and an instance."""


@dataclass(frozen=True)
class Answer:
    """What one way says of an answer.

    Args:
        scores: metric to value; without a value it is absent.
        kind: why it failed, or None; `UNKNOWN` where nothing says so.
    """

    scores: Mapping[str, float]
    kind: str | None


def main() -> int:
    """Compares."""
    with tempfile.TemporaryDirectory() as folder:
        completions, by_helm = through_helm(Path(folder, "helm"))
        asked: dict[Key, dict[str, Any]] = {}
        for entry in ENTRIES:
            found = training_set(entry)
            for id, item in items(found).items():
                asked[entry, id] = item_of(
                    item, completions[entry, id], by_helm[entry, id], found.rewards[id]
                )
        ways = {
            "Inspect": through_inspect(Path(folder, "inspect")),
            "a server": dict(
                zip(asked, map(answer, through_server([*asked.values()])), strict=True)
            ),
            "this process": dict(
                zip(asked, map(answer, in_process([*asked.values()])), strict=True)
            ),
        }
    failed = sum(one.kind is not None for one in ways["Inspect"].values())
    print(f"{len(by_helm)} answers, of which {failed} failed")
    differing = []
    for name, answers in ways.items():
        compared = 0
        for key, right in by_helm.items():
            here = answers[key]
            shared = here.scores.keys() & right.scores.keys()
            compared += len(shared)
            if missing := asked[key]["components"].keys() - shared:
                differing.append(f"{name}: {key}: no {', '.join(sorted(missing))}")
            if right.kind not in (here.kind, UNKNOWN):
                differing.append(f"{name}: {key}: {here.kind} instead of {right.kind}")
            differing += [
                f"{name}: {key}: {metric} {here.scores[metric]!r} instead of {right.scores[metric]!r}"
                for metric in shared
                if here.scores[metric] != right.scores[metric]
            ]
        print(f"{name}: {compared} values compared with those of helm-run")
    print("\n".join(differing[:20]) or "none differs")
    return bool(differing)


def through_helm(folder: Path) -> tuple[dict[Key, str], dict[Key, Answer]]:
    """Returns the completions, and what a run of HELM says of them."""
    folder.mkdir()
    init(folder)
    completions, answers = {}, {}
    for entry in ENTRIES:
        run_entry = f"{entry},model=structext/replay-{MODEL}"
        helm_run(folder, "--run-entries", run_entry, "--max-eval-instances", "1000")
    for run in suite(folder).glob("*/per_instance_stats.json"):
        entry = next(
            entry
            for entry in ENTRIES
            if entry.partition(":")[0] == run.parent.name.partition(":")[0]
        )
        scores: dict[str, dict[str, float]] = defaultdict(dict)
        for one in json.loads(run.read_text()):
            scores[one["instance_id"]] |= {
                stat["name"]["name"]: stat["mean"]
                for stat in one["stats"]
                if stat["count"] and isfinite(stat["mean"])
            }
        for state in json.loads(run.with_name("scenario_state.json").read_text())["request_states"]:
            id = state["instance"]["id"]
            completions[entry, id] = state["result"]["completions"][0]["text"]
            said = (state.get("annotations") or {}).get("rendering") or [{"kind": UNKNOWN}]
            answers[entry, id] = Answer(scores[id], said[0].get("kind"))
    return completions, answers


def through_inspect(folder: Path) -> dict[Key, Answer]:
    """Returns what Inspect's logs say of the same completions."""
    written = replies(MODEL)
    found = {}
    for entry in ENTRIES:
        name, _, arguments = entry.partition(":")
        (log,) = inspect_eval(
            f"helm_structext/{name}",
            model=replaying(written),
            log_dir=str(folder),
            display="none",
            task_args=dict(part.split("=") for part in arguments.split(",")),
        )
        for sample in read_eval_log(log.location).samples or []:
            score = (sample.scores or {})["structext"]
            assert isinstance(score.value, dict)
            values = {name: value for name, value in score.value.items() if isfinite(value)}
            found[entry, str(sample.id)] = Answer(values, (score.metadata or {})["error_kind"])
    return found


def replaying(written: Mapping[str, str]) -> Model:
    """Inspect's own mock of a model, which answers from a list."""

    def output(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        content = messages[0].content
        assert not isinstance(content, str)
        text = "".join(part.text for part in content if part.type == "text")
        uris = [part.image for part in content if part.type == "image"]
        pictures = [base64.b64decode(uri.partition(",")[2]) for uri in uris]
        made = ModelOutput.from_content("mockllm/model", written[request_key(text, pictures)])
        made.usage = ModelUsage()
        return made

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def item_of(
    item: Mapping[str, Any], completion: str, known: Answer, reward: BaseReward
) -> dict[str, Any]:
    """An item as a server takes it, with all components that HELM has a value of, and no guards."""
    names = known.scores.keys() & reward.known_components()
    components = {name: -1.0 if name in DISTANCES else 1.0 for name in names}
    least = sum(min(weight, 0.0) for weight in components.values())
    asked = {"completion": completion, "components": components, "failure": least}
    return {**item, "guards": [], **asked}


def through_server(asked: Sequence[Mapping[str, Any]]) -> list[Result]:
    """Asks a server on this machine for all of them."""
    with subprocess.Popen(
        [PROGRAMS / "helm-structext", "serve", "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            with Client(server.stdout.readline().split()[-1]) as client:
                return client.score(asked)
        finally:
            server.terminate()


def in_process(asked: Sequence[Mapping[str, Any]]) -> list[RewardResult]:
    """Scores all of them here."""
    return asyncio.run(Local().score_async(asked))


def answer(result: Result | RewardResult) -> Answer:
    """What a reward says."""
    values = {name: value for name, value in result.components.items() if value is not None}
    return Answer(values, result.error_kind)


if __name__ == "__main__":
    sys.exit(main())
