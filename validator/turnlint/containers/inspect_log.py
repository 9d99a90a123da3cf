"""Inspect's evaluation logs: one document, or an archive with a sample in each member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from turnlint.containers import Container, Skipped
from turnlint.containers.building import History
from turnlint.containers.packing import shown
from turnlint.diagnostic import Place
from turnlint.model import Candidate
from turnlint.source.decode import decode
from turnlint.source.document import MISSING, Document, Fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from zipfile import ZipFile

    from turnlint.source.reader import Source

_MAX_MEMBER: Final = 512 * 1024 * 1024  # bytes that one member may unpack to
_MAX_MEMBERS: Final = 200_000


def _is_log(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("eval"), dict) and not {"plan", "samples"}.isdisjoint(value)


def _is_sample(value: Any) -> bool:
    return (
        isinstance(value, dict) and {"epoch", "input"} <= value.keys() and not {"messages", "events"}.isdisjoint(value)
    )


def recognise(head: Sequence[Document]) -> bool:
    return any(_is_log(document.value) or _is_sample(document.value) for document in head[:3])


def read_archive(source: Source) -> Iterator[Document]:
    """The header and the samples of an archive.  What is damaged becomes a document with a fault."""
    import zipfile

    if source.path is None:
        yield _damaged("an archive can only be read from a file", 0)
        return
    try:
        with zipfile.ZipFile(source.path) as archive:
            names = [n for n in archive.namelist()[:_MAX_MEMBERS] if n == "header.json" or _is_sample_name(n)]
            if not names:
                yield _damaged("a zip archive that holds no evaluation log", 0)
            for number, name in enumerate(sorted(names, key=lambda n: n != "header.json")):
                yield _member(archive, name, number)
    except (OSError, zipfile.BadZipFile) as error:
        yield _damaged(f"the archive is damaged: {str(error)[:100].lower()}", 0)


def _is_sample_name(name: str) -> bool:
    return name.startswith("samples/") and name.endswith(".json")


def _member(archive: ZipFile, name: str, number: int) -> Document:
    import zipfile
    import zlib

    try:
        with archive.open(name) as member:
            data = member.read(_MAX_MEMBER + 1)
    except NotImplementedError:
        return _damaged(f"{name} is compressed in a way that this Python cannot read", number)
    except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error):
        return _damaged(f"{name} is damaged", number)
    if len(data) > _MAX_MEMBER:
        return _damaged(f"{name} unpacks to more than {_MAX_MEMBER >> 20} MB", number)
    value, faults = decode(data)
    if value is MISSING:
        return _damaged(f"{name}: {faults[0].message}", number)
    return Document(value, b"", number, format="object")


def _damaged(message: str, number: int) -> Document:
    return Document(MISSING, b"", number, faults=(Fault("unreadable", message, fatal=True),), format="object")


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    model = None
    for document in documents:
        value, at = document.value, Place((), document.number)
        if isinstance(value, dict) and isinstance(value.get("eval"), dict):
            named = value["eval"].get("model")
            model = named if isinstance(named, str) and "/" in named else None
            samples = value.get("samples")
            for number, sample in enumerate(samples if isinstance(samples, list) else ()):
                yield _of_sample(sample, at / "samples" / number, model)
        elif _is_sample(value):
            yield _of_sample(value, at, model)
        elif document.readable:
            yield Skipped("no samples in it", at)


def _of_sample(sample: Any, at: Place, model: str | None) -> Candidate | Skipped:
    if not isinstance(sample, dict):
        return Skipped("a sample that is no object", at)
    name = f"sample {shown(sample.get('id'))} epoch {shown(sample.get('epoch', 1))}"
    messages = sample.get("messages")
    if isinstance(messages, list) and messages:
        return Candidate(messages, at / "messages", dialect="inspect", model=model, id=name, finished=True)
    history = _from_pool(sample, at)
    if history is None:
        return Skipped("a sample without messages", at, known=True)
    return history.candidate("inspect", model=model, id=name, finished=True)


def _from_pool(sample: dict[str, Any], at: Place) -> History | None:
    """The input of the last call of a model, whose messages lie in a pool that all calls share, and its reply."""
    pool, events = sample.get("message_pool"), sample.get("events")
    if not isinstance(pool, list) or not isinstance(events, list):
        return None
    for number in range(len(events) - 1, -1, -1):
        event = events[number]
        spans = event.get("input_refs") if isinstance(event, dict) and event.get("event") == "model" else None
        if not isinstance(spans, list):
            continue
        history = History()
        for span in spans:
            if not isinstance(span, list) or len(span) != 2 or not all(type(end) is int and end >= 0 for end in span):
                continue
            for index in range(span[0], min(span[1], len(pool))):
                if len(history.messages) <= len(pool):
                    history.add(pool[index], at / "message_pool" / index)
        output = event.get("output")
        choices = output.get("choices") if isinstance(output, dict) else None
        first = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(first, dict) and isinstance(first.get("message"), dict):
            history.add(first["message"], at / "events" / number / "output" / "choices" / 0 / "message")
        if history.messages:
            return history
    return None


CONTAINER = Container(
    name="inspect-log",
    title="Inspect evaluation logs",
    how="`eval` with `samples`, whose `messages` are Inspect's; or an archive of samples (.eval)",
    recognise=recognise,
    find=find,
    dialects=("inspect",),
    open=read_archive,
)
