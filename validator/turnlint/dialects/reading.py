"""Steps that the readers of several dialects share: places of members, forms of values, the walk over a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from turnlint.model import Call, Kind, Message, Part, Result, Speaker, Transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from turnlint.diagnostic import Place
    from turnlint.model import Candidate, ContentForm

ArgumentsForm = Literal["text", "object", "missing", "other"]


def spot(raw: Mapping[str, Any], key: str, at: Place) -> Place:
    """The place of a member, or of the object that lacks it."""
    return at / key if key in raw else at


def member(raw: Mapping[str, Any], key: str, at: Place) -> tuple[Any, Place]:
    """A member and its place; None and the place of the object where it is not there."""
    if key in raw:
        return raw[key], at / key
    return None, at


def content_form(raw: Mapping[str, Any], key: str) -> ContentForm:
    """The form of a message's content under `key`."""
    if key not in raw:
        return "absent"
    value = raw[key]
    if value is None:
        return "null"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "list"
    return "object" if isinstance(value, dict) else "other"


def arguments_form(value: Any) -> ArgumentsForm:
    """The form of a call's arguments; null counts as missing."""
    if value is None:
        return "missing"
    if isinstance(value, str):
        return "text"
    return "object" if isinstance(value, dict) else "other"


def text_of(value: Any) -> str | None:
    """`value` where it is text."""
    return value if isinstance(value, str) else None


def read_list(
    dialect: str, candidate: Candidate, read_message: Callable[[dict[str, Any], int, Place], Message | list[Message]]
) -> Transcript:
    """A transcript of every object of the list; what is no object is kept as a stray.

    A saved message that is several turns at once is read as several messages with one index.
    """
    transcript = Transcript(dialect, [], candidate)
    messages = candidate.messages if isinstance(candidate.messages, list) else []
    for index, raw in enumerate(messages):
        at = candidate.place(index)
        if isinstance(raw, dict):
            made = read_message(raw, index, at)
            if isinstance(made, list):
                transcript.messages.extend(made)
            else:
                transcript.messages.append(made)
        else:
            transcript.stray.append((at, raw))
    return transcript


def new_message(raw: dict[str, Any], index: int, at: Place, speakers: Mapping[str, Speaker]) -> Message:
    """A message without parts, its speaker told by its role."""
    role = raw.get("role")
    message = Message(index, at, raw, role, speaker_of(role, speakers))
    message.role_at = at / "role" if "role" in raw else None
    return message


def set_content(message: Message, raw: Mapping[str, Any], key: str = "content") -> None:
    """Fills a message's content, its form and its place from the member `key`."""
    message.content = value = raw.get(key)
    if isinstance(value, str):  # what nearly all of them are
        message.content_form, message.content_at = "text", message.at / key
    else:
        message.content_form, message.content_at = content_form(raw, key), spot(raw, key, message.at)


def text_part(text: str, at: Place, message: Message) -> Part:
    """The part that a whole content of text stands for."""
    return Part(Kind.TEXT, at, text, message, "text", text, at)


def new_call(raw: Any, at: Place, message: Message, kind: str, *, hosted: bool = False) -> Call:
    """A call whose members are filled in later; until then each of their places is its own."""
    made = Call(Kind.HOSTED_CALL if hosted else Kind.CALL, at, raw, message, kind, hosted=hosted)
    made.id_at = made.name_at = made.arguments_at = at
    return made


def new_result(raw: Any, at: Place, message: Message, kind: str, *, hosted: bool = False) -> Result:
    """A result whose members are filled in later; until then each of their places is its own."""
    made = Result(Kind.HOSTED_RESULT if hosted else Kind.RESULT, at, raw, message, kind, hosted=hosted)
    made.id_at = made.name_at = made.content_at = at
    return made


def fill_call(
    call: Call, raw: Mapping[str, Any], at: Place, *, id_key: str = "", name_key: str = "", arguments_key: str = ""
) -> None:
    """Takes ID, name and arguments of a call from the members of `raw` with these names."""
    if id_key:
        call.id, call.id_at = member(raw, id_key, at)
    if name_key:
        call.name, call.name_at = member(raw, name_key, at)
    if arguments_key:
        call.arguments, call.arguments_at = member(raw, arguments_key, at)
        call.arguments_form = arguments_form(call.arguments)


def fill_result(
    result: Result, raw: Mapping[str, Any], at: Place, *, id_key: str = "", name_key: str = "", content_key: str = ""
) -> None:
    """Takes ID, name and content of a result from the members of `raw` with these names."""
    if id_key:
        result.id, result.id_at = member(raw, id_key, at)
    if name_key:
        result.name, result.name_at = member(raw, name_key, at)
    if content_key:
        result.content, result.content_at = member(raw, content_key, at)
        if isinstance(result.content, str):
            result.text, result.text_at = result.content, result.content_at


def speaker_of(role: Any, speakers: Mapping[str, Speaker]) -> Speaker:
    """The speaker behind a role; `UNKNOWN` for what the dialect does not have, whatever its type."""
    return speakers.get(role, Speaker.UNKNOWN) if isinstance(role, str) else Speaker.UNKNOWN
