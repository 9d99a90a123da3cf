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

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hypothesis import strategies as st

from turnlint.errors import UsageError, near_misses
from turnlint.testing import writers
from turnlint.testing.conversations import Conversation, Round, Turn, Use
from turnlint.testing.taking import taking

if TYPE_CHECKING:
    from turnlint.testing.taking import Taking

__all__ = ["conversations", "histories"]

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


def histories(
    dialect: str = "openai-chat",
    target: str | None = None,
    *,
    mode: Mode = "request",
    body: bool = False,
    min_turns: int = 1,
    max_turns: int = 3,
    max_rounds: int = 2,
    max_calls: int = 3,
    system: bool = True,
    hosted: bool = True,
    reasoning: bool = True,
    images: bool = True,
    unicode: bool = True,
) -> st.SearchStrategy[Any]:
    """Valid histories: lists of messages, or with `body` the requests around them.

    `dialect` is the shape, `target` who shall take it (by default the dialect's owner).  In mode ``request`` a history
    ends with a question or with results; in mode ``saved`` also with an answer or with open calls.  A turn is a
    question and what follows it: up to `max_rounds` rounds of up to `max_calls` parallel calls, and the answer.
    `system`, `hosted` (calls that the provider runs), `reasoning`, `images` and `unicode` say what may be drawn; what
    the target does not take never is.  Raises `UsageError` for names that are not known.
    """
    drawn = conversations(
        dialect, target, mode=mode, min_turns=min_turns, max_turns=max_turns, max_rounds=max_rounds,
        max_calls=max_calls, system=system, hosted=hosted, reasoning=reasoning, images=images, unicode=unicode,
    )  # fmt: skip
    writer = writers.get(dialect)
    model = taking(writer, target).model
    if body:
        writer.write(Conversation((Turn("?"),)), body=True)  # a dialect without a request body is told at once

    @st.composite
    def history(draw: st.DrawFn) -> Any:  # not drawn.map(...): a failing example is then shown as what it is
        return writer.write(draw(drawn), body=body, model=model)

    return history()


def conversations(
    dialect: str = "openai-chat",
    target: str | None = None,
    *,
    mode: Mode = "request",
    min_turns: int = 1,
    max_turns: int = 3,
    max_rounds: int = 2,
    max_calls: int = 3,
    system: bool = True,
    hosted: bool = True,
    reasoning: bool = True,
    images: bool = True,
    unicode: bool = True,
) -> st.SearchStrategy[Conversation]:
    """What `histories` writes down, before it is written: for tests that write one conversation in several dialects."""
    if mode not in ("request", "saved"):
        raise UsageError(f"unknown mode {mode!r}{near_misses(mode, ('request', 'saved'))}")
    if not 1 <= min_turns <= max_turns or max_rounds < 0 or max_calls < 1:
        raise UsageError("at least one turn and one call, and no fewer at most than at least")
    taken = taking(writers.get(dialect), target)
    words, arguments = texts(unicode=unicode), _ANY_ARGUMENTS if unicode else _PLAIN_ARGUMENTS
    failures = "failures" in writers.get(dialect).keeps
    ends = ["question", "results"] if mode == "request" else ["answer", "question", "results", "calls"]
    if max_rounds == 0:
        ends = [end for end in ends if end in ("question", "answer")]

    @st.composite
    def draw_conversation(draw: st.DrawFn) -> Conversation:
        count = draw(st.integers(min_turns, max_turns))
        end = draw(st.sampled_from(ends))
        ids = _Ids(taken, restart=taken.restart and draw(st.booleans()))
        thinks = taken.must_think or (reasoning and taken.thoughts and draw(st.booleans()))
        makes = _Drawing(draw, taken, words, arguments, ids, thinks, failures, max_calls if taken.parallel else 1)
        turns = []
        for number in range(count):
            last = number == count - 1
            least = 1 if last and end in ("results", "calls") else 0
            most = 0 if last and end == "question" else max_rounds
            rounds = [makes.round() for _ in range(draw(st.integers(least, most)))]
            if last and end == "calls":
                rounds[-1] = _opened(rounds[-1])
            answered = not last or end == "answer"
            turns.append(
                Turn(
                    draw(words),
                    tuple(rounds),
                    draw(words) if answered else "",
                    images and taken.images and draw(st.booleans()),
                    draw(_PLAIN) if answered and hosted and taken.hosted and draw(st.booleans()) else "",
                )
            )
        return Conversation(tuple(turns), draw(words) if system and taken.system and draw(st.booleans()) else "")

    return draw_conversation()


class _Ids:
    """Call IDs: counted through the history, or anew in every round where the target does not mind."""

    def __init__(self, taken: Taking, *, restart: bool) -> None:
        self.form = taken.call_id
        self.restart = restart
        self.next = 0

    def new_round(self) -> None:
        if self.restart:
            self.next = 0

    def make(self) -> str:
        self.next += 1
        return self.form.format(self.next)


@dataclass(slots=True)
class _Drawing:
    """Draws the rounds of one conversation."""

    draw: st.DrawFn
    taken: Taking
    words: st.SearchStrategy[str]
    arguments: st.SearchStrategy[Any]
    ids: _Ids
    thinks: bool
    failures: bool
    most: int

    def round(self) -> Round:
        draw, taken = self.draw, self.taken
        self.ids.new_round()
        uses = tuple(self.use() for _ in range(draw(st.integers(1, self.most))))
        order: tuple[int, ...] = ()
        if len(uses) > 1 and taken.shuffle and draw(st.booleans()):
            order = tuple(draw(st.permutations(range(len(uses)))))
        says = taken.must_say or (taken.texts and draw(st.booleans()))
        return Round(uses, draw(self.words) if says else "", draw(_PLAIN) if self.thinks else "", order)

    def use(self) -> Use:
        draw = self.draw
        return Use(
            self.ids.make(),
            draw(_TOOLS),
            draw(self.arguments),
            draw(self.words),
            self.failures and draw(st.booleans()),
        )


def _opened(one: Round) -> Round:
    """The round before any of its calls was answered."""
    return Round(tuple(Use(u.id, u.name, u.arguments, None) for u in one.uses), one.text, one.thought)
