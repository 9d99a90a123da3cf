"""Who may speak where: the one rule that speaks of a message's role, where several could.

The order is fixed: legacy-function-call, unknown-role, unsupported-role, misplaced-system, multiple-systems.  The
first that the target minds has the word, so that one wrong role is one diagnostic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from turnlint.diagnostic import Fix, Safety
from turnlint.model import Kind, Speaker
from turnlint.repair import MergeMessages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from turnlint.model import Message
    from turnlint.rule import Context

#: Wires on which the system prompt stands beside the list of messages.
BESIDE = frozenset({"anthropic", "gemini", "bedrock-converse"})
NAMED_ROLES = frozenset({"developer", "system", "function", "tool", "user"})
FOREIGN_ROLES = {
    "human": Speaker.USER,
    "user": Speaker.USER,
    "ai": Speaker.ASSISTANT,
    "assistant": Speaker.ASSISTANT,
    "bot": Speaker.ASSISTANT,
    "chatbot": Speaker.ASSISTANT,
    "gpt": Speaker.ASSISTANT,
    "model": Speaker.ASSISTANT,
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
}


class SystemRun(Struct, frozen=True):
    """Neighbouring system messages.  `leading` ones open the history; `before` and `after` are their neighbours."""

    messages: tuple[Message, ...]
    before: Message | None
    after: Message | None

    @property
    def leading(self) -> bool:
        return self.before is None


def system_runs(messages: Sequence[Message]) -> Iterator[SystemRun]:
    """The runs of system messages in a history, in order."""
    run: list[Message] = []
    before: Message | None = None
    for message in messages:
        if message.speaker is Speaker.SYSTEM:
            run.append(message)
            continue
        if run:
            yield SystemRun(tuple(run), before, message)
            run = []
        before = message
    if run:
        yield SystemRun(tuple(run), before, None)


def into_user(runs: Sequence[SystemRun]) -> Fix | None:
    """Puts what system messages say into user messages beside them; None where one of them has no such neighbour."""
    homes: dict[int, list[Message]] = {}
    users: dict[int, Message] = {}
    for run in runs:
        home = next((m for m in (run.after, run.before) if m is not None and m.speaker is Speaker.USER), None)
        if home is None or home.item:
            return None
        users[home.index] = home
        said = homes.setdefault(home.index, [home])
        # Results stay in front of everything else.
        at = said.index(home) if home is run.after and not home.results else len(said)
        said[at:at] = run.messages
    return Fix(
        "put it into the user message beside it",
        Safety.UNSAFE,
        "the model then reads the instructions as words of the user",
        tuple(MergeMessages(tuple(said), users[index]) for index, said in homes.items()),
    )


def lower_role(message: Message) -> str:
    """The role as saved in small letters, where it is text; an empty text otherwise."""
    return message.role.lower() if isinstance(message.role, str) else ""


class Roles:
    """What one target says of the roles in one history."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.messages = context.transcript.messages
        self.runs = () if context.hoists_system else tuple(system_runs(self.messages))
        self.leading = {m.index for run in self.runs if run.leading for m in run.messages}
        verdict = context.minds("unknown-role", "foreign")
        allowed = verdict.limits.get("allowed") if verdict is not None and context.native else None
        self._allowed = {name.lower() for name in allowed} if isinstance(allowed, tuple) else None

    def speaks(self, message: Message) -> tuple[str, str] | None:
        """The rule that speaks of a message's role, whatever its place, and the variant; None where none does."""
        minds = self.context.minds
        if message.item or message.role is None:
            return None
        if any(r.legacy for r in message.results) and minds("legacy-function-call", "role-function"):
            return "legacy-function-call", "role-function"
        if message.speaker is Speaker.SYSTEM and self.context.hoists_system:
            return None
        if self._is_unknown(message):
            variant = "foreign" if lower_role(message) in FOREIGN_ROLES else "unknown"
            if minds("unknown-role", variant):
                return "unknown-role", variant
        if message.speaker is Speaker.UNKNOWN or not (self.context.native or message.speaker is Speaker.SYSTEM):
            return None  # a role that is converted comes out as one that the target has
        variant = self._variant(message)
        return ("unsupported-role", variant) if minds("unsupported-role", variant) else None

    def _is_unknown(self, message: Message) -> bool:
        """Whether neither the dialect nor (on its own wire) the target knows the role."""
        if message.speaker is Speaker.UNKNOWN or message.foreign_role:
            return True
        return self._allowed is not None and message.role != "" and lower_role(message) not in self._allowed

    def _variant(self, message: Message) -> str:
        word = lower_role(message)
        if word == "system":
            return "system" if message.index in self.leading else "system-inside"
        return word if word in NAMED_ROLES else "other"

    def misplaced(self, run: SystemRun) -> tuple[Message, str] | None:
        """The first message of a run that stands where the target takes none, and the variant."""
        for message in run.messages:
            if message.directive or self.speaks(message) is not None:
                continue
            for variant in misplacements(run, message):
                if self.context.minds("misplaced-system", variant):
                    return message, variant
                if variant == "leading" and self.context.judge.verdict("misplaced-system", variant) is not None:
                    break  # taken, and that is the last word about this place
        return None

    def found(self, rule: str) -> Iterator[tuple[str, list[Message]]]:
        """The messages of whose role `rule` speaks, those of one role and variant together."""
        groups: dict[tuple[str, str], list[Message]] = {}
        for message in self.messages:
            spoken = self.speaks(message)
            if spoken is not None and spoken[0] == rule:
                groups.setdefault((spoken[1], lower_role(message)), []).append(message)
        for (variant, _), messages in groups.items():
            yield variant, messages


def results_are_users(context: Context) -> bool:
    """Whether results come from the user's side on this wire."""
    return context.native and context.judge.api in ("gemini", "anthropic", "bedrock-converse")


def misplacements(run: SystemRun, message: Message) -> Iterator[str]:
    """The variants of misplaced-system that fit a message of a run, the narrowest first."""
    first = message is run.messages[0]
    if run.leading and first:
        yield "first"
        return
    if run.leading:
        yield "leading"
    if first and run.before is not None:
        if run.before.speaker is Speaker.TOOL:
            yield "after-result"
        elif run.before.speaker is Speaker.ASSISTANT and not _ends_in_hosted_result(run.before):
            yield "after-assistant"
    if run.after is not None and run.after.speaker is Speaker.USER:
        yield "before-user"
    if not first:
        yield "after-system"
    yield "middle"


def _ends_in_hosted_result(message: Message) -> bool:
    return bool(message.parts) and message.parts[-1].kind is Kind.HOSTED_RESULT
