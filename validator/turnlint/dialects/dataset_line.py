"""The line of a data set that holds no history: a batch request without messages, a training line that is none."""

from __future__ import annotations

from turnlint.dialects import Dialect, Marks
from turnlint.model import Candidate, Signal, Transcript


def recognise(_marks: Marks) -> int:
    """Never by itself: containers name it."""
    return 0


def read(candidate: Candidate) -> Transcript:
    """A transcript without messages; what there is to say stands in the candidate's line."""
    return Transcript("dataset-line", [], candidate)


def signals(_candidate: Candidate) -> int:
    """Nothing: the engine adds what the line says."""
    return Signal.NONE


DIALECT = Dialect(
    name="dataset-line",
    title="A line without messages",
    how="by name only: lines of data sets that hold no history",
    recognise=recognise,
    read=read,
    signals=signals,
    apis=("batch", "fine-tuning"),
    by_name_only=True,
    groups=("dataset", "shape"),
)
