"""Asks a server for groups of completions of a training set, as `helm-structext reward preflight` reads them.

    python examples/preflight_samples.py --url http://localhost:8000/v1 --model my-model \
        --entry structeval:subset=t_generation,source=sample -o samples.jsonl

The server has OpenAI's protocol, as vLLM, SGLang and llama.cpp have. Each prompt is asked `--samples` times, which is
a group. What a folder has is not asked again, so that the same command goes on where it was stopped. Beside the
completions it writes `reward.yaml`, the reward of the entry, for the option `--reward`.
"""

import argparse
import json
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

from helm_structext.integrations.training import training_set
from helm_structext.integrations.trl import rows

SECONDS = 600
"""For a completion, on a machine that has other things to do."""


def ask(url: str, said: dict[str, Any]) -> str:
    """Returns a completion of a chat."""
    data, kind = json.dumps(said).encode(), {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url.rstrip('/')}/chat/completions", data, kind)
    with urllib.request.urlopen(request, timeout=SECONDS) as reply:
        text: str = json.load(reply)["choices"][0]["message"]["content"] or ""
    return text


def main() -> None:
    """Reads the options, and adds a line to the file for each completion that it lacks."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--model", default="")
    parser.add_argument("--entry", required=True, help="of a training set")
    parser.add_argument("--prompts", type=int, default=12)
    parser.add_argument("--samples", type=int, default=4, help="of each prompt")
    parser.add_argument("--temperature", type=float, default=0.8)
    parser.add_argument("--tokens", type=int, default=200, help="of a completion, at most")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()

    asked = [*rows(training_set(options.entry))]
    chosen = asked[:: max(len(asked) // options.prompts, 1)][: options.prompts]
    options.output.with_name("reward.yaml").write_text(json.dumps({"entry": options.entry}))
    there = options.output.read_text().splitlines() if options.output.exists() else []
    have = Counter(json.loads(line)["group"] for line in there)
    settings = {"temperature": options.temperature, "max_tokens": options.tokens}
    with options.output.open("a") as file:
        for row in chosen:
            for seed in range(have[row["id"]], options.samples):
                said = {"messages": row["prompt"], "model": options.model, "seed": seed}
                text = ask(options.url, {**said, **settings})
                line = {"completion": text, "reference": row["id"], "group": row["id"]}
                file.write(json.dumps(line) + "\n")
                file.flush()


if __name__ == "__main__":
    main()
