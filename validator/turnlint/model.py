"""The provider-neutral model of a history: transcript, messages, parts, calls, results, tools.

A dialect reads saved messages into these classes and notes the place of everything that a rule may point at.
The classes are plain and mutable because building them is the cost of every history that is not clean; nothing
changes them after the dialect has read them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from turnlint.diagnostic import Place, at_hand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Mode = Literal["saved", "request"]
ContentForm = Literal["absent", "null", "text", "list", "object", "other"]


@at_hand
class Speaker(StrEnum):
    """Who speaks, whatever the dialect calls the role.  `UNKNOWN` is a role that the dialect does not have."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    UNKNOWN = "unknown"


@at_hand
class State(StrEnum):
    """How complete a transcript is; a container derives it before any rule runs."""

    COMPLETE = "complete"
    PARTIAL_HEAD = "partial-head"
    PARTIAL_TAIL = "partial-tail"
    TRUNCATED_VALUES = "truncated-values"
    REDACTED = "redacted"
    NOT_RECORDED = "not-recorded"


class Signal:
    """What the one pass over decoded messages noted.  A rule runs only when one of its signals is set.

    Plain numbers, to be joined with ``|``: a flag class costs more than all the checks it would serve.
    A dialect without a quick pass reports `ALL`, which is always right and merely slower.
    """

    NONE = 0
    UNPAIRED = 1 << 0  # calls and results are not plainly complete, side by side
    ODD_ID = 1 << 1  # an ID missing, not text, or not letters, digits, _ and - up to 40
    REPEATED_ID = 1 << 2  # a call ID seen before in this transcript
    ODD_RESULT = 1 << 3  # a result that is empty, null, not text, marked as an error, or without what it needs
    EMPTY_CONTENT = 1 << 4  # content "" or [], or no parts
    NULL_CONTENT = 1 << 5  # content null or not there
    BLANK_TEXT = 1 << 6  # a text part or a whole content that is empty or only white space
    ODD_ARGUMENTS = 1 << 7  # arguments that are not an object in the dialect's own form
    ODD_NAME = 1 << 8  # a tool's or message's name missing or not letters, digits, _ and - up to 64
    SYSTEM = 1 << 9  # a system or developer message in the list
    ODD_SYSTEM = 1 << 10  # one that is not the first message
    SAME_ROLE = 1 << 11  # one speaker twice in a row
    FIRST_NOT_USER = 1 << 12  # what comes first after system messages is not the user's
    LAST_ASSISTANT = 1 << 13  # the last message is the assistant's
    USER_AFTER_RESULT = 1 << 14  # a user message right after a result
    NO_USER = 1 << 15  # no user message at all
    ODD_ROLE = 1 << 16  # a role outside the dialect's everyday ones
    LIST_CONTENT = 1 << 17  # content that is a list of parts, in a dialect that also takes text
    MEDIA = 1 << 18  # images, documents, audio, or a part that is no everyday one
    MIXED = 1 << 19  # something beside results
    EXTRA_KEY = 1 << 20  # a key outside the dialect's everyday ones
    REASONING = 1 << 21  # reasoning, thinking, signatures
    HOSTED = 1 << 22  # calls or results that the provider runs
    TOOLS = 1 << 23  # the body declares tools, or has a tool choice
    CALLS = 1 << 24  # any call or result at all
    LEGACY = 1 << 25  # function_call and role function
    BODY = 1 << 26  # request parameters beside the history that some rule looks at
    EMPTY = 1 << 27  # no messages
    REPEATED_CALL = 1 << 28  # two calls in a row with one name and the same arguments
    ODD = 1 << 29  # anything of a type that the dialect does not expect
    STOP_REASON = 1 << 30  # a stop reason was saved
    TRAILING_SPACE = 1 << 31  # a last assistant text that ends in white space
    LEADING_RESULT = 1 << 32  # the last message is a result
    MANY = 1 << 33  # more of something than the smallest known limit
    CALL_TEXT = 1 << 34  # assistant text that may hide a call (<tool_call>, function call JSON, ...)
    NULL_BESIDE_CALLS = 1 << 35  # content null or not there in a message with calls
    NAMED_RESULT = 1 << 36  # a result that names its tool, and the pass did not compare the names
    LINE = 1 << 37  # the line of a data set, or the address a request went to, may say something of its own
    SEEN = 1 << 38  # always set, by the engine: what a rule asks for that can fire on any history
    TEXT_BESIDE_CALLS = 1 << 39  # anything beside calls
    TEXT_ARGUMENTS = 1 << 40  # arguments that are text, be that the dialect's own form or not
    NO_TOOLS = 1 << 41  # a body with calls or results that declares no tools
    REORDERED = 1 << 42  # the results of a turn in another order than its calls
    ITEM_ID = 1 << 43  # an item with an ID of its own
    ODD_ITEM_ID = 1 << 44  # one seen before, or not of the form that the dialect's provider gives
    LONG_RESULT = 1 << 45  # a result of more characters than any history of today has, or a list of parts
    TOOL_ROLE = 1 << 46  # a message of role tool
    OPEN_LOOP = 1 << 47  # the last message may be a result, in a request whose parameters are there
    ALL = (1 << 48) - 1


