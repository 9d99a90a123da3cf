"""Hypothesis strategies for histories: valid ones for a dialect and target, and ones with exactly one fault.

    from hypothesis import given
    from turnlint import assert_valid
    from turnlint.testing.strategies import histories

    @given(histories("openai-chat"))
    def test_trim(history):
        assert_valid(trim(history))

Needs the extra: ``pip install "turnlint[hypothesis]"``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from hypothesis import reject
from hypothesis import strategies as st

from turnlint.errors import UsageError, near_misses
from turnlint.loading import examine_value, reader
from turnlint.testing import faults, writers
from turnlint.testing.conversations import Conversation, Round, Turn, Use
from turnlint.testing.taking import judge_of, taking

if TYPE_CHECKING:
    from turnlint.testing.taking import Taking
    from turnlint.testing.writers import Writer

__all__ = ["Drawn", "broken_histories", "conversations", "histories", "texts"]

Mode = Literal["request", "saved"]

# Each draw costs some tenth of a millisecond, and a history is made of many: where one draw does, it must.
_PHRASES = (
    "yes",
    "no",
    "ok",
    "Oslo",
    "weather",
    "4 C",
    "look it up",
    "two of them",
    "{}",
    "[1, 2]",
    "error: not found",
)
_FOREIGN = (
    "naïve café",
    "東京",
    "שלום",
    "مرحبا",
    "\U0001f469\u200d\U0001f467 ok",
    "e\u0301",
    "two\nlines",
    '"quoted" \\ back',
)
_TOOLS = st.sampled_from(("search", "read_file", "add"))
_PLAIN = st.sampled_from(_PHRASES)
_ANY_TEXT = st.sampled_from((*_PHRASES, *_FOREIGN)) | st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Cn", "Co")), min_size=1, max_size=12
).map(lambda text: text.strip() or "-")
_PLAIN_ARGUMENTS = st.sampled_from(
    ({}, {"a": 1}, {"city": "Oslo"}, {"a": 1, "b": 2}, {"path": "a/b.txt", "lines": [1, 2]}, {"deep": {"list": [{}]}})
)
_ANY_ARGUMENTS = _PLAIN_ARGUMENTS | st.dictionaries(
    st.sampled_from(("a", "city", "path")), st.none() | st.booleans() | st.integers(-9, 99) | _ANY_TEXT, max_size=2
)


def texts(*, unicode: bool = True) -> st.SearchStrategy[str]:
    """Short texts that are not blank and have no white space at their ends; they shrink to plain words."""
    return _ANY_TEXT if unicode else _PLAIN


class Drawn(TypedDict, total=False):
    """What histories are drawn from; every strategy here takes these keywords.

    A turn is a question and what follows it: up to `max_rounds` rounds of up to `max_calls` parallel calls, and the
    answer.  `system`, `hosted` (calls that the provider runs), `reasoning`, `images` and `unicode` say what may be
    drawn; what the target does not take never is.
    """

    min_turns: int  # 1
    max_turns: int  # 3
    max_rounds: int  # 2
    max_calls: int  # 3
    system: bool  # these are all True
    hosted: bool
    reasoning: bool
    images: bool
    unicode: bool


def histories(
    dialect: str = "openai-chat",
    target: str | None = None,
    *,
    mode: Mode = "request",
    body: bool = False,
    **drawn: Unpack[Drawn],
) -> st.SearchStrategy[Any]:
    """Valid histories: lists of messages, or with `body` the requests around them.

    `dialect` is the shape, `target` who shall take it (by default the dialect's owner).  In mode ``request`` a history
    ends with a question or with results; in mode ``saved`` also with an answer or with open calls.  See `Drawn` for the
    other keywords.  Raises `UsageError` for names that are not known.
    """
    writer = writers.get(dialect)
    taken = taking(writer, target)
    conversation = _conversations(_Options(**drawn), taken, mode)
    if body:
        writer.write(Conversation((Turn("?"),)), body=True)  # a dialect without a request body is told at once

    @st.composite
    def history(draw: st.DrawFn) -> Any:  # not conversation.map(...): a failing example is then shown as what it is
        return _written(draw(conversation), writer, taken, body=body)

    return history()


def broken_histories(
    rule: str,
    dialect: str = "openai-chat",
    target: str | None = None,
    *,
    mode: Mode = "request",
    body: bool = False,
    **drawn: Unpack[Drawn],
) -> st.SearchStrategy[tuple[Any, str]]:
    """Histories with one fault, each with the JSON pointer of the place where `rule` finds it.

    All that `target` (by default the dialect's owner) would say of the history is this rule, at this place: for code
    that repairs histories, or that has to notice when one is broken.  Raises `UsageError` if the target does not mind
    the rule, or nobody has written down how such a fault is made.
    """
    from turnlint.registry import entry

    name = entry(rule).name
    writer = writers.get(dialect)
    taken = taking(writer, target)
    judge, native = judge_of(writer, target)
    made = list(faults.faults_of(name, writer, judge, native=native, objects=taken.objects))
    if name not in faults.FAULTS:
        raise UsageError(f"no history is broken by {name}; there are {', '.join(sorted(faults.FAULTS))}")
    if not made or not taken.calls:
        raise UsageError(f"{judge.spec} does not mind {name} in {dialect}")
    options = _Options(**drawn, restart=False)

    @st.composite
    def broken(draw: st.DrawFn) -> tuple[Any, str]:
        fault = draw(st.sampled_from(made))
        conversation = _conversations(replace(options, least_rounds=fault.rounds, least_calls=fault.calls), taken, mode)
        document = _written(draw(conversation), writer, taken, body=body)
        seen = next(iter(examine_value(document, reader((target,) if target else (), dialect))))
        case = faults.Case(document, seen, writer, judge, native, lambda things: draw(st.sampled_from(things)))
        try:
            return document, case.pointer(fault.make(case))
        except faults.Unfit:
            reject()

    return broken()


def _written(conversation: Conversation, writer: Writer, taken: Taking, *, body: bool) -> Any:
    """The conversation as JSON that is nobody else's: tests may change it."""
    return json.loads(json.dumps(writer.write(conversation, body=body, model=taken.model, objects=taken.objects)))


def conversations(
    dialect: str = "openai-chat", target: str | None = None, *, mode: Mode = "request", **drawn: Unpack[Drawn]
) -> st.SearchStrategy[Conversation]:
    """What `histories` writes down, before it is written: for tests that need one conversation in several dialects.

    `turnlint.testing.writers.get(dialect).write(conversation)` writes it.
    """
    return _conversations(_Options(**drawn), taking(writers.get(dialect), target), mode)


@dataclass(frozen=True, slots=True)
class _Options:
    """`Drawn` with its defaults, and the least number of rounds in a turn and of calls in a round."""

    min_turns: int = 1
    max_turns: int = 3
    max_rounds: int = 2
    max_calls: int = 3
    system: bool = True
    hosted: bool = True
    reasoning: bool = True
    images: bool = True
    unicode: bool = True
    least_rounds: int = 0
    least_calls: int = 1
    restart: bool = True  # IDs may begin anew: not in histories with a fault, which would be another one then

    def __post_init__(self) -> None:
        if not 1 <= self.min_turns <= self.max_turns or self.max_rounds < 0 or self.max_calls < 1:
            raise UsageError("there are 1 <= min_turns <= max_turns, 0 <= max_rounds and 1 <= max_calls")


def _conversations(options: _Options, taken: Taking, mode: Mode) -> st.SearchStrategy[Conversation]:
    if mode not in ("request", "saved"):
        raise UsageError(f"unknown mode {mode!r}{near_misses(mode, ('request', 'saved'))}")
    most_rounds = max(options.max_rounds, options.least_rounds) if taken.calls else 0
    ends = ["question", "results"] if mode == "request" else ["answer", "question", "results", "calls"]
    if most_rounds == 0:
        ends = [end for end in ends if end in ("question", "answer")]
    one_turn_ends = [end for end in ends if end != "question" or not options.least_rounds]

    @st.composite
    def conversation(draw: st.DrawFn) -> Conversation:
        count = draw(st.integers(options.min_turns, options.max_turns))
        end = draw(st.sampled_from(ends if count > 1 else one_turn_ends))
        makes = _Drawing(draw, taken, options)
        turns = []
        for number in range(count):
            last = number == count - 1
            asks = last and end == "question"
            least = 0 if asks else max(options.least_rounds, int(last and end in ("results", "calls")))
            rounds = [makes.round() for _ in range(draw(st.integers(least, 0 if asks else most_rounds)))]
            if last and end == "calls":
                rounds[-1] = _opened(rounds[-1])
            turns.append(makes.turn(rounds, answered=not last or end == "answer"))
        return Conversation(tuple(turns), makes.some(options.system and taken.system, makes.words))

    return conversation()


class _Drawing:
    """Draws the turns of one conversation."""

    def __init__(self, draw: st.DrawFn, taken: Taking, options: _Options) -> None:
        self.draw = draw
        self.taken = taken
        self.options = options
        self.words = texts(unicode=options.unicode)
        self.arguments: st.SearchStrategy[Any] = _ANY_ARGUMENTS if options.unicode else _PLAIN_ARGUMENTS
        self.most_calls = max(options.max_calls, options.least_calls) if taken.parallel else 1
        self.ids = _Ids(taken.call_id, restart=options.restart and taken.restart and draw(st.booleans()))
        self.recent: list[tuple[str, Any]] = []
        self.thinks = taken.must_think or (options.reasoning and taken.thoughts and draw(st.booleans()))

    def some(self, allowed: bool, words: st.SearchStrategy[str]) -> str:
        """A text or, at times or where it is not allowed, none."""
        return self.draw(words) if allowed and self.draw(st.booleans()) else ""

    def turn(self, rounds: list[Round], *, answered: bool) -> Turn:
        taken, options = self.taken, self.options
        return Turn(
            self.draw(self.words),
            tuple(rounds),
            self.draw(self.words) if answered else "",
            image=options.images and taken.images and self.draw(st.booleans()),
            searched=self.some(answered and options.hosted and taken.hosted, _PLAIN),
        )

    def round(self) -> Round:
        draw, taken = self.draw, self.taken
        self.ids.new_round()
        least = min(self.options.least_calls, self.most_calls)
        uses = tuple(self.use() for _ in range(draw(st.integers(max(least, 1), self.most_calls))))
        order: tuple[int, ...] = ()
        if len(uses) > 1 and taken.shuffle and draw(st.booleans()):
            order = tuple(draw(st.permutations(range(len(uses)))))
        text = draw(self.words) if taken.must_say else self.some(taken.texts, self.words)
        return Round(uses, text, draw(_PLAIN) if self.thinks else "", order)

    def use(self) -> Use:
        draw = self.draw
        name, arguments = draw(_TOOLS), draw(self.arguments)
        if self.recent == [(name, arguments)] * 2:  # three equal calls in a row would be a loop
            name = "stop" if name != "stop" else "search"
        self.recent = [*self.recent[-1:], (name, arguments)]
        return Use(self.ids.make(), name, arguments, draw(self.words), self.taken.failures and draw(st.booleans()))


class _Ids:
    """Call IDs: counted through the history, or anew in every round where the target does not mind."""

    def __init__(self, form: str, *, restart: bool) -> None:
        self.form = form
        self.restart = restart
        self.last = 0

    def new_round(self) -> None:
        if self.restart:
            self.last = 0

    def make(self) -> str:
        self.last += 1
        return self.form.format(self.last)


def _opened(one: Round) -> Round:
    """The round before any of its calls was answered."""
    return Round(tuple(Use(u.id, u.name, u.arguments, None) for u in one.uses), one.text, one.thought)
