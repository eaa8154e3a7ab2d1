"""What a seed gives is the same on each system and with each Python: hashes of code that was written down."""

import pytest

from golden_scenes import SCENES, golden, hashes
from helm_structext.scenes.kinds import KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_gives_the_code_that_was_written_down(kind):
    known, found = golden()[kind], hashes(kind)
    others = [name for name in {*known, *found} if known.get(name) != found.get(name)]
    assert not others, (
        f"the first {SCENES} scenes of {kind} are other code in {', '.join(sorted(others))}. If that is meant, "
        f"call `python scripts/golden_scenes.py {kind}`; if not, a seed gives other code on this machine"
    )


def test_all_kinds_and_formats_are_written_down():
    assert {kind: [*found] for kind, found in golden().items()} == {
        name: sorted(kind.writers) for name, kind in sorted(KINDS.items())
    }