@at_hand
class Kind(StrEnum):
    """What a part is."""

    TEXT = "text"
    CALL = "call"
    RESULT = "result"
    REASONING = "reasoning"
    MEDIA = "media"
    DATA = "data"  # a JSON value, in a dialect that has a part for it
    REFUSAL = "refusal"
    HOSTED_CALL = "hosted-call"
    HOSTED_RESULT = "hosted-result"
    CONTROL = "control"  # compaction, item references, cache points: no speech
    UNKNOWN = "unknown"


class Part(Struct, eq=False):
    """A content block.  `type` is its name on the wire, `text` its text where it has one.

    `type_at` is where its type is written, in dialects that write it.
    """

    kind: Kind
    at: Place
    raw: Any
    message: Message
    type: str = ""
    text: str | None = None
    text_at: Place | None = None
    type_at: Place | None = None


class Data(Part, eq=False):
    """A JSON value as a part of a result."""

    value: Any = None
    value_at: Place | None = None


class Call(Part, eq=False):
    """A tool call: the assistant asks for a tool.

    `id` is what was saved (None: missing or null; it may be of a wrong type).  `arguments` is what was saved;
    `arguments_form` tells whether that is text, an object, missing or something else.  `hosted` calls are run by
    the provider; `hidden` ones stand in content where the provider's own call list does not show them; `custom`
    ones take free text instead of JSON.  `expects_result` is False for tools that end a run and never answer.
    `number` counts client calls in the transcript from 0.
    """

    id: Any = None
    name: Any = None
    arguments: Any = None
    arguments_form: Literal["text", "object", "missing", "other"] = "missing"
    id_at: Place | None = None
    name_at: Place | None = None
    arguments_at: Place | None = None
    hosted: bool = False
    hidden: bool = False
    custom: bool = False
    legacy: bool = False
    number: int = -1
    state: str | None = None  # a UI's own word for how far the call is (AI SDK)
    signature: Any = None
    signature_at: Place | None = None


class Result(Part, eq=False):
    """A tool result.  `content` is what was saved, `parts` its parts where it is a list.

    `number` counts client results in the transcript from 0.
    """

    id: Any = None
    name: Any = None
    content: Any = None
    content_at: Place | None = None
    id_at: Place | None = None
    name_at: Place | None = None
    is_error: bool = False
    parts: list[Part] = field(default_factory=list)
    hosted: bool = False
    legacy: bool = False
    number: int = -1

    @property
    def is_empty(self) -> bool:
        """No content at all: absent, null, an empty text, list or object without any text in it."""
        content = self.content
        if content is None or content in ("", [], {}):
            return True
        if isinstance(content, str):
            return not content.strip()
        if isinstance(content, list) and self.parts:
            return all(p.kind is Kind.TEXT and not (p.text or "").strip() for p in self.parts)
        return False


