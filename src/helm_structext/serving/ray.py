"""Rewards on a cluster of Ray's: by actors, in Ray Data, and over HTTP with Ray Serve.

    with Actors(4, num_cpus=8) as actors:
        reward = actors.reward(Reward("latex"))
        results = reward(completions, references)

    dataset.map_batches(ScoreBatches, fn_constructor_args=(Reward("latex"),), num_cpus=8)

    serve run helm_structext.serving.ray:app

Each process works on as many completions at a time as Ray gives it processors. This package, and the
programs that it starts, are to be on every node: Ray brings neither.
"""

import asyncio
import os
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Annotated, Any

import ray
from fastapi import FastAPI
from pydantic import BaseModel, BeforeValidator, ConfigDict
from ray import serve
from ray.exceptions import ActorDiedError, RayError, RayTaskError, TaskCancelledError

from helm_structext.errors import SetupError
from helm_structext.rewards import BaseReward
from helm_structext.rewards.base import outcome
from helm_structext.rewards.queue import WorkQueue, work_queue
from helm_structext.rewards.result import Measured, result_record
from helm_structext.sandbox import Cancelled
from helm_structext.sandbox.job_time import check_cancelled
from helm_structext.serving.app import create_app
from helm_structext.serving.service import ServerSettings, Service, is_loopback
from helm_structext.serving.token import TOKEN, read_token
from helm_structext.texts import describe_error

RESTARTS = {"max_restarts": -1, "max_task_retries": 2}
"""Actors that die are started again, and what they worked on is begun again, so many times."""
LOOK_SECONDS = 0.5
"""How often it is looked whether somebody still waits for what an actor does."""


def _places(num_cpus: float) -> int:
    return max(int(num_cpus), 1)


def _use_own_processors() -> None:
    """Lets this process work on as many completions at a time as Ray gives it processors."""
    given = ray.get_runtime_context().get_assigned_resources().get("CPU", 0)
    os.environ["HELM_STRUCTEXT_WORKERS"] = str(_places(given))


class _Measuring:
    """An actor that measures completions."""

    def __init__(self) -> None:
        _use_own_processors()

    async def measure(self, reward: BaseReward, completion: str, reference: Any) -> Measured:
        """Returns what a reward measures; to cancel it is to end its engine."""
        job = work_queue().submit([reward.lane], lambda: outcome(reward, completion, reference))
        try:
            return (await asyncio.wrap_future(job.future)).result
        finally:
            job.cancel()


class Actors:
    """Processes on a cluster of Ray's which measure completions, for any number of rewards.

    An actor that dies is started again, on another node if need be, and what it worked on is begun
    again up to two times; then it has no score. Both can be said otherwise (`max_restarts`,
    `max_task_retries`).

    Args:
        count: how many.
        num_cpus: that each has; it works on as many completions at a time, and on one at least.
        options: others of Ray's actors, such as `resources` or `runtime_env`.

    Attributes:
        queue: where completions wait for an actor.
    """

    def __init__(self, count: int = 1, *, num_cpus: float = 1, **options: Any) -> None:
        options = {"num_cpus": num_cpus, **RESTARTS, **options}
        self._start = ray.remote(_Measuring).options(**options).remote
        self._lock = threading.Lock()
        # Ray's types know no methods of actors.
        self._actors: list[Any] = [self._start() for _ in range(count)]
        self._free: SimpleQueue[int] = SimpleQueue()
        for number in [*range(count)] * _places(num_cpus):
            self._free.put(number)
        self.queue = WorkQueue(self._free.qsize())

    def __enter__(self) -> "Actors":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the actors, and what they work on."""
        for actor in self._actors:
            ray.kill(actor)

    def reward(self, reward: BaseReward) -> BaseReward:
        """Returns the same reward, which these actors measure.

        References that are paths are read by the actors; results have the numbers of the reward itself.
        Seconds of work are those from when an actor is asked until it answers.
        """
        return _RayReward(
            reward,
            self,
            reward.components,
            failure=reward.failure,
            missing=reward.missing,
            machine_failures=reward.machine_failures,
            batch_seconds=reward.batch_seconds,
        )

    def measure(self, reward: BaseReward, completion: str, reference: Any) -> Measured:
        """Waits for a free actor, and then for what it measures.

        Raises:
            SetupError: actors die.
            Cancelled: nobody waits for it any more.
        """
        number = self._free.get()
        actor = self._actors[number]
        try:
            return _await(actor.measure.remote(reward, completion, reference))
        except TaskCancelledError as error:
            raise Cancelled from error
        except RayTaskError:
            raise  # of ours
        except ActorDiedError as error:  # for good
            with self._lock:
                if self._actors[number] is actor:
                    self._actors[number] = self._start()
            raise SetupError(f"an actor has died: {describe_error(error)}") from error
        except RayError as error:
            raise SetupError(f"an actor has failed: {describe_error(error)}") from error
        finally:
            self._free.put(number)


def _await(asked: "ray.ObjectRef[Measured]") -> Measured:
    """Waits for an answer; if nobody waits for it any more, what is done for it is ended."""
    try:
        while not ray.wait([asked], timeout=LOOK_SECONDS)[0]:
            check_cancelled()
    except Cancelled:
        ray.cancel(asked)
        raise
    measured: Measured = ray.get(asked)
    return measured


@dataclass(frozen=True)
class _RayReward(BaseReward):
    """A reward that actors measure."""

    reward: BaseReward
    actors: Actors
    components: Mapping[str, float]

    def known_components(self) -> Collection[str]:
        return self.reward.known_components()

    @property
    def lane(self) -> str:
        return self.reward.lane

    @property
    def queue(self) -> WorkQueue:
        return self.actors.queue

    def measure(self, completion: str, reference: Any) -> Measured:
        return self.actors.measure(self.reward, completion, reference)


class ScoreBatches:
    """What `ray.data.Dataset.map_batches` calls: rows with a completion and a reference get a score.

    The columns ``score``, ``components`` (names and values), ``error_kind``, ``message``, ``waited``
    and ``worked`` are those of `helm_structext.rewards.RewardResult`; others stay as they are. Rows
    without a score for no fault of their own have None.

    Args:
        reward: of all rows.
        completion: the column of completions.
        reference: the column of references: code as texts, or pictures as bytes.
    """

    def __init__(
        self, reward: BaseReward, completion: str = "completion", reference: str = "reference"
    ) -> None:
        _use_own_processors()
        self._reward, self._completion, self._reference = reward, completion, reference

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Returns a batch with the columns of its results."""
        results = self._reward(list(batch[self._completion]), list(batch[self._reference]))
        scored = [result_record(result) for result in results]
        names = dict.fromkeys(name for row in scored for name in row)
        return {**batch, **{name: [row.get(name) for row in scored] for name in names}}


