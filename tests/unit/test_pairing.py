"""Calls and results matched: each ends in the state that the history and the target's policy give it."""

from __future__ import annotations

from typing import Any

import pytest

from turnlint import dialects, targets
from turnlint.model import Candidate
from turnlint.pairing import CallState as C
from turnlint.pairing import Pairing, as_converted, pair
from turnlint.pairing import ResultState as R

JSON = Any


def paired(document: list[JSON], dialect: str, target: str) -> Pairing:
    """The pairing of a history as `target` sees it."""
    transcript = dialects.get(dialect).read(Candidate(document))
    receiver = targets.load(target)
    native = dialect in receiver.dialects
    policy = receiver.policy(dialect if native else receiver.api)
    hoists = not native and receiver.api in ("anthropic", "gemini", "bedrock-converse")
    return pair(transcript, policy if native else as_converted(policy), hoist_system=hoists)


def states(pairing: Pairing) -> tuple[list[C], list[R]]:
    return pairing.call_states, pairing.result_states


# -- Chat Completions


def ask(text: str = "Go on.") -> JSON:
    return {"role": "user", "content": text}


def turn(*ids: object, name: str = "look") -> JSON:
    calls = [{"id": i, "type": "function", "function": {"name": name, "arguments": "{}"}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def answer(call_id: object, **more: JSON) -> JSON:
    return {"role": "tool", "tool_call_id": call_id, "content": "done", **more}


SAY = {"role": "assistant", "content": "Well."}
SYSTEM = {"role": "system", "content": "Be brief."}


@pytest.mark.parametrize(
    ("document", "calls", "results"),
    [
        pytest.param([ask(), turn("a"), answer("a")], [C.ANSWERED], [R.ANSWERS], id="plain"),
        pytest.param([ask(), turn("a", "b"), answer("b"), answer("a")], [C.ANSWERED] * 2, [R.ANSWERS] * 2, id="order"),
        pytest.param(
            [ask(), turn("a"), answer("a"), turn("a"), answer("a")],
            [C.ANSWERED] * 2,
            [R.ANSWERS] * 2,
            id="the ID restarts in the next turn",
        ),
        pytest.param([ask(), turn("a")], [C.PENDING], [], id="pending"),
        pytest.param([ask(), turn("a", "b"), answer("a")], [C.ANSWERED, C.PARTIAL], [R.ANSWERS], id="partial"),
        pytest.param([ask(), turn("a"), ask()], [C.UNANSWERED], [], id="unanswered"),
        pytest.param([ask(), turn("a"), SAY], [C.UNANSWERED], [], id="unanswered before an answer"),
        pytest.param([ask(), answer("a")], [], [R.ORPHAN], id="orphan"),
        pytest.param([answer("a"), SAY], [], [R.ORPHAN], id="orphan at the head"),
        pytest.param([ask(), answer("a"), turn("a")], [C.EARLY], [R.BEFORE_CALL], id="early"),
        pytest.param([ask(), turn("a"), ask(), answer("a")], [C.LATE], [R.INTERRUPTED], id="interrupted"),
        pytest.param([ask(), turn("a"), SYSTEM, answer("a")], [C.LATE], [R.INTERRUPTED], id="interrupted by system"),
        pytest.param(
            [ask(), turn("a"), turn("b"), answer("a"), answer("b")],
            [C.LATE, C.ANSWERED],
            [R.INTERRUPTED, R.ANSWERS],
            id="parallel calls in two messages",
        ),
        pytest.param(
            [ask(), turn("a"), answer("a"), answer("a")], [C.ANSWERED], [R.ANSWERS, R.DUPLICATE], id="duplicate"
        ),
        pytest.param(
            [ask(), turn("a"), answer("a"), SAY, answer("a")],
            [C.ANSWERED],
            [R.ANSWERS, R.DUPLICATE],
            id="duplicate in a later turn",
        ),
        pytest.param(
            [ask(), turn("a"), answer("a"), ask(), answer("a"), turn("a"), ask()],
            [C.ANSWERED, C.UNANSWERED],
            [R.ANSWERS, R.DUPLICATE],
            id="a second answer is no early one",
        ),
        pytest.param([ask(), turn("a"), answer("z")], [C.MISLINKED], [R.MISLINKED], id="one lone pair"),
        pytest.param(
            [ask(), turn("a", "b"), answer("b"), answer("z")],
            [C.MISLINKED, C.ANSWERED],
            [R.ANSWERS, R.MISLINKED],
            id="one lone pair beside an answered call",
        ),
        pytest.param(
            [ask(), turn("a", "b"), answer("y"), answer("z")],
            [C.MISLINKED] * 2,
            [R.MISLINKED] * 2,
            id="all IDs changed",
        ),
        pytest.param(
            [ask(), turn("a:1", "b:1", "c:1"), answer("b_1"), answer("a_1")],
            [C.MISLINKED, C.MISLINKED, C.PARTIAL],
            [R.MISLINKED] * 2,
            id="odd characters replaced on one side",
        ),
        pytest.param(
            [ask(), turn("a", "b", "c"), answer("y"), answer("z")],
            [C.PENDING] * 3,
            [R.ORPHAN] * 2,
            id="changed IDs that nothing links",
        ),
        pytest.param([ask(), turn("a"), answer("z", name="read")], [C.PENDING], [R.ORPHAN], id="another tool's result"),
        pytest.param([ask(), turn("a"), ask(), answer("z")], [C.UNANSWERED], [R.ORPHAN], id="lone, in no exchange"),
        pytest.param([ask(), turn("a", "a"), answer("a")], [C.ANSWERED, C.DOUBLED], [R.ANSWERS], id="doubled ID"),
        pytest.param(
            [ask(), turn("a", "a"), answer("a"), answer("a")], [C.ANSWERED] * 2, [R.ANSWERS] * 2, id="doubled on both"
        ),
        pytest.param([ask(), turn("a", "a"), ask()], [C.UNANSWERED, C.DOUBLED], [], id="doubled, unanswered"),
        pytest.param([ask(), turn(None), answer("a")], [C.ANSWERED], [R.ANSWERS], id="a call without an ID"),
        pytest.param([ask(), turn("a"), answer(None)], [C.ANSWERED], [R.ANSWERS], id="a result without an ID"),
        pytest.param([ask(), turn("a"), answer(5)], [C.ANSWERED], [R.ANSWERS], id="an ID that is no text"),
        pytest.param(
            [ask(), turn("a"), answer("a"), answer("")], [C.ANSWERED], [R.ANSWERS, R.ORPHAN], id="one too many"
        ),
        pytest.param([ask(), turn("a"), ask(), answer(None)], [C.LATE], [R.INTERRUPTED], id="no ID, behind"),
        pytest.param(
            [ask(), turn(None), answer("b"), turn("b"), ask()],
            [C.UNANSWERED, C.EARLY],
            [R.BEFORE_CALL],
            id="an ID that is another call's waits for it",
        ),
        pytest.param(
            [ask(), {**turn("a"), "role": "user"}, answer("a")], [C.MISPLACED], [R.ANSWERS], id="a call of the user"
        ),
        pytest.param([ask(), {**turn("a"), "role": "bot"}, answer("a")], [C.ANSWERED], [R.ANSWERS], id="unknown role"),
        pytest.param([ask(), turn("a"), ask(), SAY, answer("a")], [C.LATE], [R.INTERRUPTED], id="far behind"),
    ],
)
def test_chat(document: list[JSON], calls: list[C], results: list[R]) -> None:
    assert states(paired(document, "openai-chat", "openai")) == (calls, results)


def test_legacy_calls_pair_by_name() -> None:
    call = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}}
    found = paired([ask(), call, {"role": "function", "name": "look", "content": "done"}], "openai-chat", "openai")
    assert states(found) == ([C.ANSWERED], [R.ANSWERS])


