"""Edges of the rules of pairing and IDs: what they say, where they point, and when they are silent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from turnlint import check

if TYPE_CHECKING:
    from turnlint.diagnostic import Diagnostic

JSON = Any
ASK = {"role": "user", "content": "Go on."}
SAY = {"role": "assistant", "content": "Well."}
SYSTEM = {"role": "system", "content": "Be brief."}


def call(call_id: object, name: object = "look", arguments: object = "{}") -> JSON:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def turn(*ids: object) -> JSON:
    return {"role": "assistant", "content": None, "tool_calls": [call(i) for i in ids]}


def answer(call_id: object, content: object = "done") -> JSON:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def use(*ids: object, **more: JSON) -> JSON:
    blocks = [{"type": "tool_use", "id": i, "name": "look", "input": {}} | more for i in ids]
    return {"role": "assistant", "content": blocks}


def reply(*ids: object, **more: JSON) -> JSON:
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": i, "content": "done"} | more for i in ids],
    }


def found(document: JSON, target: str = "openai", mode: str = "request", **settings: JSON) -> list[Diagnostic]:
    report = check(document, target=target, mode=mode, select=["TL1", "TL2"], **settings)
    return list(report.diagnostics)


def told(document: JSON, target: str = "openai", mode: str = "request", **settings: JSON) -> list[tuple[str, str]]:
    return [(d.rule, d.pointer) for d in found(document, target, mode, **settings)]


# -- calls without a result


def test_one_diagnostic_names_all_calls_of_a_turn() -> None:
    (one,) = found([ASK, turn("a", "b", "c"), answer("b"), ASK])
    assert (one.rule, one.pointer) == ("unanswered-call", "/1/tool_calls/0")
    assert one.message == "2 of 3 calls of this turn have no result: look (a), look (c)"
    assert (one.provider_error or "").endswith("did not have response messages: a, c")
    assert [r.pointer for r in one.related] == ["/1/tool_calls/2"]


def test_the_provider_also_names_calls_whose_results_come_late() -> None:
    late = [d for d in found([ASK, turn("a", "b"), ASK, answer("a"), answer("b")]) if d.rule == "interrupted-results"]
    assert len(late) == 2
    assert all("did not have response messages: a, b" in (d.provider_error or "") for d in late)


def test_a_record_at_rest_may_end_in_open_calls() -> None:
    open_end = [ASK, turn("a", "b")]
    assert told(open_end, mode="saved") == [("pending-call", "/1/tool_calls/0")]
    assert told(open_end, mode="request") == [("unanswered-call", "/1/tool_calls/0")]


def test_a_partly_answered_end_is_a_warning_at_rest() -> None:
    (one,) = found([ASK, turn("a", "b"), answer("a")], mode="saved")
    assert (one.rule, one.pointer, one.severity.value) == ("unanswered-call", "/1/tool_calls/1", "warning")
    (one,) = found([ASK, turn("a", "b"), answer("a")], mode="request")
    assert one.severity.value == "error"


def test_a_tool_that_ends_the_run_may_stay_open_beside_answered_ones() -> None:
    last = {"role": "assistant", "content": None, "tool_calls": [call("a"), call("b", "finish")]}
    (one,) = found([ASK, last, answer("a")], mode="saved")
    assert (one.rule, one.pointer) == ("pending-call", "/1/tool_calls/1")
    assert one.cause == "the tool ends the run and is never answered"


def test_a_call_that_waits_for_approval_is_pending() -> None:
    part = {"type": "tool-look", "toolCallId": "a", "state": "approval-requested", "input": {}, "approval": {"id": "1"}}
    document = [{"role": "user", "parts": [{"type": "text", "text": "Go."}]}, {"role": "assistant", "parts": [part]}]
    (one,) = found(document, target="anthropic", mode="saved", dialect="ai-sdk-ui")
    assert one.rule == "pending-call"
    assert "approv" in (one.cause or "")


@pytest.mark.parametrize(
    ("behind", "cause"),
    [
        (ASK, "the user went on"),
        (SAY, "results were trimmed away"),
        (SYSTEM, "the run was interrupted"),
        ({"role": "user", "content": "[Tool result: look] done"}, "rewritten as plain text"),
    ],
)
def test_the_cause_is_read_from_what_follows(behind: JSON, cause: str) -> None:
    one = next(d for d in found([ASK, turn("a"), behind, ASK]) if d.rule == "unanswered-call")
    assert cause in (one.cause or "")
    assert any(r.pointer.startswith("/2") for r in one.related)


def test_a_call_that_could_not_be_run() -> None:
    broken = {"role": "assistant", "content": None, "tool_calls": [call("a", arguments='{"city": "Os')]}
    one = next(d for d in found([ASK, broken, ASK]) if d.rule == "unanswered-call")
    assert "could not be run" in (one.cause or "")


# -- the provider's own calls


SEARCH = {"type": "web_search_20250305", "name": "web_search"}
OWN_RESULT = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}


def test_a_hosted_call_saved_as_the_clients_is_told_once() -> None:
    blocks = [*use("srvtoolu_1", name="web_search")["content"], OWN_RESULT]
    document = {"tools": [SEARCH], "messages": [ASK, {"role": "assistant", "content": blocks}, ASK]}
    loud = [d for d in check(document, target="anthropic", mode="request").diagnostics if d.severity.value == "error"]
    assert [(d.rule, d.pointer) for d in loud] == [("hosted-call-as-client", "/messages/1/content/0")]


def test_an_open_hosted_call_beside_something_else_is_told_once() -> None:
    hosted = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    mixed = {"role": "assistant", "content": [hosted, *use("a")["content"]]}
    answered = {"role": "user", "content": [*reply("a")["content"], {"type": "text", "text": "Hurry."}]}
    document = {
        "tools": [SEARCH, {"name": "look", "input_schema": {"type": "object"}}],
        "messages": [ASK, mixed, answered],
    }
    loud = [d for d in check(document, target="anthropic", mode="request").diagnostics if d.severity.value != "info"]
    assert [(d.rule, d.pointer) for d in loud] == [("content-beside-results", "/messages/2/content/1")]
    assert loud[0].also == ("content-after-results",)


# -- results without a call


def test_orphans_of_one_trimmed_turn_are_one_diagnostic() -> None:
    (one,) = found([SYSTEM, answer("a"), answer("b"), answer("c"), SAY])
    assert (one.rule, one.pointer) == ("orphan-result", "/1")
    assert [r.pointer for r in one.related] == ["/2", "/3"]
    assert "trimmed" in (one.cause or "")


def test_orphans_of_two_turns_are_two() -> None:
    assert told([ASK, answer("a"), SAY, answer("b"), SAY]) == [("orphan-result", "/1"), ("orphan-result", "/3")]


@pytest.mark.parametrize(
    ("before", "cause"),
    [
        ({"role": "user", "content": "Summary of the conversation so far: two cities."}, "summarised away"),
        ({"role": "assistant", "content": "[Called look with {}]"}, "rewritten as plain text"),
        ({"role": "assistant", "content": "It is 4 C."}, "rebuilt from its text"),
        ({"role": "assistant", "content": ""}, "stored without its calls"),
        (ASK, "trimmed away"),
    ],
)
def test_the_cause_is_read_from_what_stands_before(before: JSON, cause: str) -> None:
    one = next(d for d in found([ASK, before, answer("a"), SAY]) if d.rule == "orphan-result")
    assert cause in (one.cause or "")


@pytest.mark.parametrize(
    ("given", "cause", "safety"),
    [
        ("call_9", "changed on the way", "safe"),
        ("call:1", "odd characters were replaced", "safe"),
        ("call", "cut short", "safe"),
        ("call_1call_2", "lengthened", "safe"),
    ],
)
def test_a_changed_id_is_one_diagnostic_at_the_link(given: str, cause: str, safety: str) -> None:
    (one,) = [d for d in found([ASK, turn("call_1"), answer(given)]) if d.rule == "orphan-result"]
    assert one.pointer == "/2/tool_call_id"
    assert cause in (one.cause or "")
    assert one.fix is not None
    assert one.fix.safety.value == safety
    assert [r.pointer for r in one.related] == ["/1/tool_calls/0"]


def test_several_changed_ids_are_linked_by_order_only_on_request() -> None:
    both = found([ASK, turn("call_1", "call_2"), answer("x"), answer("y")])
    assert [(d.rule, d.pointer) for d in both] == [
        ("orphan-result", "/2/tool_call_id"),
        ("orphan-result", "/3/tool_call_id"),
    ]
    assert [d.fix.safety.value for d in both if d.fix] == ["unsafe", "unsafe"]


def test_one_changed_id_of_several_is_linked_safely() -> None:
    (one,) = found([ASK, turn("call_1", "call_2"), answer("call_2"), answer("x")])
    assert one.fix is not None
    assert one.fix.safety.value == "safe"


def test_the_items_id_instead_of_the_calls() -> None:
    items = [
        ASK,
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "fc_1", "output": "done"},
    ]
    (one,) = found(items)
    assert one.pointer == "/2/call_id"
    assert "item" in (one.cause or "")


def test_a_chained_request_may_answer_calls_that_it_does_not_show() -> None:
    output = {"type": "function_call_output", "call_id": "call_1", "output": "done"}
    body = {"model": "gpt-5", "input": [output]}
    assert told(body) == [("orphan-result", "/input/0")]
    assert told({**body, "previous_response_id": "resp_1"}) == []
    assert told({**body, "conversation": "conv_1"}) == []


def test_bedrock_counts_before_it_compares_ids() -> None:
    def tool_use(i: str) -> JSON:
        return {"toolUse": {"toolUseId": i, "name": "look", "input": {}}}

    def tool_result(i: str) -> JSON:
        return {"toolResult": {"toolUseId": i, "content": [{"text": "done"}]}}

    go = {"role": "user", "content": [{"text": "Go."}]}
    turn_of_one = {"role": "assistant", "content": [tool_use("a")]}
    (one,) = found(
        [go, turn_of_one, {"role": "user", "content": [tool_result("a"), tool_result("b")]}], target="bedrock"
    )
    assert "exceeds the number of toolUse blocks" in (one.provider_error or "")
    (one,) = found([go, turn_of_one, {"role": "user", "content": [tool_result("b")]}], target="bedrock")
    assert "for the following Ids: a, but found: b" in (one.provider_error or "")


# -- doubled results


def test_the_same_result_twice_is_removed_safely() -> None:
    (one,) = found([ASK, turn("a"), answer("a"), answer("a")])
    assert one.fix is not None
    assert one.fix.safety.value == "safe"
    (one,) = found([ASK, turn("a"), answer("a", "aborted"), answer("a")])
    assert one.fix is not None
    assert one.fix.safety.value == "unsafe"


def test_where_ids_restart_another_answer_is_an_orphan() -> None:
    document = [ASK, turn("a"), answer("a", "one"), turn("a"), answer("a", "two"), SAY, answer("a", "three"), ASK]
    assert told(document) == [("orphan-result", "/6")]


# -- IDs


def test_a_missing_id_is_told_and_nothing_else_of_that_pair() -> None:
    assert told([ASK, turn(None), answer("a")]) == [("missing-call-id", "/1/tool_calls/0/id")]
    assert told([ASK, turn(None)]) == [("missing-call-id", "/1/tool_calls/0/id")]
    assert told([ASK, turn("a"), {"role": "tool", "content": "done"}]) == [("missing-result-id", "/2")]
    assert told([ASK, {"role": "tool", "content": "done"}, SAY]) == [("missing-result-id", "/1")]
    assert told([ASK, turn(None), answer(None)]) == [("missing-call-id", "/1/tool_calls/0/id")]


def test_a_missing_id_of_several_is_linked_by_order_only_on_request() -> None:
    both = [d for d in found([ASK, turn("a", "b"), answer(""), answer("")]) if d.rule == "missing-result-id"]
    assert [d.fix.safety.value for d in both if d.fix] == ["unsafe", "unsafe"]
    (one,) = found([ASK, turn("a", "b"), answer("a"), answer("")])
    assert one.fix is not None
    assert one.fix.safety.value == "safe"


def test_a_shape_without_ids_lacks_none() -> None:
    gemini = [
        {"role": "user", "parts": [{"text": "Go."}]},
        {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"ok": 1}}}]},
    ]
    for target in ("gemini", "openai", "anthropic"):
        assert told(gemini, target=target) == []
    assert told([*gemini[:2], gemini[0]], target="openai") == [("unanswered-call", "/1/parts/0/functionCall")]


def test_new_ids_fit_the_target_and_stay_the_same() -> None:
    document = [ASK, turn("call:1"), answer("call:1"), turn("call:1"), answer("call:1")]
    first, second = found(document, target="mistral"), found(document, target="mistral")
    new = [verb.to for d in first if d.rule == "malformed-call-id" and d.fix for verb in d.fix.verbs]
    assert [len(n) for n in new] == [9, 9]
    assert len(set(new)) == 2
    assert new == [verb.to for d in second if d.rule == "malformed-call-id" and d.fix for verb in d.fix.verbs]


def test_an_id_that_stands_for_removed_ones_is_told_once_and_quietly() -> None:
    document = [ASK, turn(*["[trimmed for fixture]"] * 3), *[answer("[trimmed for fixture]")] * 3]
    doubled = [d for d in found(document) if d.rule == "duplicate-call-id"]
    assert [d.severity.value for d in doubled] == ["info"]


def test_ids_that_restart_in_each_turn_are_fine() -> None:
    document = [ASK, *[m for _ in range(4) for m in (turn("call_0"), answer("call_0"))]]
    for target in ("openai", "anthropic", "generic"):
        assert told(document, target=target) == []
    assert told(document, target="minimax") == [("reused-call-id", "/3/tool_calls/0/id")]


# -- where results stand


def test_text_behind_results_is_told_for_the_last_message_alone() -> None:
    note = {"type": "text", "text": "Here it is."}
    noted = {"role": "user", "content": [*reply("a")["content"], note]}
    assert told([ASK, use("a"), noted], target="anthropic") == [("content-after-results", "/2/content/1")]
    assert told([ASK, use("a"), noted], target="anthropic", mode="saved") == []
    assert told([ASK, use("a"), noted, SAY, ASK], target="anthropic") == []


def test_results_of_one_turn_in_three_messages_are_one_diagnostic() -> None:
    (one,) = found([ASK, use("a", "b", "c"), reply("a"), reply("b"), reply("c")], target="anthropic")
    assert (one.rule, one.pointer, one.severity.value) == ("split-results", "/3", "info")


def test_results_as_messages_of_their_own_are_meant_to_be_split() -> None:
    assert told([ASK, turn("a", "b"), answer("a"), answer("b")], target="anthropic") == []


def test_reordered_results_of_one_name_bind_wrongly() -> None:
    document = [ASK, turn("a", "b", "c"), answer("a"), answer("c"), answer("b")]
    (one,) = [d for d in found(document, target="chat-template") if d.rule == "reordered-results"]
    assert one.pointer == "/3"
    assert told(document, target="openai") == []


def test_an_unknown_role_with_calls_is_taken_for_the_assistant() -> None:
    assert told([ASK, {**turn("a"), "role": "bot"}, answer("a")]) == []
