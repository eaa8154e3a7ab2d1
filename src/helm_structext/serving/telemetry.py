"""What Prometheus is told of a server."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

from helm_structext.rewards import RewardResult
from helm_structext.rewards.queue import WorkQueue

BUCKETS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
"""Seconds."""
SHARE = 0.02
"""Of the last completion in the mean of those before it."""


class Telemetry:
    """Counts and times.

    Args:
        queue: in which completions wait.

    Attributes:
        registry: what /metrics shows.
        requests: counter of answered requests, by status.
        seconds: that a completion took of late.
    """

    def __init__(self, queue: WorkQueue) -> None:
        self.registry = CollectorRegistry()
        self.seconds = 0.1
        self._queue = queue
        name = "helm_structext_{}".format
        registry = self.registry
        ProcessCollector(registry=registry)
        self.requests = Counter(
            name("requests"), "Requests by HTTP status", ["status"], registry=registry
        )
        self._results = Counter(
            name("completions"),
            "Completions by format and outcome: scored, or the kind of error",
            ["format", "outcome"],
            registry=registry,
        )
        self._score = Gauge(
            name("score"), "Scores of late, their mean by format", ["format"], registry=registry
        )
        self._scores: dict[str, float] = {}
        self._waited, self._worked = (
            Histogram(
                name(f"{what}_seconds"), about, ["format"], buckets=BUCKETS, registry=registry
            )
            for what, about in (("wait", "Seconds in the queue"), ("work", "Seconds of work"))
        )
        for what, about, value in (
            ("queue", "Completions that wait", lambda: queue.waiting),
            ("places", "Completions that are worked on at a time", lambda: queue.places),
            ("places_taken", "Completions that are worked on", lambda: queue.running),
        ):
            Gauge(name(what), about, registry=registry).set_function(value)

    def count(self, lane: str, result: RewardResult) -> None:
        """Counts a result."""
        self._results.labels(lane, result.error_kind or "scored").inc()
        self._waited.labels(lane).observe(result.waited)
        self._worked.labels(lane).observe(result.worked)
        if result.score is not None:
            before = self._scores.setdefault(lane, result.score)
            self._scores[lane] = before + SHARE * (result.score - before)
            self._score.labels(lane).set(self._scores[lane])
        self.seconds += SHARE * (result.worked - self.seconds)

    def seconds_to_wait(self) -> float:
        """How long what waits now will take."""
        return self._queue.waiting * self.seconds / self._queue.places