def test_results_without_ids_go_to_the_call_of_their_name() -> None:
    both = {
        "role": "assistant",
        "content": None,
        "tool_calls": turn("a")["tool_calls"] + turn("b", name="read")["tool_calls"],
    }
    found = paired([ask(), both, answer(None, name="read"), answer(None, name="look")], "openai-chat", "openai")
    assert [c.id for c in found.partner_of_result if c is not None] == ["b", "a"]
    assert found.by_place == {0, 1}


# -- Anthropic: a run of one side is one turn


def use(*ids: object) -> JSON:
    blocks = [{"type": "tool_use", "id": i, "name": "look", "input": {}} for i in ids]
    return {"role": "assistant", "content": blocks}


def reply(*ids: object, text: str = "") -> JSON:
    blocks: list[JSON] = [{"type": "tool_result", "tool_use_id": i, "content": "done"} for i in ids]
    return {"role": "user", "content": [*blocks, {"type": "text", "text": text}] if text else blocks}


@pytest.mark.parametrize(
    ("document", "calls", "results"),
    [
        pytest.param([ask(), use("a", "b"), reply("b", "a")], [C.ANSWERED] * 2, [R.ANSWERS] * 2, id="plain"),
        pytest.param([ask(), use("a", "b"), reply("a"), reply("b")], [C.ANSWERED] * 2, [R.ANSWERS] * 2, id="merged"),
        pytest.param(
            [ask(), use("a"), use("b"), reply("a", "b")], [C.ANSWERED] * 2, [R.ANSWERS] * 2, id="two messages"
        ),
        pytest.param([ask(), use("a"), ask(), reply("a")], [C.ANSWERED], [R.ANSWERS], id="a note in front"),
        pytest.param([ask(), use("a"), SYSTEM, reply("a")], [C.LATE], [R.INTERRUPTED], id="a system message between"),
        pytest.param(
            [ask(), use("a"), reply(text="?"), SAY, reply("a")], [C.LATE], [R.INTERRUPTED], id="an answer between"
        ),
        pytest.param([ask(), reply("a", text="?"), use("a"), ask()], [C.EARLY], [R.BEFORE_CALL], id="early"),
        pytest.param(
            [ask(), {"role": "assistant", "content": use("a")["content"] + reply("a")["content"]}],
            [C.ANSWERED],
            [R.MISPLACED],
            id="both in one message",
        ),
        pytest.param(
            [ask(), {"role": "user", "content": use("a")["content"]}, reply("a")],
            [C.MISPLACED],
            [R.ANSWERS],
            id="the user calls",
        ),
        pytest.param(
            [
                ask(),
                {
                    "role": "assistant",
                    "content": [
                        *use("a")["content"],
                        {"type": "web_search_tool_result", "tool_use_id": "a", "content": []},
                    ],
                },
                ask(),
            ],
            [C.HOSTED],
            [],
            id="the provider's own result",
        ),
    ],
)
def test_anthropic(document: list[JSON], calls: list[C], results: list[R]) -> None:
    assert states(paired(document, "anthropic", "anthropic")) == (calls, results)


