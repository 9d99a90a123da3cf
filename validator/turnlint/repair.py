"""The repair verbs: what a rule can ask for, in neutral words.

A rule names parts and messages of the model; a dialect carries the verb out on its own shape; `source.patch` turns the
outcome into bytes.  The set is closed: no rule knows a shape, no dialect knows a rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from turnlint.diagnostic import Place
    from turnlint.model import Call, Message, Part, Result, Speaker, Tool


class MoveResult(Struct, frozen=True):
    """Put a result where the target looks for it: into the window behind its call.

    `alone`: the target wants nothing beside results, so that they get a message of their own.
    """

    result: Result
    call: Call
    alone: bool = False


class Relink(Struct, frozen=True):
    """Give a result the ID of the call it answers."""

    result: Result
    call: Call


class RenameId(Struct, frozen=True):
    """Give a call, and everything that names it, another ID."""

    call: Call
    results: tuple[Result, ...]
    to: str


class Remove(Struct, frozen=True):
    """Take out a part or a message; a message that is empty then goes too."""

    target: Part | Message | Tool


class RemoveKey(Struct, frozen=True):
    """Take out the member of an object at this place."""

    at: Place


class SetValue(Struct, frozen=True):
    """Write a value at a place (a member that is not there yet is added to its object)."""

    at: Place
    value: Any


class SetArguments(Struct, frozen=True):
    """Write the arguments of a call, under the key that the dialect has for them."""

    call: Call
    value: Any


class SetContent(Struct, frozen=True):
    """Make a text the whole content of a message or result, in the dialect's own form, also where it has none yet."""

    target: Message | Result
    text: str


class SetName(Struct, frozen=True):
    """Give a call or result the name of its tool, under the key that the dialect has for it."""

    part: Call | Result
    name: str


class SetSchema(Struct, frozen=True):
    """Give a declared tool parameters, under the key that the dialect has for them."""

    tool: Tool
    schema: Any


class SetReasoning(Struct, frozen=True):
    """Write what a message has as its reasoning, under the key that the dialect has for it."""

    message: Message
    text: str


class SetSignature(Struct, frozen=True):
    """Put a documented mark where the dialect keeps the signature of a call."""

    call: Call
    value: str


class SetSpeaker(Struct, frozen=True):
    """Give a message the role that the dialect has for a speaker."""

    message: Message
    speaker: Speaker


class ReorderParts(Struct, frozen=True):
    """Put the parts of a message in this order."""

    message: Message
    parts: tuple[Part, ...]


class ReorderMessages(Struct, frozen=True):
    """Put messages that stand together in this order."""

    messages: tuple[Message, ...]


class MergeMessages(Struct, frozen=True):
    """Make one message of several, with what they say in this order.

    `into` is the one that stays, with its role: the first where none is named.
    """

    messages: tuple[Message, ...]
    into: Message | None = None


class SplitMessage(Struct, frozen=True):
    """Give these parts of a message a message of their own, before or behind it."""

    message: Message
    parts: tuple[Part, ...]
    before: bool = False


class SplitCall(Struct, frozen=True):
    """Make several calls of one whose arguments are those of all: further ones get an ID and their arguments."""

    call: Call
    arguments: tuple[str, ...]
    ids: tuple[str, ...]  # of all but the first


class MoveCall(Struct, frozen=True):
    """Put a call where the dialect keeps calls, under this ID, and make its result one of those that carry IDs."""

    call: Call
    id: str
    result: Result | None = None


class MoveText(Struct, frozen=True):
    """Put the text beside the calls of a message where the dialect keeps what is said in front of calls."""

    message: Message


class MoveMessage(Struct, frozen=True):
    """Put a message before another (or at the end)."""

    message: Message
    before: Message | None


class HoistSystem(Struct, frozen=True):
    """Move system messages to where the dialect takes the system prompt."""

    messages: tuple[Message, ...]


class InsertPlaceholder(Struct, frozen=True):
    """Answer a call with a text that says its outcome is unknown; `alone` as for `MoveResult`."""

    call: Call
    text: str | None = None
    alone: bool = False


class InsertMessage(Struct, frozen=True):
    """Put a short neutral text of a speaker behind a message, or in front of all."""

    speaker: Speaker
    text: str
    behind: Message | None


class AddText(Struct, frozen=True):
    """Put a text behind what a message holds."""

    message: Message
    text: str


class DeclareTools(Struct, frozen=True):
    """Declare tools of these names, with any arguments, in a request that declares none."""

    names: tuple[str, ...]


class Rewrite(Struct, frozen=True):
    """Write these values in the place of a message that is in another dialect's shape."""

    message: Message
    values: tuple[Any, ...]


class StopThinking(Struct, frozen=True):
    """Let the request ask for an answer without thinking."""


class HandOver(Struct, frozen=True):
    """Take parts out of a result, and give them to the user behind the results of its turn.

    `text` stands for them where the result holds nothing else.
    """

    result: Result
    parts: tuple[Part, ...]
    text: str


class ResultAsText(Struct, frozen=True):
    """Keep an orphan result as plain text in its place."""

    result: Result


Verb = (
    MoveResult
    | Relink
    | RenameId
    | Remove
    | RemoveKey
    | SetValue
    | SetArguments
    | SetContent
    | SetName
    | SetSchema
    | SetReasoning
    | SetSignature
    | SetSpeaker
    | ReorderParts
    | ReorderMessages
    | MergeMessages
    | SplitMessage
    | SplitCall
    | MoveCall
    | MoveText
    | MoveMessage
    | HoistSystem
    | InsertPlaceholder
    | InsertMessage
    | AddText
    | DeclareTools
    | Rewrite
    | StopThinking
    | HandOver
    | ResultAsText
)
