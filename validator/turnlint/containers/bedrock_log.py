"""Amazon Bedrock's model invocation logs: requests and replies as JSON, long ones only as a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.containers import Container, Skipped
from turnlint.containers.http import longest
from turnlint.containers.packing import unwrap, word
from turnlint.containers.pairs import joined
from turnlint.diagnostic import Place
from turnlint.model import Recorded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) and value.get("schemaType") == "ModelInvocationLog"


def _records(value: Any, at: Place) -> Iterator[tuple[dict[str, Any], Place]]:
    """The records in a document: one, a list of them, or those in the messages of a log service."""
    if isinstance(value, list):
        yield from ((item, at / number) for number, item in enumerate(value) if _is_record(item))
    elif _is_record(value):
        yield value, at
    elif isinstance(value, dict):
        for key in ("@message", "message"):
            inner = unwrap(value.get(key))
            if _is_record(inner):
                yield inner, at / key


def recognise(head: Sequence[Document]) -> bool:
    return any(next(_records(document.value, Place()), None) is not None for document in head[:8])


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    found = []
    for document in documents:
        for record, at in _records(document.value, Place((), document.number)):
            candidate = _of_record(record, at)
            if candidate is not None:
                found.append(candidate)
            else:
                yield Skipped("an invocation whose request was too long to be logged, or is no chat", at, known=True)
    yield from longest(found)


def _of_record(record: dict[str, Any], at: Place) -> Candidate | None:
    asked, said = record.get("input"), record.get("output")
    asked = asked if isinstance(asked, dict) else {}
    said = said if isinstance(said, dict) else {}
    operation, model = word(record.get("operation")), record.get("modelId")
    error = word(record.get("errorCode"))
    return joined(
        asked.get("inputBodyJson"),
        at / "input" / "inputBodyJson",
        said.get("outputBodyJson"),
        at / "output" / "outputBodyJson",
        dialect="bedrock-converse" if operation.startswith("Converse") else None,
        mode="request",
        target="bedrock",
        target_reason="the log is Bedrock's",
        model=model if isinstance(model, str) else None,
        id=word(record.get("requestId")),
        as_of=word(record.get("timestamp"))[:7] or None,
        recorded=Recorded(400, error) if error == "ValidationException" else (None if error else Recorded(200)),
    )


CONTAINER = Container(
    name="bedrock-log",
    title="Amazon Bedrock model invocation logs",
    how="`schemaType` ModelInvocationLog with `input.inputBodyJson`; also inside `@message`",
    recognise=recognise,
    find=find,
    dialects=("bedrock-converse", "anthropic"),
)