class Reasoning(Part, eq=False):
    """A reasoning block or item.  `signature` is the provider's seal, `id` its item ID, `encrypted` its sealed text.

    `content` is what an item holds beside its summary, where the dialect has both.
    """

    signature: Any = None
    signature_at: Place | None = None
    id: Any = None
    encrypted: Any = None
    redacted: bool = False
    content: Any = None
    content_form: ContentForm = "absent"
    content_at: Place | None = None


class Media(Part, eq=False):
    """An image, document, audio or video.  `data` is base64 text where the bytes are inline.

    `remote` ones are named by an address that the provider would have to fetch.  `media_type_at` is the place of the
    stated type alone; where the type is a piece of a longer text (a data URL) it is None.
    """

    media: str = ""  # image, document, audio, video, file
    media_type: Any = None
    data: Any = None
    name: Any = None
    data_at: Place | None = None
    media_type_at: Place | None = None
    name_at: Place | None = None
    remote: bool = False


class Message(Struct, eq=False):
    """One saved message, or one item of a list that has no messages.

    `index` is its place in the saved list from 0; `role` is what was saved; `content` likewise, with its form.
    `item` is the wire type of an item that is no message (Responses), else an empty text.  `foreign_role` marks a role
    that the dialect does not have though it is plain who speaks.  `prefix_at` is the mark that a message is to be
    continued, `calls_at` the call list, where they are there.  `directive` marks a system message without words that
    only carries settings.
    """

    index: int
    at: Place
    raw: Any
    role: Any
    speaker: Speaker
    parts: list[Part] = field(default_factory=list)
    content: Any = None
    content_form: ContentForm = "absent"
    content_at: Place | None = None
    name: Any = None
    id: Any = None
    id_at: Place | None = None
    item: str = ""
    empty_calls: bool = False
    stop_reason: Any = None
    role_at: Place | None = None
    name_at: Place | None = None
    calls_at: Place | None = None
    prefix_at: Place | None = None
    foreign_role: bool = False
    directive: bool = False
    _sorted: tuple[int, list[Call], list[Result]] | None = None

    @property
    def calls(self) -> list[Call]:
        """The calls that a client answers, hidden ones included."""
        found = self._sorted
        return (found if found is not None and found[0] == len(self.parts) else self._sort())[1]

    @property
    def results(self) -> list[Result]:
        """The results that a client gave."""
        found = self._sorted
        return (found if found is not None and found[0] == len(self.parts) else self._sort())[2]

    def _sort(self) -> tuple[int, list[Call], list[Result]]:
        """Calls and results, with the number of parts for which that is right: they are asked for again and again."""
        calls: list[Call] = []
        results: list[Result] = []
        for part in self.parts:
            kind = type(part)
            if kind is Call:
                calls.append(part) if not part.hosted else None  # type: ignore[arg-type, attr-defined]
            elif kind is Result:
                results.append(part) if not part.hosted else None  # type: ignore[arg-type, attr-defined]
        self._sorted = found = (len(self.parts), calls, results)
        return found

    def empty(self) -> None:
        """Lets go of its parts."""
        self.parts, self._sorted = [], None

    @property
    def text(self) -> str:
        """All its text, joined by line ends."""
        return "\n".join(p.text for p in self.parts if p.kind is Kind.TEXT and p.text)

    def has(self, *kinds: Kind) -> bool:
        return any(p.kind in kinds for p in self.parts)

    @property
    def only_results(self) -> bool:
        """It carries client results and nothing else."""
        return bool(self.parts) and len(self.results) == len(self.parts)


@at_hand
class Stop(StrEnum):
    """Why a model stopped, whatever the provider's word for it."""

    CALLS = "calls"  # it waits for results
    END = "end"
    LENGTH = "length"  # the output limit cut it off
    OTHER = "other"


