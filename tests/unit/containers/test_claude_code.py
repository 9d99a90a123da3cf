"""Claude Code's logs and streams: lines joined, doubles dropped, branches walked, sub-agents apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import turnlint
from turnlint.diagnostic import Place
from turnlint.model import State

if TYPE_CHECKING:
    from collections.abc import Callable


def line(kind: str, uuid: str, parent: str | None, content: Any, id: str | None = None, **more: Any) -> dict[str, Any]:  # noqa: A002
    message: dict[str, Any] = {"role": kind, "content": content}
    if id is not None:
        message["id"] = id
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message, **more}


def user(uuid: str, parent: str | None, text: str = "Hello", **more: Any) -> dict[str, Any]:
    return line("user", uuid, parent, text, **more)


def use(uuid: str, parent: str | None, call: str, id: str | None = None, **more: Any) -> dict[str, Any]:  # noqa: A002
    return line("assistant", uuid, parent, [{"type": "tool_use", "id": call, "name": "f", "input": {}}], id, **more)


def result(uuid: str, parent: str | None, call: str, **more: Any) -> dict[str, Any]:
    return line("user", uuid, parent, [{"type": "tool_result", "tool_use_id": call, "content": "ok"}], **more)


def said(uuid: str, parent: str | None, id: str | None = None, **more: Any) -> dict[str, Any]:  # noqa: A002
    return line("assistant", uuid, parent, [{"type": "text", "text": "Well."}], id, **more)


def calls_of(candidate: Any) -> list[list[str]]:
    return [
        [part.get("id") or part.get("tool_use_id") for part in message["content"] if part["type"] != "text"]
        for message in candidate.messages
        if isinstance(message["content"], list)
    ]


def test_lines_of_one_message_are_joined_and_parts_keep_their_place(find: Callable[..., Any]) -> None:
    lines = [user("u1", None), said("a1", "u1", "m1"), use("a2", "a1", "t1", "m1"), result("u2", "a2", "t1")]
    [candidate], _ = find("claude-code", *lines)
    assert [message["role"] for message in candidate.messages] == ["user", "assistant", "user"]
    assert [part["type"] for part in candidate.messages[1]["content"]] == ["text", "tool_use"]
    assert candidate.place(1) == Place(("message",), 1)
    first, second = (candidate.place(1) / "content" / n for n in (0, 1))
    assert candidate.real(first) == first
    assert candidate.real(second / "id") == Place(("message", "content", 0, "id"), 2)


def test_results_between_the_lines_of_a_message_follow_it(find: Callable[..., Any]) -> None:
    lines = [
        user("u1", None),
        use("a1", "u1", "t1", "m1"),
        result("u2", "a1", "t1"),
        use("a2", "u2", "t2", "m1"),
        result("u3", "a2", "t2"),
    ]
    [candidate], _ = find("claude-code", *lines)
    assert calls_of(candidate) == [["t1", "t2"], ["t1"], ["t2"]]


def test_results_that_hang_beside_the_way_are_put_behind_their_call(find: Callable[..., Any]) -> None:
    lines = [
        user("u1", None),
        use("a1", "u1", "t1", "m1"),
        use("a2", "a1", "t2", "m1"),
        {"type": "progress", "uuid": "p1", "parentUuid": "a1", "sessionId": "s"},
        result("u2", "p1", "t1"),
        result("u3", "a2", "t2"),
        said("a3", "u3", "m2"),
    ]
    [candidate], _ = find("claude-code", *lines)
    assert calls_of(candidate) == [["t1", "t2"], ["t1"], ["t2"], []]


def test_lines_without_a_message_id_are_not_joined(find: Callable[..., Any]) -> None:
    [candidate], _ = find("claude-code", user("u1", None), said("a1", "u1"), said("a2", "a1"))
    assert len(candidate.messages) == 3


def test_doubled_lines_count_once(find: Callable[..., Any]) -> None:
    lines = [user("u1", None), said("a1", "u1", "m1"), user("u2", "a1")]
    [candidate], _ = find("claude-code", *lines, *lines)
    assert len(candidate.messages) == 3


def test_each_branch_is_a_history(find: Callable[..., Any]) -> None:
    lines = [user("u1", None), said("a1", "u1", "m1"), user("u2", "a1", "One"), user("u3", "a1", "Two")]
    one, two = find("claude-code", *lines)[0]
    assert [m["content"] for m in one.messages][-1] == "One"
    assert [m["content"] for m in two.messages][-1] == "Two"
    assert one.id != two.id


def test_a_result_given_twice_on_two_branches_is_no_double(find: Callable[..., Any]) -> None:
    lines = [
        user("u1", None),
        use("a1", "u1", "t1", "m1"),
        result("u2", "a1", "t1"),
        result("u3", "a1", "t1"),
        said("a2", "u2", "m2"),
        said("a3", "u3", "m3"),
    ]
    candidates, _ = find("claude-code", *lines)
    assert [calls_of(c) for c in candidates] == [[["t1"], ["t1"], []]] * 2


def test_sub_agents_are_apart(find: Callable[..., Any]) -> None:
    lines = [
        user("u1", None),
        user("s1", None, "Look", isSidechain=True, agentId="x"),
        said("a1", "u1"),
        said("s2", "s1", isSidechain=True, agentId="x"),
        user("s3", "u1", "Look", isSidechain=True, agentId="y"),
    ]
    candidates, _ = find("claude-code", *lines)
    assert [len(c.messages) for c in candidates] == [2, 2, 1]
    assert [c.id for c in candidates] == ["s", "s agent x", "s agent y"]


def test_a_compacted_or_headless_log_is_said_to_be_partial(find: Callable[..., Any]) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None, "sessionId": "s"}
    lines = [result("u1", "gone", "t1"), said("a1", "u1"), boundary, user("u2", "b"), said("a2", "u2")]
    candidates, _ = find("claude-code", *lines)
    assert [c.state for c in candidates] == [State.PARTIAL_HEAD, State.PARTIAL_HEAD]


def test_logs_without_links_are_read_in_order(find: Callable[..., Any]) -> None:
    lines = [user("u1", None), use("a1", None, "t1"), result("u2", None, "t1")]
    [candidate], _ = find("claude-code", *lines)
    assert len(candidate.messages) == 3
    for item in lines:
        del item["parentUuid"]
    [candidate], _ = find("claude-code", *lines)
    assert len(candidate.messages) == 3


def test_error_lines_of_the_client_were_never_sent(find: Callable[..., Any]) -> None:
    lines = [user("u1", None), said("a1", "u1", "x", isApiErrorMessage=True), user("u2", "a1")]
    [candidate], _ = find("claude-code", *lines)
    assert [m["role"] for m in candidate.messages] == ["user", "user"]


def test_ids_that_were_taken_out(find: Callable[..., Any]) -> None:
    lines = [user("u1", None), use("a1", "u1", "[trimmed for fixture]"), result("u2", "a1", "[trimmed for fixture]")]
    [candidate], _ = find("claude-code", *lines)
    assert candidate.state is State.NOT_RECORDED


def test_a_finding_in_a_shared_beginning_is_said_once_at_its_own_line() -> None:
    lines = [
        user("u1", None),
        said("a1", "u1", "m1"),
        use("a2", "a1", "t1", "m1"),
        user("u2", "a2"),
        said("a3", "u2", "m2"),
        user("u3", "a3", "One"),
        user("u4", "a3", "Two"),
    ]
    report = turnlint.check({"loglines": lines})
    assert report.transcripts == 2
    [diagnostic] = report.diagnostics
    assert diagnostic.rule == "unanswered-call"
    assert diagnostic.pointer == "/loglines/2/message/content/0"


def test_a_fork_at_every_line_stays_bounded(find: Callable[..., Any]) -> None:
    lines = [user("u0", None)]
    for n in range(1, 800):
        lines += [user(f"u{n}", f"u{n - 1}"), user(f"x{n}", f"u{n - 1}")]
    candidates, skipped = find("claude-code", *lines)
    assert sum(len(c.messages) for c in candidates) <= 20 * len(lines)
    assert any("more branches" in s.reason for s in skipped)


def test_a_stream_of_the_sdk(find: Callable[..., Any]) -> None:
    def event(kind: str, content: Any, parent: str | None = None, **message: Any) -> dict[str, Any]:
        inside = {"role": kind, "content": content, **message}
        return {"type": kind, "message": inside, "parent_tool_use_id": parent, "session_id": "s"}

    call = {"type": "tool_use", "id": "t1", "name": "Task", "input": {}}
    lines = [
        {"type": "system", "subtype": "init", "session_id": "s"},
        event("user", "Hello"),
        event("assistant", [{"type": "text", "text": "Well."}], id="m1"),
        event("assistant", [call], id="m1"),
        event("user", "Look", "t1"),
        event("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]),
        {"type": "result", "session_id": "s"},
    ]
    main, agent = find("claude-agent-sdk", *lines)[0]
    assert [len(main.messages), len(agent.messages)] == [3, 1]
    assert main.finished
    recording = {"metadata": {}, "messages": [{"direction": "recv", "message": item} for item in lines]}
    main, agent = find("claude-agent-sdk", recording)[0]
    assert main.place(0).pointer == "/messages/1/message/message"


def test_a_message_that_the_user_cut_apart_is_said() -> None:
    lines = [
        user("u1", None),
        said("a1", "u1", "m1"),
        user("u2", "a1", "Wait"),
        said("a2", "u2", "m1"),
    ]
    [diagnostic] = turnlint.check({"loglines": lines}).diagnostics
    assert (diagnostic.rule, diagnostic.pointer) == ("split-message", "/loglines/3/message")