def _split_list(value: Any) -> Any:
    return value.split(",") if isinstance(value, str) else value


Listed = Annotated[tuple[str, ...], BeforeValidator(_split_list)]


class RayOptions(BaseModel):
    """What `serve run` takes as ``name=value``, and a configuration as ``args``.

    See `helm_structext.serving.service.ServerSettings`; lists may be texts with commas.

    Attributes:
        token_file: with the token; by default that of `HELM_STRUCTEXT_SERVE_TOKEN`, where the app
            is deployed from.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    allow: Listed = ()
    token_file: Path | None = None
    max_queue: int = ServerSettings.max_queue
    max_items: int = ServerSettings.max_items
    max_megabytes: int = ServerSettings.max_megabytes
    warm: Listed = ServerSettings.warm
    entries: Listed = ()
    judge: str = ServerSettings.judge
    local_path: Path = ServerSettings.local_path


async def _check_loopback() -> None:
    """Raises SetupError if the proxies of Ray Serve listen to more than their own machines."""
    controller = ray.get_actor("SERVE_CONTROLLER_ACTOR", namespace="serve")
    host = (await controller.get_http_config.remote()).host
    if host is not None and not is_loopback(host):
        raise SetupError(
            f"Ray Serve listens to {host}, which can be reached from other machines: the app there "
            f"needs a token, in {TOKEN} or a file (token_file)"
        )


def deployment(options: RayOptions) -> serve.Deployment:
    """Returns the app as a deployment; the more it is asked, the more replicas of it Ray Serve starts.

    `Deployment.options`, or a configuration, may say of replicas what is not said here.

    Raises:
        SetupError: the file of the token can't be read.
    """
    token = read_token(options.token_file)

    def build() -> FastAPI:
        given = options.model_dump(exclude={"token_file", "allow"})
        return create_app(
            ServerSettings(**given, allow=tuple(map(Path, options.allow)), token=token)
        )

    class Replica:
        """The app in a process of its own."""

        app: FastAPI

        async def __init__(self) -> None:  # type: ignore[misc]
            _use_own_processors()
            if token is None:
                await _check_loopback()

        async def check_health(self) -> None:
            """Raises SetupError unless what is kept warm has rendered; Ray then replaces the replica."""
            service: Service = self.app.state.service
            if service.not_ready is not None and not await service.warm_up():
                raise SetupError(f"not ready: {service.not_ready}")

    deployed = serve.deployment(
        name="rewards",
        ray_actor_options={"num_cpus": 2},
        autoscaling_config={"min_replicas": 1, "max_replicas": 16, "target_ongoing_requests": 4},
        max_ongoing_requests=64,
        graceful_shutdown_timeout_s=60,
    )
    return deployed(serve.ingress(build)(Replica))


def app(options: RayOptions) -> serve.Application:
    """Returns the app; `serve run helm_structext.serving.ray:app` starts it."""
    return deployment(options).bind()