_STOPS = {
    "tool_calls": Stop.CALLS,
    "function_call": Stop.CALLS,
    "tool_use": Stop.CALLS,
    "tool_call": Stop.CALLS,
    "tool-calls": Stop.CALLS,
    "stop": Stop.END,
    "end_turn": Stop.END,
    "complete": Stop.END,
    "stop_sequence": Stop.END,
    "length": Stop.LENGTH,
    "max_tokens": Stop.LENGTH,
    "max_output_tokens": Stop.LENGTH,
    "model_length": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
}


def stop_of(word: object) -> Stop | None:
    """The meaning of a saved stop reason; None where nothing was saved."""
    return _STOPS.get(word.lower(), Stop.OTHER) if isinstance(word, str) and word else None


class Tool(Struct, eq=False):
    """A declared tool.  `schema` is its JSON Schema as saved; `type` the wire type; `hosted` ones the provider runs."""

    name: Any
    at: Place
    raw: Any
    schema: Any = None
    name_at: Place | None = None
    schema_at: Place | None = None
    type: str = "function"
    hosted: bool = False


class Flaw(Struct, frozen=True):
    """Something wrong with the shape alone, which only a dialect can tell: it knows its keys and types.

    `kind` is ``schema`` (a key, type or value that the dialect does not allow), ``key`` (a member that its schema does
    not have), ``foreign`` (another provider's shape), ``seal`` (something signed that lost its signature) or
    ``reference`` (a name that the provider reads as that of a file).
    `variants` name the case, the narrowest first (rules/turnlint_rules/variants.toml).  `word` is the key or value that
    the provider's text names.
    """

    kind: Literal["schema", "key", "foreign", "seal", "reference"]
    variants: tuple[str, ...]
    at: Place
    message: str
    subject: Message | Part | None = None
    word: str = ""
    verbs: tuple[Any, ...] = ()


class Recorded(Struct):
    """What the provider answered to this very request, where a recording holds it."""

    status: int
    text: str = ""

    @property
    def accepted(self) -> bool:
        return 200 <= self.status < 300

    @property
    def refused(self) -> bool:
        return 400 <= self.status < 500 and self.status not in (401, 402, 403, 404, 408, 429)


def real_place(moved: Mapping[Place, Place], place: Place) -> Place:
    """A place led by its longest beginning that `moved` knows to where that really stands."""
    path = place.path
    for end in range(len(path), -1, -1):
        target = moved.get(Place(path[:end], place.document))
        if target is not None:
            made = end > 0 and str(path[end - 1]).startswith(MADE)
            return target if made else Place((*target.path, *path[end:]), target.document)
    return place


MADE = "(message "  # how the last step of a place begins that a container made up


class Line(Struct):
    """The line of a data set that a history lies in: an example to train on, or a request of a batch.

    `raw` is the line as decoded, which need be no object.  `plain` is True where nothing in it can matter to a rule.
    Lines are read one after another, so that what a rule must know of the earlier ones is noted here: the document of
    the line that had the same custom ID, and the url and model of the first line.  `weights` are the places and values
    of the weights that stand on messages, with the message's index.
    """

    kind: Literal["supervised", "preference", "reinforcement", "request"]
    raw: Any
    at: Place
    plain: bool = False
    repeats: int | None = None
    first: int = 0
    first_url: str | None = None
    first_model: str | None = None
    strict: bool = True  # a request line of the kind that has method and url
    weights: tuple[tuple[int, Place, Any], ...] = ()


