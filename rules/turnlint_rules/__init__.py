"""The built-in rules: one line each here, one module each in the folder of its group.

The line says what the engine must know before it loads the module: the code, the name, the group, the signals that
the rule needs, and its own severity where no provider judges it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnlint.diagnostic import Severity
from turnlint.model import Signal as S
from turnlint.rule import Entry
from turnlint_rules.limits import fits

if TYPE_CHECKING:
    from turnlint.model import Mode
    from turnlint.targets import Judge

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO
SAVED: tuple[Mode, ...] = ("saved",)
REQUEST: tuple[Mode, ...] = ("request",)

#: IDs and names that a quick pass takes for everyday ones.
_EVERYDAY_IDS = ("a", "A-_9", "call_" + 35 * "a")
_EVERYDAY_NAMES = ("a", "A-_9", "9", "-", 64 * "a")


def _beyond_everyday_ids(judge: Judge) -> int:
    """All calls, where the target refuses IDs that look everyday (nine characters, a pattern with the tool's name)."""
    verdict = judge.verdict("malformed-call-id", "client")
    return S.NONE if all(fits(value, verdict) for value in _EVERYDAY_IDS) else S.CALLS


def _beyond_everyday_names(judge: Judge) -> int:
    """All calls, where the target refuses names that look everyday."""
    verdicts = [judge.verdict("malformed-tool-name", variant) for variant in ("call", "result")]
    return S.NONE if all(fits(value, verdict) for value in _EVERYDAY_NAMES for verdict in verdicts) else S.CALLS


RULES: tuple[Entry, ...] = (
    # What documents are: raised by the engine itself, which alone sees the text.
    Entry("TL001", "syntax-error", "shape", own=ERROR, engine=True),
    Entry("TL002", "unrecognised-format", "shape", own=ERROR, engine=True),
    Entry(
        "TL003",
        "schema-violation",
        "shape",
        S.ODD | S.ODD_ROLE | S.MEDIA | S.EXTRA_KEY | S.TOOLS | S.LINE | S.NULL_CONTENT,
        cases={
            "content-is-string": S.ALL,
            "null-list": S.NULL_BESIDE_CALLS,
            "wrong-type": S.BLANK_TEXT | S.ODD_RESULT | S.ODD_ARGUMENTS | S.LONG_RESULT | S.REASONING | S.HOSTED,
            "other-arguments": S.ODD_ARGUMENTS,
            "required-key": S.BLANK_TEXT | S.ODD_RESULT | S.ODD_ARGUMENTS | S.ODD_NAME | S.REASONING | S.HOSTED,
        },
        declared=True,
    ),
    Entry(
        "TL004",
        "unknown-key",
        "shape",
        S.EXTRA_KEY | S.ODD | S.REASONING | S.LINE,
        cases={"result-id": S.CALLS},
    ),
    Entry("TL005", "mixed-dialects", "shape", S.ODD | S.MEDIA),
    Entry("TL006", "duplicate-key", "shape", own=WARNING, engine=True, default=False),
    Entry("TL007", "invalid-unicode", "shape", own=ERROR, engine=True),
    Entry("TL008", "split-message", "shape", own=WARNING, engine=True),
    Entry("TL009", "torn-line", "shape", own=ERROR, engine=True),
    Entry("TL010", "unreadable-file", "shape", own=ERROR, engine=True),
    Entry("TL011", "unterminated-stream", "shape", own=WARNING, engine=True),
    Entry("TL012", "unexplained-refusal", "shape", own=WARNING, engine=True),
    Entry("TL013", "unmet-expectation", "shape", own=ERROR, engine=True),
    Entry("TL014", "unused-baseline", "shape", own=WARNING, engine=True),
    # Calls and results.
    Entry("TL101", "unanswered-call", "pairing", S.UNPAIRED, pairing=True),
    Entry("TL102", "orphan-result", "pairing", S.UNPAIRED, pairing=True),
    Entry("TL103", "result-before-call", "pairing", S.UNPAIRED, pairing=True),
    Entry("TL104", "duplicate-result", "pairing", S.UNPAIRED, pairing=True),
    Entry("TL105", "interrupted-results", "pairing", S.UNPAIRED, pairing=True),
    Entry("TL106", "split-results", "pairing", S.UNPAIRED | S.SAME_ROLE, pairing=True),
    Entry("TL107", "result-count-mismatch", "pairing", S.UNPAIRED, pairing=True),
    Entry("TL108", "pending-call", "pairing", S.UNPAIRED, own=INFO, pairing=True, modes=SAVED),
    Entry("TL109", "reordered-results", "pairing", S.REORDERED | S.UNPAIRED | S.REPEATED_ID, pairing=True),
    Entry("TL110", "result-name-mismatch", "pairing", S.NAMED_RESULT | S.ODD_NAME),
    Entry("TL111", "content-before-results", "pairing", S.MIXED | S.UNPAIRED),
    Entry("TL112", "content-after-results", "pairing", S.MIXED),
    Entry("TL113", "misplaced-call", "pairing", S.ODD | S.UNPAIRED, pairing=True),
    Entry("TL114", "misplaced-result", "pairing", S.ODD | S.UNPAIRED, pairing=True),
    Entry("TL115", "flattened-result", "pairing", S.UNPAIRED, own=INFO, pairing=True),
    Entry("TL116", "content-beside-results", "pairing", S.MIXED),
    # IDs.
    Entry("TL201", "missing-call-id", "identity", S.ODD_ID, pairing=True),
    Entry("TL202", "missing-result-id", "identity", S.ODD_ID, pairing=True),
    Entry("TL203", "duplicate-call-id", "identity", S.REPEATED_ID | S.ODD_ID, pairing=True),
    Entry("TL204", "reused-call-id", "identity", S.REPEATED_ID | S.ODD_ID),
    Entry("TL205", "malformed-call-id", "identity", S.ODD_ID | S.HOSTED, wider=_beyond_everyday_ids),
    Entry("TL206", "malformed-item-id", "identity", S.ODD_ITEM_ID | S.EXTRA_KEY),
    Entry("TL207", "duplicate-item-id", "identity", S.ODD_ITEM_ID | S.EXTRA_KEY),
    Entry("TL208", "missing-item-id", "identity", S.REASONING | S.HOSTED | S.ODD, modes=REQUEST),
    Entry("TL209", "unpersisted-item", "identity", S.BODY, modes=REQUEST),
    # Order and roles.
    Entry("TL301", "empty-history", "order", S.EMPTY),
    Entry("TL302", "unknown-role", "order", S.ODD_ROLE),
    Entry(
        "TL303",
        "unsupported-role",
        "order",
        S.ODD_ROLE | S.SYSTEM,
        cases={"tool": S.TOOL_ROLE},
    ),
    Entry("TL304", "misplaced-system", "order", S.SYSTEM),
    Entry("TL305", "multiple-systems", "order", S.ODD_SYSTEM),
    Entry("TL306", "first-not-user", "order", S.FIRST_NOT_USER | S.UNPAIRED),
    Entry("TL307", "consecutive-roles", "order", S.SAME_ROLE | S.ODD_SYSTEM, cases={"result": S.CALLS}),
    Entry("TL308", "trailing-assistant", "order", S.LAST_ASSISTANT, modes=REQUEST),
    Entry("TL309", "user-after-result", "order", S.USER_AFTER_RESULT),
    Entry("TL310", "misplaced-call-turn", "order", S.FIRST_NOT_USER | S.SAME_ROLE | S.ODD_SYSTEM),
    Entry("TL311", "malformed-name", "order", S.ODD_NAME),
    Entry("TL312", "no-user-message", "order", S.NO_USER),
    Entry("TL313", "misplaced-prefix", "order", S.EXTRA_KEY),
    # Content.
    Entry("TL401", "empty-result", "content", S.ODD_RESULT),
    Entry("TL402", "empty-content", "content", S.EMPTY_CONTENT | S.NULL_CONTENT | S.REASONING),
    Entry(
        "TL403",
        "null-content",
        "content",
        S.NULL_CONTENT,
        cases={"assistant-with-calls": S.NULL_BESIDE_CALLS, "missing-with-calls": S.NULL_BESIDE_CALLS},
    ),
    Entry("TL404", "blank-text", "content", S.BLANK_TEXT),
    Entry("TL405", "trailing-whitespace", "content", S.TRAILING_SPACE, modes=REQUEST),
    Entry("TL406", "unsupported-content", "content", S.MEDIA | S.ODD),
    Entry("TL407", "mismatched-media", "content", S.MEDIA),
    Entry("TL408", "empty-call-list", "content", S.ODD),
    Entry("TL409", "empty-error-result", "content", S.ODD_RESULT),
    Entry("TL410", "result-not-object", "content", S.ODD_RESULT),
    Entry("TL411", "too-many-parts", "content", S.MANY | S.MEDIA | S.EXTRA_KEY | S.TOOLS, declared=True),
    Entry("TL412", "text-beside-calls", "content", S.TEXT_BESIDE_CALLS),
    Entry("TL413", "content-not-string", "content", S.LIST_CONTENT),
    Entry("TL414", "duplicate-document-name", "content", S.MEDIA),
    Entry("TL415", "malformed-document-name", "content", S.MEDIA),
    Entry("TL416", "media-without-text", "content", S.MEDIA),
    Entry("TL417", "missing-json-word", "content", S.BODY, modes=REQUEST),
    # Calls and tools.
    Entry("TL501", "arguments-not-string", "calls", S.ODD_ARGUMENTS),
    Entry("TL502", "arguments-not-object", "calls", S.ODD_ARGUMENTS, cases={"text": S.TEXT_ARGUMENTS}),
    Entry("TL503", "malformed-arguments", "calls", S.ODD_ARGUMENTS),
    Entry("TL504", "arguments-violate-schema", "calls", S.TOOLS, declared=True),
    Entry("TL505", "undeclared-tool", "calls", S.TOOLS, declared=True),
    Entry(
        "TL506",
        "malformed-tool-name",
        "calls",
        S.ODD_NAME | S.TOOLS | S.HOSTED,
        wider=_beyond_everyday_names,
        declared=True,
    ),
    Entry("TL507", "missing-tool-definitions", "calls", S.NO_TOOLS | S.TOOLS | S.HOSTED, modes=REQUEST, declared=True),
    Entry("TL508", "empty-tool-list", "calls", S.TOOLS | S.BODY, modes=REQUEST, declared=True),
    Entry("TL509", "duplicate-tool", "calls", S.TOOLS, declared=True),
    Entry("TL510", "invalid-tool-schema", "calls", S.TOOLS, declared=True),
    Entry("TL511", "too-many-tools", "calls", S.TOOLS, declared=True),
    Entry("TL512", "hosted-call-as-client", "calls", S.ODD_ID | S.TOOLS | S.HOSTED, declared=True),
    Entry("TL513", "truncated-call", "calls", S.STOP_REASON),
    Entry("TL514", "hidden-call", "calls", S.CALL_TEXT | S.ODD, pairing=True),
    Entry("TL515", "legacy-function-call", "calls", S.LEGACY),
    Entry(
        "TL516",
        "missing-tool-name",
        "calls",
        S.ODD_NAME | S.LEGACY | S.UNPAIRED,
        cases={"empty-in-result": S.NAMED_RESULT},
    ),
    Entry("TL517", "unpaired-hosted-call", "calls", S.HOSTED),
    Entry("TL518", "too-many-calls", "calls", S.MANY),
    # Reasoning.
    Entry(
        "TL601",
        "missing-reasoning",
        "reasoning",
        S.NONE,
        cases={"open-loop": S.OPEN_LOOP, "call": S.CALLS, "turn": S.CALLS, "plain": S.ALL},
    ),
    Entry("TL602", "unsupported-reasoning", "reasoning", S.REASONING),
    Entry(
        "TL603", "missing-signature", "reasoning", S.REASONING | S.HOSTED | S.EXTRA_KEY, cases={"first-call": S.CALLS}
    ),
    Entry("TL604", "invalid-signature", "reasoning", S.REASONING | S.EXTRA_KEY),
    Entry("TL605", "misplaced-reasoning", "reasoning", S.REASONING),
    Entry("TL606", "detached-reasoning", "reasoning", S.REASONING),
    Entry("TL607", "missing-reasoning-item", "reasoning", S.ITEM_ID | S.ODD_ITEM_ID | S.EXTRA_KEY),
    Entry("TL608", "duplicate-reasoning", "reasoning", S.REASONING),
    # Loops and sizes.
    Entry("TL701", "repeated-call", "loops", S.REPEATED_CALL, own=WARNING),
    Entry("TL702", "runaway-loop", "loops", S.CALLS, own=WARNING, setting="max-tool-rounds"),
    Entry("TL703", "oversized-result", "loops", S.LONG_RESULT, own=WARNING, setting="max-result-chars"),
    Entry("TL704", "history-over-budget", "loops", own=WARNING, setting="context-tokens"),
    Entry("TL705", "stop-reason-mismatch", "loops", S.STOP_REASON, own=INFO),
    Entry("TL706", "unfinished-answer", "loops", S.LEADING_RESULT, own=INFO, modes=SAVED),
    # Training and batch lines.
    Entry("TL801", "no-assistant-message", "dataset", S.LINE, own=ERROR),
    Entry("TL802", "last-not-assistant", "dataset", S.LINE, own=WARNING),
    Entry("TL803", "invalid-weight", "dataset", S.LINE, own=ERROR),
    Entry("TL804", "unsupported-training-role", "dataset", S.LINE),
    Entry("TL805", "malformed-preference", "dataset", S.LINE, own=ERROR),
    Entry("TL806", "malformed-reinforcement", "dataset", S.LINE, own=ERROR),
    Entry("TL811", "duplicate-custom-id", "dataset", S.LINE, own=ERROR),
    Entry("TL812", "missing-custom-id", "dataset", S.LINE, own=ERROR),
    Entry("TL813", "url-body-mismatch", "dataset", S.LINE, own=ERROR),
    Entry("TL814", "mixed-models", "dataset", S.LINE, own=ERROR),
)