# -- Gemini: the next content holds one response for each call


def fc(name: str = "look", call_id: str | None = None) -> JSON:
    return {"functionCall": {"name": name, "args": {}} | ({"id": call_id} if call_id else {})}


def fr(name: str = "look", call_id: str | None = None) -> JSON:
    return {"functionResponse": {"name": name, "response": {"ok": 1}} | ({"id": call_id} if call_id else {})}


def content(role: str, *parts: JSON) -> JSON:
    return {"role": role, "parts": list(parts)}


ASK = content("user", {"text": "Go on."})


@pytest.mark.parametrize(
    ("document", "calls", "results"),
    [
        pytest.param(
            [ASK, content("model", fc(), fc()), content("user", fr(), fr())],
            [C.ANSWERED] * 2,
            [R.ANSWERS] * 2,
            id="by place",
        ),
        pytest.param(
            [ASK, content("model", fc("a"), fc("b")), content("user", fr("b"), fr("a"))],
            [C.ANSWERED] * 2,
            [R.ANSWERS] * 2,
            id="by name",
        ),
        pytest.param(
            [ASK, content("model", fc("a")), content("user", fr("b"))], [C.ANSWERED], [R.ANSWERS], id="another name"
        ),
        pytest.param(
            [ASK, content("model", fc(), fc()), content("user", fr())],
            [C.ANSWERED, C.MISCOUNTED],
            [R.ANSWERS],
            id="too few",
        ),
        pytest.param(
            [ASK, content("model", fc()), content("user", fr(), fr())],
            [C.ANSWERED],
            [R.ANSWERS, R.MISCOUNTED],
            id="too many",
        ),
        pytest.param(
            [ASK, content("model", fc("a", "1"), fc("a", "2")), content("user", fr("a", "2"))],
            [C.PARTIAL, C.ANSWERED],
            [R.ANSWERS],
            id="IDs tell which is missing",
        ),
        pytest.param([ASK, content("model", fc()), ASK], [C.UNANSWERED], [], id="none at all"),
        pytest.param(
            [ASK, content("model", fc(), fc()), content("user", fr()), content("user", fr())],
            [C.ANSWERED, C.LATE],
            [R.ANSWERS, R.SPLIT],
            id="split",
        ),
        pytest.param(
            [ASK, content("model", fc()), ASK, content("user", fr())], [C.LATE], [R.INTERRUPTED], id="interrupted"
        ),
        pytest.param([content("user", fr()), ASK], [], [R.ORPHAN], id="orphan"),
        pytest.param([ASK, content("model", fc(), fr())], [C.ANSWERED], [R.MISPLACED], id="both in one content"),
        pytest.param(
            [ASK, content("user", fc()), content("user", fr())], [C.MISPLACED], [R.ANSWERS], id="the user calls"
        ),
    ],
)
def test_gemini(document: list[JSON], calls: list[C], results: list[R]) -> None:
    assert states(paired(document, "gemini", "gemini")) == (calls, results)


# -- Bedrock: the next message, by ID


def converse(role: str, *blocks: JSON) -> JSON:
    return {"role": role, "content": list(blocks)}


def tool_use(call_id: str) -> JSON:
    return {"toolUse": {"toolUseId": call_id, "name": "look", "input": {}}}