class Candidate(Struct):
    """A transcript that a container found and no dialect has read yet.

    `messages` is the list as decoded (or another value, where the container took one for a history); `at` its place;
    `places` names the place of each message where they do not simply follow from `at` (one message a line, filtered
    records); `indexes` likewise the index that each message has in the saved list.  `body` is the request around it.
    `api` is the name under which targets judge it, where it is not the dialect's own (``fine-tuning``); `line` is the
    line of a data set around it; `url` the address that the request went to, where a rule must look at it.
    """

    messages: Any
    at: Place = Place()
    dialect: str | None = None
    body: Mapping[str, Any] | None = None
    body_at: Place = Place()
    api: str | None = None
    line: Line | None = None
    url: str | None = None
    places: Sequence[Place] | None = None
    mode: Mode | None = None
    target: str | None = None
    target_reason: str = ""
    model: str | None = None
    as_of: str | None = None
    state: State = State.COMPLETE
    notice: str | None = None
    recorded: Recorded | None = None
    id: str = ""
    sent: int | None = None  # how many of the messages were sent; what follows is the joined reply
    finished: bool = False  # the record says that the run ended
    fixable: bool = True  # the container is text that an edit can reach
    stream_faults: tuple[tuple[Place, str], ...] = ()  # what a recorded stream lost, in words
    splits: tuple[tuple[Place, str], ...] = ()  # where a message goes on that other records cut apart
    wrap: Callable[[Any, Any], Any] | None = None  # the record of a new message, to stand behind another record
    chain: tuple[str, str] | None = None  # the keys by which a record names itself, and the record before it
    moved: Mapping[Place, Place] = field(default_factory=dict)  # where what a container joined really stands

    def real(self, place: Place) -> Place:
        """Where something really stands that the dialect places inside a joined message."""
        return real_place(self.moved, place) if self.moved else place

    def place(self, index: int) -> Place:
        """Where message number `index` of the list stands."""
        return self.places[index] if self.places is not None else self.at / index


class Transcript(Struct):
    """One history in one dialect, read into the model.

    `cache_marks` are the places of marks that ask the provider to cache up to a block, in the order of the prompt
    (tools, system, messages).  `json_mode_at` is where the request asks for any JSON object as the answer.
    """

    dialect: str
    messages: list[Message]
    candidate: Candidate
    tools: list[Tool] | None = None  # None: the request is not known, or says nothing of tools
    tools_at: Place | None = None
    system: list[Part] = field(default_factory=list)  # instructions beside the list
    stray: list[tuple[Place, Any]] = field(default_factory=list)  # items of the list that are no objects
    stored: bool | None = None  # whether the provider was asked to keep items, so that an ID alone can name one
    cache_marks: list[Place] = field(default_factory=list)
    json_mode_at: Place | None = None

    @property
    def at(self) -> Place:
        return self.candidate.at

    @property
    def body(self) -> Mapping[str, Any]:
        """The request around the list; empty where there is none."""
        return self.candidate.body or {}

    @property
    def is_body(self) -> bool:
        """Whether the request around the history is known, so that what it lacks can be told."""
        return self.candidate.body is not None

    @property
    def state(self) -> State:
        return self.candidate.state

    @property
    def sent(self) -> list[Message]:
        """The messages that were sent, without a joined reply."""
        return self.messages if self.candidate.sent is None else self.messages[: self.candidate.sent]

    def settle(self) -> None:
        """Gives everything that a container joined the place at which it really stands."""
        real = self.candidate.real
        pending: list[object] = [*self.messages, *self.system, *(self.tools or ())]
        while pending:
            item = pending.pop()
            if isinstance(item, (Message, Result)):
                pending.extend(item.parts)
            for name in _PLACES:
                place = getattr(item, name, None)
                if place is not None:
                    setattr(item, name, real(place))

    def take_apart(self) -> None:
        """Cuts messages and parts, which know each other, apart: memory is free at once, and not when it is searched.

        For who is done with a transcript: of its messages nothing is left but their places.
        """
        for message in self.messages:
            message.empty()

    def parts(self) -> Iterator[Part]:
        for message in self.messages:
            yield from message.parts

    def calls(self) -> Iterator[Call]:
        for part in self.parts():
            if isinstance(part, Call):
                yield part

    def results(self) -> Iterator[Result]:
        for part in self.parts():
            if isinstance(part, Result):
                yield part


#: Attributes of messages, parts and tools that hold a place.
_PLACES = (
    "at",
    "text_at",
    "content_at",
    "id_at",
    "name_at",
    "arguments_at",
    "signature_at",
    "data_at",
    "media_type_at",
    "schema_at",
)
