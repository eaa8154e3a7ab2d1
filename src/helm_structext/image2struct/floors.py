"""What one scores without having looked: the floor of shuffled references."""

from collections.abc import Sequence
from pathlib import Path

from helm_structext import __version__
from helm_structext.cache import cache_folder, content_key, read_record, write_record
from helm_structext.metrics import SizeHandling, earth_mover_similarity
from helm_structext.pictures import read_picture
from helm_structext.processes import map_in_processes
from helm_structext.progress import progress
from helm_structext.results.statistics import shuffled_partners


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
    keys = [content_key(picture.read_bytes()) for picture in pictures]
    order = sorted(range(len(pictures)), key=keys.__getitem__)
    key = content_key(
        *("shuffled floor", __version__, size_handling, str(seed), *sorted(keys)),
    )
    kept = cache_folder() / "floors" / f"{key}.json"
    record = read_record(kept)
    if record is None:
        partners = shuffled_partners(len(order), seed)
        jobs = [
            (pictures[order[partner]], pictures[number], size_handling)
            for number, partner in zip(order, partners, strict=True)
        ]
        compared = map_in_processes(_similarity, jobs)
        values = list(progress(compared, "comparing shuffled references", len(jobs)))
        record = {"values": values}
        write_record(kept, record)
    return [value for _, value in sorted(zip(order, record["values"], strict=True))]


def _similarity(job: tuple[Path, Path, SizeHandling]) -> float:
    prediction, reference, size_handling = job
    return earth_mover_similarity(
        read_picture(prediction), read_picture(reference), size_handling=size_handling
    )
