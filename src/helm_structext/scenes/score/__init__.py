"""Scores: melodies, lead sheets, piano pieces, two voices, songs, quartets and choirs."""

from helm_structext.scenes.scene import SceneKind
from helm_structext.scenes.score.lilypond import write_lilypond
from helm_structext.scenes.score.scene import TYPES, draw_score

KIND = SceneKind(
    name="score", types=tuple(TYPES), draw=draw_score, writers={"lilypond": write_lilypond}
)
