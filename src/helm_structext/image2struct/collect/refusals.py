"""Why something is not taken into a round."""


class CandidateRefused(Exception):
    """A candidate or draft is not taken, and why: recorded, counted, never retried.

    Args:
        filter: the name under which refusals are counted, such as ``white_image``.
        reason: in words, for people; bounded where it is written.
    """

    def __init__(self, filter: str, reason: str) -> None:
        super().__init__(reason)
        self.filter = filter
        self.reason = reason
