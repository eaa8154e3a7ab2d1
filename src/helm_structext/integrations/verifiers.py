"""Rewards for verifiers: a taskset with the questions of a run entry, and an environment that asks them.

    vf-eval helm-structext-verifiers --env.taskset.entry mmr:task=font_color,source=sample

A reply is scored in this process, or by the server whose address is in the task's `url` or in
HELM_STRUCTEXT_SERVE_URL. Its trace gets the components, the kind of its failure and its times as
metrics. A reply without a score for no fault of its own ends its trace with an error instead of a
reward.
"""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from openai import AsyncOpenAI, OpenAIError
from verifiers.v1.dialects.chat import message_to_wire

from helm_structext.integrations.evaluations import Question
from helm_structext.integrations.trainers import batch_means, client_of, score_of
from helm_structext.integrations.training import items, training_set
from helm_structext.rewards import GUARDS


class StructextTaskConfig(vf.TaskConfig):
    """What may be said of all tasks, as ``--env.taskset.task.…``."""

    url: str | None = None
    """The address of a server that scores; its token is in HELM_STRUCTEXT_SERVE_TOKEN."""


class StructextConfig(vf.TasksetConfig):
    """What may be said of a taskset, as ``--env.taskset.…``."""

    entry: str = "mmr:source=sample"
    """A run entry; see `helm_structext.integrations.training.training_set`."""
    components: dict[str, float] | None = None
    """Metric to weight; by default those of the benchmark's reward."""
    failure: float = 0.0
    """The score of a reply that failed."""
    guards: tuple[str, ...] = GUARDS
    """Against tricks; see `helm_structext.rewards.BaseReward`."""
    timeout: float | None = None
    """Seconds of work for a rendering; by default the format's."""
    train_on_published_benchmark: bool = False
    """Whether the source may be a benchmark's published dataset."""
    task: StructextTaskConfig = StructextTaskConfig()


class StructextData(vf.TaskData):
    """A question, and what replies are scored by."""

    item: dict[str, Any]
    """As a server takes it, without a completion."""


class StructextTask(vf.Task[StructextData, vf.State, StructextTaskConfig]):
    """A question with its reward."""

    @property
    def key(self) -> str:
        return str(self.data.id)

    @vf.reward
    async def structext(self, trace: vf.Trace) -> float:
        """Scores a reply, and records what its score is made of."""
        client = client_of(self.config.url)
        (result,) = await client.score_async([{**self.data.item, "completion": _reply(trace)}])
        trace.record_metrics(batch_means([result], result.components))
        trace.info["structext"] = {"error_kind": result.error_kind, "message": result.message}
        return score_of(result)


class StructextTaskset(vf.Taskset[StructextTask, StructextConfig]):
    """The questions of a run entry, as `helm-run` asks them."""

    def load(self) -> Iterator[StructextTask]:
        """Yields the questions, in HELM's order."""
        config = self.config
        found = training_set(
            config.entry,
            config.components,
            failure=config.failure,
            guards=config.guards,
            timeout=config.timeout,
            train_on_published_benchmark=config.train_on_published_benchmark,
        )
        asked = items(found)
        for question in found.questions:
            data = StructextData(
                id=question.id,
                name=question.part,
                prompt=[vf.UserMessage(content=_content(question))],
                item=asked[question.id],
            )
            yield StructextTask(data, config.task)


class StructextHarness(vf.Harness[vf.HarnessConfig]):
    """Asks once, without tools, in this process: what is rendered has a sandbox of its own."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Asks the model, which verifiers puts behind an address of this machine."""
        system, prompt = self.resolve_prompt(data)
        messages = [vf.UserMessage(content=prompt)] if isinstance(prompt, str) else prompt or []
        if system:
            messages = [vf.SystemMessage(content=system), *messages]
        wire: Any = [message_to_wire(message) for message in messages]
        # How long it may take is the agent's `timeout`.
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, timeout=None) as client:
            try:
                await client.chat.completions.create(model=ctx.model, messages=wire)
            except OpenAIError as error:
                return vf.ProgramResult(1, "", f"{type(error).__name__}: {error}")
        return vf.ProgramResult(0, "", "")


class StructextEnvConfig(vf.SingleAgentEnvConfig):
    """An environment with one agent, which needs no container."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class StructextEnv(vf.Env[StructextEnvConfig]):
    """Asks each question once."""

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Lets the agent answer."""
        await agents.agent.run(task)


def _content(question: Question) -> list[vf.ContentPart]:
    content: list[vf.ContentPart] = [vf.TextContentPart(text=text) for text in question.texts]
    if question.picture is not None:
        url = f"data:image/png;base64,{_base64(question.picture)}"
        content.append(vf.ImageUrlContentPart(image_url=vf.ImageUrlSource(url=url)))
    return content


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def _reply(trace: vf.Trace) -> str:
    """The last message, with the spaces at its ends, where an indented first line of code begins."""
    if trace.root_reply is not None:
        return trace.root_reply
    written = trace.assistant_messages
    return (written[-1].content or "") if written else ""