def tool_result(call_id: str) -> JSON:
    return {"toolResult": {"toolUseId": call_id, "content": [{"text": "done"}]}}


def test_results_of_one_turn_in_two_messages() -> None:
    document = [
        converse("user", {"text": "Go on."}),
        converse("assistant", tool_use("a"), tool_use("b")),
        converse("user", tool_result("a")),
        converse("user", tool_result("b")),
    ]
    assert states(paired(document, "bedrock-converse", "bedrock")) == ([C.ANSWERED, C.LATE], [R.ANSWERS, R.SPLIT])
    assert states(paired(document, "bedrock-converse", "anthropic")) == ([C.ANSWERED] * 2, [R.ANSWERS] * 2)


# -- Responses: results anywhere behind


def item_call(call_id: object, item: str = "fc_1") -> JSON:
    return {"type": "function_call", "id": item, "call_id": call_id, "name": "look", "arguments": "{}"}


def item_output(call_id: object) -> JSON:
    return {"type": "function_call_output", "call_id": call_id, "output": "done"}


@pytest.mark.parametrize(
    ("document", "calls", "results"),
    [
        pytest.param(
            [ask(), item_call("a"), SAY, ask(), item_output("a"), ask()], [C.ANSWERED], [R.ANSWERS], id="far behind"
        ),
        pytest.param(
            [ask(), item_call("a", "fc_1"), item_call("b", "fc_2"), item_output("b"), item_output("a")],
            [C.ANSWERED] * 2,
            [R.ANSWERS] * 2,
            id="parallel",
        ),
        pytest.param([ask(), item_call("a")], [C.PENDING], [], id="pending"),
        pytest.param([ask(), item_call("a"), ask()], [C.UNANSWERED], [], id="unanswered"),
        pytest.param([ask(), item_output("a"), item_call("a")], [C.EARLY], [R.BEFORE_CALL], id="early"),
        pytest.param(
            [ask(), item_call("a"), item_output("a"), item_output("a")],
            [C.ANSWERED],
            [R.ANSWERS, R.DUPLICATE],
            id="duplicate",
        ),
        pytest.param(
            [ask(), item_call("a"), item_output("a"), item_call("a"), item_output("a")],
            [C.ANSWERED] * 2,
            [R.ANSWERS] * 2,
            id="the ID restarts",
        ),
        pytest.param(
            [ask(), item_call("a"), ask(), item_call("a"), item_output("a")],
            [C.UNANSWERED, C.ANSWERED],
            [R.ANSWERS],
            id="a reused ID belongs to the latest call",
        ),
        pytest.param([ask(), item_call("a"), item_output(None)], [C.ANSWERED], [R.ANSWERS], id="no ID"),
        pytest.param(
            [ask(), item_call("a", "fc_1"), item_call("b", "fc_2"), item_output("a"), item_output("fc_2")],
            [C.ANSWERED, C.MISLINKED],
            [R.ANSWERS, R.MISLINKED],
            id="the item's ID instead of the call's",
        ),
        pytest.param([ask(), item_output("a"), ask()], [], [R.ORPHAN], id="orphan"),
    ],
)
def test_responses(document: list[JSON], calls: list[C], results: list[R]) -> None:
    assert states(paired(document, "openai-responses", "openai")) == (calls, results)


def test_items_side_by_side_are_one_turn_where_results_must_follow() -> None:
    calls = [item_call("a", "fc_1"), item_call("b", "fc_2")]
    outputs = [item_output("a"), item_output("b")]
    assert states(paired([ask(), *calls, *outputs], "openai-responses", "deepseek"))[1] == [R.ANSWERS] * 2
    assert states(paired([ask(), calls[0], SAY, calls[1], *outputs], "openai-responses", "deepseek"))[1] == [
        R.INTERRUPTED,
        R.ANSWERS,
    ]


# -- judged as if converted


def test_system_messages_leave_the_list_when_it_is_converted() -> None:
    document = [ask(), turn("a"), SYSTEM, answer("a")]
    assert states(paired(document, "openai-chat", "openai"))[1] == [R.INTERRUPTED]
    assert states(paired(document, "openai-chat", "anthropic"))[1] == [R.ANSWERS]


def test_one_saved_object_may_be_call_and_result() -> None:
    transcript = dialects.get("anthropic").read(Candidate([ask(), use("a"), ask()]))
    call = transcript.messages[1].parts[0]
    result = dialects.get("anthropic").read(Candidate([reply("a")])).messages[0].parts[0]
    result.message, result.raw = call.message, call.raw
    call.message.parts.append(result)
    found = pair(transcript, targets.load("anthropic").policy("anthropic"))
    assert states(found) == ([C.ANSWERED], [R.ANSWERS])
