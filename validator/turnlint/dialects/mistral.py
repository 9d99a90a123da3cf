"""Mistral chat: the shape of OpenAI Chat with `prefix`, chunks of its own, and arguments as text or as an object.

Nothing but these marks and the names of its models tells it from OpenAI Chat, so that most histories are taken for that
unless the file or the command line names Mistral.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks, openai_chat
from turnlint.dialects.reading import spot
from turnlint.model import Candidate, Kind, Media, Message, Part, Transcript

if TYPE_CHECKING:
    from turnlint.diagnostic import Place

ROLES = frozenset({"system", "user", "assistant", "tool"})
OWN_PARTS = frozenset({"document_url", "reference", "tool_reference", "thinking:list"})
#: Models under the names that only Mistral's own service has.
OWN_MODELS = re.compile(
    r"(?:mistral|ministral|codestral|magistral|pixtral|devstral|open-mi[sx]tral)(?:-[a-z0-9.]{1,12}){0,3}-(?:latest|\d{4})",
    re.ASCII,
)
OWN_BODY = frozenset({"safe_prompt", "random_seed", "prompt_mode"})


def recognise(marks: Marks) -> int:
    """Sure of `prefix`, of its own chunks, request members, and models."""
    if "role" not in marks.keys or not marks.roles & ROLES or "parts" in marks.keys:
        return 0
    if marks.function_forms - {"dict", "NoneType"}:
        return 0
    if "prefix" in marks.keys or marks.body & OWN_BODY:
        return 85
    if marks.part_types & OWN_PARTS and "content" in marks.keys:
        return 82
    return 82 if OWN_MODELS.fullmatch(marks.model) else 0


def read(candidate: Candidate) -> Transcript:
    """The messages as saved; what is of a wrong type is kept and left for the rules to name."""
    return openai_chat.read_as("mistral", candidate, read_part)


def read_part(raw: Any, at: Place, message: Message) -> Part:
    kind = raw.get("type") if isinstance(raw, dict) else None
    if kind == "document_url":
        media = Media(Kind.MEDIA, at, raw, message, kind, media="document", name=raw.get("document_name"), remote=True)
        media.name_at = at / "document_name" if "document_name" in raw else None
        return media
    if kind in ("reference", "tool_reference"):
        return Part(Kind.CONTROL, at, raw, message, kind)
    if kind == "file":
        return Media(Kind.MEDIA, at, raw, message, kind, media="file", data_at=spot(raw, "file_id", at))
    return openai_chat.read_part(raw, at, message)


DIALECT = Dialect(
    name="mistral",
    title="Mistral chat",
    how="as openai-chat, with `prefix` on assistant messages, or chunks like `document_url` and `reference`",
    recognise=recognise,
    read=read,
    shape=openai_chat.SHAPE,
)
