"""Training files: one example a line, for supervised training, preferences or reinforcement.

A JSONL of `{"messages": […]}` is not training data by itself.  It is taken for it where a line says so: by weights on
messages, by a preferred and a non-preferred answer, by a reference answer, or when the user asks for ``fine-tuning``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from turnlint.containers import Container, Skipped
from turnlint.diagnostic import Place
from turnlint.model import Candidate, Line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.source.document import Document

PREFERRED = ("preferred_output", "preferred_completion")
NON_PREFERRED = ("non_preferred_output", "non_preferred_completion")
_SAMPLE = 200  # messages of a line that are looked at for a weight


def kind_of(line: Any) -> Literal["supervised", "preference", "reinforcement"] | None:
    """What a line says it is for; None where it does not say."""
    if not isinstance(line, dict):
        return None
    if not line.keys().isdisjoint((*PREFERRED, *NON_PREFERRED)):
        return "preference"
    messages = line.get("messages")
    if not isinstance(messages, list) or "model" in line:
        return None
    if any(isinstance(m, dict) and "weight" in m for m in messages[:_SAMPLE]):
        return "supervised"
    last = messages[-1] if messages else None
    answered = isinstance(last, dict) and last.get("role") == "assistant"
    return "reinforcement" if not answered and any(key.startswith("reference") for key in line) else None


def recognise(head: Sequence[Document]) -> bool:
    return any(kind_of(line) is not None for d in head for line, _ in lines_of(d))


def lines_of(document: Document) -> Iterator[tuple[Any, Place]]:
    """The examples of a document: itself, or those of a list that is one document."""
    value, at = document.value, Place((), document.number)
    if isinstance(value, list) and value and all(isinstance(item, dict) and "role" not in item for item in value[:8]):
        for number, item in enumerate(value):
            yield item, at / number
    else:
        yield value, at


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        if not any(f.fatal for f in document.faults):
            for line, at in lines_of(document):
                yield candidate_of(line, at)


def candidate_of(raw: Any, at: Place) -> Candidate:
    """The history of one line, with the line around it."""
    kind = kind_of(raw) or "supervised"
    holder: Any = raw
    where = at
    if kind == "preference":
        holder, where = raw.get("input"), at / "input"
    messages = holder.get("messages") if isinstance(holder, dict) else None
    if not isinstance(messages, list):
        return Candidate([], at, dialect="dataset-line", api="fine-tuning", line=Line(kind, raw, at))
    weights = tuple(
        (number, where / "messages" / number / "weight", message["weight"])
        for number, message in enumerate(messages)
        if isinstance(message, dict) and "weight" in message
    )
    return Candidate(
        messages,
        where / "messages",
        dialect="openai-chat",
        body=holder,
        body_at=where,
        api="fine-tuning",
        line=Line(kind, raw, at, weights=weights),
    )


CONTAINER = Container(
    name="fine-tuning",
    title="Training files (supervised, preference and reinforcement fine-tuning)",
    how="lines with weights on messages, with a preferred and a non-preferred answer, or with a reference answer",
    recognise=recognise,
    find=find,
    streaming=True,
    dialects=("openai-chat",),
)
