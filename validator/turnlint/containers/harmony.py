"""Rendered harmony text: the prompt format of open-weight models, in which calls and results have no IDs.

A result names the tool that gave it, so that it is paired with the oldest call of that tool that is still open.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from turnlint.containers import Container, Skipped
from turnlint.containers.building import History, chat_call, chat_result
from turnlint.diagnostic import Place
from turnlint.source.document import MISSING, Document, Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.reader import Source

START: Final = "<|start|>"
_MAX_BYTES: Final = 64 * 1024 * 1024
_END = re.compile(r"<\|(?:end|call|return)\|>")
_HEADER = re.compile(r"\s*([^\s<]*)")
_RECIPIENT = re.compile(r"\bto=([^\s<]+)")
_SPEAKERS: Final = frozenset({"system", "developer", "user", "assistant"})


def recognise(head: Sequence[Document]) -> bool:
    return bool(head) and isinstance(head[0].value, str) and head[0].value.lstrip().startswith(START)


def read_text(source: Source) -> Iterator[Document]:
    """The text as one document."""
    try:
        if source.path is None:
            raise OSError("such a text can only be read from a file")
        with source.path.open("rb") as file:
            data = file.read(_MAX_BYTES)
    except OSError as error:
        fault = Fault("unreadable", str(error.strerror or error).lower(), fatal=True)
        yield Document(MISSING, b"", faults=(fault,), format="object")
        return
    yield Document(data.decode("utf-8", "replace"), b"", format="object")


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        if not isinstance(document.value, str):
            if document.readable:
                yield Skipped("no harmony text", Place((), document.number))
            continue
        history = History()
        at = Place((), document.number)
        open_calls: dict[str, deque[str]] = {}
        for number, message in enumerate(document.value.split(START)[1:]):
            made = _message(message, number, open_calls)
            if made is not None:
                history.make(made, at)
        if history.messages:
            yield history.candidate("agent-log")
        else:
            yield Skipped("harmony text without messages", at, known=True)


def _message(text: str, number: int, open_calls: dict[str, deque[str]]) -> dict[str, Any] | None:
    """One message.  `open_calls` are the IDs given to the calls of each tool that nothing has answered yet."""
    header, found, rest = text.partition("<|message|>")
    if not found:
        return None  # the beginning of an answer that is still to come
    speaker = _HEADER.match(header)
    role = speaker.group(1) if speaker is not None else ""
    content = _END.split(rest, maxsplit=1)[0]
    to = _RECIPIENT.search(header)
    recipient = to.group(1) if to is not None else ""
    if role == "assistant" and recipient not in ("", "assistant", "all", "user"):
        key = f"{recipient} {number}"
        open_calls.setdefault(recipient, deque()).append(key)
        return {"role": "assistant", "content": None, "tool_calls": [chat_call(key, recipient, content)]}
    if role in _SPEAKERS:
        return {"role": role, "content": content or "(empty)"}
    waiting = open_calls.get(role)
    return {**chat_result(waiting.popleft() if waiting else f"{role} {number}", content), "name": role}


CONTAINER = Container(
    name="harmony",
    title="Rendered harmony text",
    how="text that begins with `<|start|>`",
    recognise=recognise,
    find=find,
    writable=False,
    dialects=("agent-log",),
    open=read_text,
)
