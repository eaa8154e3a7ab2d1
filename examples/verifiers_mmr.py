"""Makes new questions in the manner of MMR, and asks them in verifiers' environment.

    python examples/verifiers_mmr.py --base-url http://localhost:8000/v1 --model my-vlm

Without an address, a stand-in on this machine answers "1" to everything, which is right for one choice
in four. The pictures and the questions are generated, so that no model has been trained on them (this
needs `'helm-structext[report]'`); each reply is scored as `helm-run` would, and verifiers keeps its
components and the kind of its failure.
"""

import argparse
import asyncio
import http.server
import json
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import verifiers.v1 as vf

from helm_structext.mmr.generate.dataset import generate_mmr

TASKSET = "helm-structext-verifiers"


class StandIn(http.server.BaseHTTPRequestHandler):
    """Answers "1" as a model behind OpenAI's interface does."""

    def do_POST(self) -> None:
        """Answers a request."""
        self.rfile.read(int(self.headers["Content-Length"]))
        message = {"role": "assistant", "content": "1"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        answer = {"id": "1", "object": "chat.completion", "created": 0, "model": "stand-in"}
        data = json.dumps({**answer, "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def stand_in() -> Iterator[str]:
    """Yields the address of a stand-in."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), StandIn) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


async def ask(entry: str, base_url: str, model: str) -> list[vf.Trace]:
    """Returns a trace for each question of a run entry."""
    config = vf.resolve_env_config({"taskset": {"id": TASKSET, "entry": entry}})
    environment = vf.load_environment(config)
    client = vf.EvalClientConfig(base_url=base_url, api_key_var="OPENAI_API_KEY")
    context = vf.ModelContext(model=model, client=client, sampling=vf.SamplingConfig())
    async with environment.serving():
        asked = [environment.run_episode(task, context) for task in environment.taskset]
        episodes = await asyncio.gather(*asked)
    return [trace for episode in episodes for trace in episode.traces]


def report(traces: Sequence[vf.Trace]) -> None:
    """Prints the mean reward of each task, and how many replies failed or have no reward."""
    by_task: dict[str, list[float]] = {}
    for trace in traces:
        if trace.ok:
            by_task.setdefault(trace.task.data.name or "", []).append(trace.reward)
    for task, rewards in sorted(by_task.items()):
        print(f"{task}: {sum(rewards) / len(rewards):.3f} of {len(rewards)}")
    kinds = [trace.info["structext"]["error_kind"] for trace in traces if trace.ok]
    print(f"failed: {sum(map(bool, kinds))}, without a reward: {sum(not one.ok for one in traces)}")


def main() -> None:
    """Generates, asks and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=44, help="of questions")
    parser.add_argument("--seed", type=int, default=0, help="another one has other questions")
    parser.add_argument("--base-url", help="of a model behind OpenAI's interface")
    parser.add_argument("--model", default="stand-in")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        generate_mmr(options.count, options.seed, Path(folder))
        given = options.base_url
        with nullcontext(given) if given else stand_in() as base_url:
            report(asyncio.run(ask(f"mmr:source={folder}", base_url, options.model)))


if __name__ == "__main__":
    main()
