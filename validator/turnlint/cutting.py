"""Where a history can be cut so that no pair is parted and the rest is still valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint import containers
from turnlint.containers import Skipped
from turnlint.diagnostic import Severity
from turnlint.engine import Checker, Settings, check_document
from turnlint.errors import UsageError
from turnlint.model import Candidate, Speaker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from turnlint.model import Message, Transcript
    from turnlint.pairing import Pairing


def cut_points(document: Any, settings: Settings) -> list[int]:
    """The indexes `i` at which leading system messages and ``messages[i:]`` are a valid history of their own.

    `document` is a list of messages or a request body.  0 is among them if the whole history is valid.  Linear in the
    history: around each index only the turns that the cut can harm are looked at again.
    """
    if document == []:
        return []
    candidate, transcript, pairing = _read(document, settings)
    groups = _as_saved(candidate, transcript)
    lead = next((n for n, g in enumerate(groups) if any(m.speaker is not Speaker.SYSTEM for m in g)), len(groups))
    closed = _closed(len(groups), pairing)
    last_error = _last_error(document, settings)
    points = [0] if last_error < 0 and groups else []
    points.extend(
        index
        for index in range(max(lead, 1), len(groups))
        if closed[index] and index > last_error and _valid_head(candidate, groups, lead, index, settings)
    )
    return points


def closed_points(document: Any, settings: Settings) -> list[int]:
    """The indexes at which a cut parts no pair, whatever else it does."""
    candidate, transcript, pairing = _read(document, settings)
    groups = _as_saved(candidate, transcript)
    return [index for index, whole in enumerate(_closed(len(groups), pairing)) if whole]


def _as_saved(candidate: Candidate, transcript: Transcript) -> list[list[Message]]:
    """What each saved message was read into: one message in most dialects, several where one holds two speakers.

    Empty where something in the list is no message.
    """
    if transcript.stray:
        return []
    groups: list[list[Message]] = [[] for _ in candidate.messages]
    for message in transcript.messages:
        groups[message.index].append(message)
    return groups


def _read(document: Any, settings: Settings) -> tuple[Candidate, Transcript, Pairing]:
    from turnlint.pairing import pair
    from turnlint.source.document import Document
    from turnlint.targets import PairingPolicy

    whole = Document(document, b"", format="object")
    container = containers.recognise([whole])
    found = [c for c in container.find(iter([whole])) if not isinstance(c, Skipped)] if container else []
    if len(found) != 1 or not isinstance(found[0].messages, list):
        raise UsageError("cut_points takes one history: a list of messages or a request body")
    seen = Checker(Settings(**{**_fields(settings), "triggers": False})).examine(found[0])
    if seen.transcript is None:
        raise UsageError("the messages are in no known dialect; name it with `dialect`")
    pairing = seen.pairings[0] if seen.pairings else pair(seen.transcript, PairingPolicy())
    return found[0], seen.transcript, pairing


def _fields(settings: Settings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in settings.__struct_fields__}


def _closed(size: int, pairing: Pairing) -> list[bool]:
    """For each index of `size` messages, whether no pair has one half before it and the other behind."""
    depth = [0] * (size + 1)
    for result in pairing.results:
        call = pairing.call_of(result)
        if call is None:
            continue
        low, high = sorted((call.message.index, result.message.index))
        depth[low + 1] += 1
        depth[high + 1] -= 1
    for exchange in pairing.exchanges:  # the messages of one turn stay together
        low, high = exchange.messages[0].index, exchange.messages[-1].index
        depth[low + 1] += 1
        depth[high + 1] -= 1
    closed, open_pairs = [], 0
    for change in depth[:-1]:
        open_pairs += change
        closed.append(open_pairs == 0)
    return closed


def _last_error(document: Any, settings: Settings) -> int:
    """The highest message index with an error in the whole history; -1 where there is none."""
    report = check_document(document, settings)
    errors = [d for d in report.diagnostics if d.severity is Severity.ERROR]
    return max((d.message_index if d.message_index is not None else 0 for d in errors), default=-1)


def _valid_head(
    candidate: Candidate, groups: Sequence[list[Message]], lead: int, index: int, settings: Settings
) -> bool:
    """Whether a history that begins here is valid as far as its beginning can tell: up to the second user turn."""
    end, users = index, 0
    while end < len(groups) and users < 2:
        users += any(m.speaker is Speaker.USER and not m.only_results for m in groups[end])
        end += 1
    while end < len(groups) and (any(m.results for m in groups[end]) or any(m.calls for m in groups[end - 1])):
        end += 1
    whole = end == len(groups)
    rest = [*candidate.messages[:lead], *candidate.messages[index:end]]
    mode = settings.mode if whole else "saved"
    trial: Any = rest if candidate.body is None else {**candidate.body, candidate.at.path[-1]: rest}
    report = check_document(trial, Settings(**{**_fields(settings), "mode": mode}))
    return all(d.severity is not Severity.ERROR for d in report.diagnostics)
