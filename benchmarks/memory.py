"""How much more memory our own process and its scoring worker take for the largest pictures.

    python benchmarks/memory.py [case …]

Each case runs in a process of its own. First comes an ordinary answer through render, cache,
annotation files and scores, so that everything is loaded; then the case. Figures are the growth of
the highest memory in use (`VmHWM`), in MiB. No engine runs: what one would have made is put in its
place, so that the pictures can be as hostile as those that an answer forges.
"""

import io
import os
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest import mock

import numpy as np
from PIL import Image

LIMIT = 500
"""MiB more, for any answer."""


def noise(width: int, height: int) -> bytes:
    """A PNG file that compression does not make smaller: every pixel is of its own color."""
    buffer = io.BytesIO()
    random = np.random.default_rng(width)
    picture = random.integers(0, 256, (height, width, 3), np.uint8)
    Image.fromarray(picture).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def page(width: int, height: int, mode: str = "RGB") -> bytes:
    """A PNG file of a page with stripes."""
    image = Image.new(mode, (width, height), "white")
    for top in range(0, height, 40):
        image.paste("teal", (width // 9, top, width // 2, top + 9))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def ppm(width: int, height: int) -> bytes:
    """A page as Poppler writes it."""
    return b"P6\n%d %d\n255\n" % (width, height) + b"\xff\x80\x00" * (width * height)


def with_chunk(png: bytes, kind: bytes, data: bytes) -> bytes:
    """The file with a chunk after its header."""
    body = kind + data
    chunk = struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    return png[:33] + chunk + png[33:]


def bomb(mebibytes: int) -> bytes:
    """That many zeros, compressed."""
    packer = zlib.compressobj(9)
    return b"".join([*(packer.compress(bytes(2**20)) for _ in range(mebibytes)), packer.flush()])


# What the engine made, the reference, and how sizes are handled.
CASES: Mapping[str, tuple[Callable[[], bytes], Callable[[], bytes], str]] = {
    "page of 1920×1080": (lambda: page(1920, 1080), lambda: page(1920, 1080), "resize"),
    "tall page, 2560×10,000": (lambda: page(2560, 10_000), lambda: page(1920, 1080), "padding"),
    "LaTeX, A3 at 300 DPI": (lambda: ppm(3508, 4961), lambda: page(1654, 2339), "padding"),
    "largest, 8,000×5,000": (lambda: page(8000, 5000), lambda: page(8000, 5000), "padding"),
    "largest with alpha": (lambda: page(8000, 5000, "RGBA"), lambda: page(8000, 5000), "padding"),
    "largest, another size": (lambda: page(8000, 5000), lambda: page(5000, 8000), "padding"),
    "largest, noise": (lambda: noise(4600, 4600), lambda: noise(8000, 5000), "padding"),
    "largest, scaled": (lambda: page(8000, 5000), lambda: page(5000, 8000), "resize"),
    "one column, 65,500": (lambda: page(9, 65_500), lambda: page(1654, 2339), "padding"),
    "172 megapixels": (lambda: page(13_000, 13_231), lambda: page(1654, 2339), "padding"),
    "text of 1 GiB": (
        lambda: with_chunk(page(1654, 2339), b"zTXt", b"a\0\0" + bomb(1024)),
        lambda: page(1654, 2339),
        "padding",
    ),
    "profile of 1 GiB": (
        lambda: with_chunk(page(1654, 2339), b"iCCP", b"a\0\0" + bomb(1024)),
        lambda: page(1654, 2339),
        "padding",
    ),
}


def peak(pid: int | str = "self") -> int:
    """The highest memory in use of a process so far, in KiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def forget(pid: int | str = "self") -> int:
    """Lets the highest memory begin anew from what is in use; returns that, in KiB."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return peak(pid)


def answer(made: Path, reference: Path, handling: str, folder: Path) -> str:
    """Takes an answer from its engine's file to its scores; returns what it ended as."""
    from helm_structext import renderers
    from helm_structext.errors import RenderError
    from helm_structext.image2struct.picture_scores import score_pictures
    from helm_structext.protocols import ProtocolName
    from helm_structext.renderers.engine import Engine, crop_to_ink, read_engine_picture
    from helm_structext.renderers.outcome import Drawing
    from helm_structext.sandbox import Limits
    from helm_structext.storage.cache import store_copy

    def draw(
        code: str, assets: Mapping[str, bytes], protocol: ProtocolName, limits: Limits
    ) -> Drawing:
        return Drawing(crop_to_ink(read_engine_picture(made.read_bytes()), 0.0), code, code, "")

    engine = Engine(draw, lambda: "1", Limits(), {})
    try:
        with mock.patch.object(renderers, "engine_of", return_value=engine):
            for _ in range(2):  # The second one comes from the cache.
                path = renderers.render("latex", made.name, cache=folder / "cache").path
    except RenderError as error:
        return str(error)
    assert path is not None
    shown = store_copy(folder / "shown", path)
    scores = score_pictures(shown, reference, handling)  # type: ignore[arg-type]
    return "; ".join(scores.errors.values()) or f"EMS {scores.values['earth_mover_similarity']:.3f}"


def worker() -> int:
    """The process that computes scores."""
    from helm_structext.processes import run_in_process

    return run_in_process(os.getpid)


def measure(case: str) -> None:
    """Prints a row of the table."""
    os.environ["HELM_STRUCTEXT_WORKERS"] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made, reference = folder / "made", folder / "reference.png"
        (folder / "usual").write_bytes(page(800, 600))
        answer(folder / "usual", folder / "usual", "padding", folder)
        # What makes the pictures takes memory, too: that is another process.
        subprocess.run([sys.executable, __file__, "make", case, str(folder)], check=True)
        processes: tuple[str | int, ...] = ("self", worker())
        before = [forget(pid) for pid in processes]
        ended = answer(made, reference, CASES[case][2], folder)
        own, scoring = (
            (peak(pid) - start) / 1024 for pid, start in zip(processes, before, strict=True)
        )
    print(f"| {case} | {own:.0f} | {scoring:.0f} | {LIMIT} | {ended} |", flush=True)
    sys.exit(max(own, scoring) > LIMIT)


def main(cases: list[str]) -> None:
    """Prints the table; exits with 1 if a case is beyond the limit."""
    print("| picture | own process, MiB more | scoring, MiB more | limit | ends as |")
    print("|---|---|---|---|---|", flush=True)
    runs = [subprocess.run([sys.executable, __file__, "measure", case]) for case in cases]
    sys.exit(any(run.returncode for run in runs))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", name, folder]:
            make, reference, _ = CASES[name]
            Path(folder, "made").write_bytes(make())
            Path(folder, "reference.png").write_bytes(reference())
        case ["measure", name]:
            measure(name)
        case names:
            main(names or list(CASES))
