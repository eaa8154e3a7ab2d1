"""What one scores without having looked: the floors of a blank page and of shuffled references."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from PIL import Image

from helm_structext import __version__
from helm_structext.metrics import SizeHandling, earth_mover_similarity
from helm_structext.pictures import read_picture
from helm_structext.processes import map_in_processes
from helm_structext.progress import progress
from helm_structext.results.statistics import shuffled_partners
from helm_structext.storage.cache import cache_folder, content_key, read_record, write_record

Job = TypeVar("Job", bound=Hashable)


def blank_floor(
    pictures: Sequence[Path], size_handling: SizeHandling, size: tuple[int, int]
) -> list[float]:
    """Returns the EMS of a blank page from each picture: what ``structext/blank`` scores.

    The values are kept in the cache folder, by the pictures' contents.

    Args:
        pictures: paths of references of one domain.
        size_handling: that of the domain.
        size: of the white picture that an empty answer renders to, width and height.

    Raises:
        OSError: a file is missing.
        PictureError: a file is not a picture that can be read.
        SetupError: the values can't be kept.
    """

    def jobs(
        pictures: Sequence[Path], order: Sequence[int]
    ) -> Iterable[tuple[tuple[int, int], Path, SizeHandling]]:
        return ((size, pictures[number], size_handling) for number in order)

    key = ("blank floor", __version__, size_handling, *map(str, size))
    return _floor("floor of a blank page", key, pictures, _from_blank, jobs)


def shuffled_floor(
    pictures: Sequence[Path], size_handling: SizeHandling, seed: int = 0
) -> list[float]:
    """Returns the EMS that each picture gets from another one of them.

    It is what a model would score that knows how such pictures look in general and nothing of the
    one before it. Partners are drawn once for each picture, by the pictures' contents and the
    seed; the values are kept in the cache folder under the same.

    Args:
        pictures: paths of the references of one subset, at least two.
        size_handling: that of the subset's domain.
        seed: of the random numbers.

    Raises:
        OSError: a file is missing.
        PictureError: a file is not a picture that can be read.
        SetupError: the values can't be kept.
    """

    def jobs(
        pictures: Sequence[Path], order: Sequence[int]
    ) -> Iterable[tuple[Path, Path, SizeHandling]]:
        partners = shuffled_partners(len(order), seed)
        return (
            (pictures[order[partner]], pictures[number], size_handling)
            for number, partner in zip(order, partners, strict=True)
        )

    key = ("shuffled floor", __version__, size_handling, str(seed))
    return _floor("floor of shuffled references", key, pictures, _similarity, jobs)


def _floor(
    what: str,
    key: Sequence[str],
    pictures: Sequence[Path],
    compare: Callable[[Job], float],
    jobs: Callable[[Sequence[Path], Sequence[int]], Iterable[Job]],
) -> list[float]:
    """A value for each picture, computed once for the same pictures.

    Args:
        what: is computed, for people.
        key: what the values depend on beside the pictures.
        pictures: paths.
        compare: gives a job's value.
        jobs: a job for each picture, from the pictures and their places in the order of their contents.
    """
    contents = [content_key(picture.read_bytes()) for picture in pictures]
    # Of equal pictures one stands for all.
    first = dict(zip(reversed(contents), reversed(pictures), strict=True))
    pictures = [first[content] for content in contents]
    order = sorted(range(len(pictures)), key=contents.__getitem__)
    kept = cache_folder() / "floors" / f"{content_key(*key, *sorted(contents))}.json"
    record = read_record(kept)
    if record is None:
        wanted = list(jobs(pictures, order))
        distinct = list(dict.fromkeys(wanted))
        compared = progress(map_in_processes(compare, distinct), what, len(distinct))
        values = dict(zip(distinct, compared, strict=True))
        record = {"values": [values[job] for job in wanted]}
        write_record(kept, record)
    return [value for _, value in sorted(zip(order, record["values"], strict=True))]


def _similarity(job: tuple[Path, Path, SizeHandling]) -> float:
    prediction, reference, size_handling = job
    return earth_mover_similarity(
        read_picture(prediction), read_picture(reference), size_handling=size_handling
    )


def _from_blank(job: tuple[tuple[int, int], Path, SizeHandling]) -> float:
    size, reference, size_handling = job
    blank = Image.new("RGB", size, "white")
    return earth_mover_similarity(blank, read_picture(reference), size_handling=size_handling)
