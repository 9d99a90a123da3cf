"""Fixing: every dialect in its own shape, in bytes that stay as they are, in passes that never make things worse."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from shapes import ANSWER, ASK, FAULTS, NEXT, NOTE, OSLO, ROME, STRAY, WIRES, broken, whole
from turnlint import UsageError, dialects, fix, repairing
from turnlint.engine import Checker, Settings, check_document
from turnlint.fixing import fix_source, fix_value
from turnlint.repairing import Repairer
from turnlint.source.patch import Insert
from turnlint_rules.content import empty_content

if TYPE_CHECKING:
    from shapes import Wire

CHAT = WIRES["openai-chat"]
WORDS = (ASK, NOTE, ANSWER, NEXT, OSLO.result, ROME.result, STRAY.result)


def request(wire: Wire) -> Settings:
    return Settings(dialect=wire.dialect, mode="request")


def cases() -> list[Any]:
    return [
        pytest.param(wire, fault, id=f"{name}-{fault}")
        for name, wire in WIRES.items()
        for fault, needs_ids in FAULTS.items()
        if (wire.ids or not needs_ids) and (wire.moves or fault.startswith("unanswered"))
    ]


def test_every_dialect_is_written() -> None:
    written = {d.name for d in dialects.all() if d.shape is not None}
    assert {d.name for d in dialects.all() if not d.by_name_only} == written
    assert {wire.dialect for wire in WIRES.values()} == written


@pytest.mark.parametrize("name", WIRES)
def test_a_whole_history_stays(name: str) -> None:
    wire = WIRES[name]
    assert not [d for d in check_document(whole(wire), request(wire)).diagnostics if d.severity != "info"]
    fixed = fix_value(whole(wire), request(wire), unsafe=True)
    assert fixed.document == whole(wire)
    assert not fixed.applied


@pytest.mark.parametrize(("wire", "fault"), cases())
def test_a_fault_is_fixed(wire: Wire, fault: str) -> None:
    document = broken(wire, fault)
    settings = request(wire)
    fixed = fix_value(document, settings, unsafe=True)
    assert not [d for d in check_document(fixed.document, settings).diagnostics if d.severity == "error"]
    assert not [reason for reason in fixed.refused if "report it" in reason]
    before, after = json.dumps(document), json.dumps(fixed.document)
    assert [w for w in WORDS if w in before] == [w for w in WORDS if w in after]
    assert document == broken(wire, fault)
    again = fix_value(fixed.document, settings, unsafe=True)
    assert again.document == fixed.document
    assert not again.applied


@pytest.mark.parametrize("name", WIRES)
@pytest.mark.parametrize("start", range(1, 5))
def test_what_a_cut_left_is_kept(name: str, start: int) -> None:
    wire = WIRES[name]
    document = whole(wire)[start:]
    fixed = fix_value(document, request(wire), unsafe=True)
    assert not [d for d in fixed.remaining if d.severity == "error"]
    before, after = json.dumps(document), json.dumps(fixed.document)
    assert [w for w in WORDS if w in before] == [w for w in WORDS if w in after]


@pytest.mark.parametrize(("wire", "fault"), cases())
def test_a_safe_fix_loses_and_invents_nothing(wire: Wire, fault: str) -> None:
    document = broken(wire, fault)
    fixed = fix_value(document, request(wire), unsafe=False)
    assert texts(fixed.document) <= texts(document) | {"text"}  # the type of a text that gets neighbours
    doubled = {OSLO.result} if fault == "doubled" else set()
    assert texts(document) - texts(fixed.document) <= doubled | {"other9999"}


def texts(value: object) -> set[str]:
    """Every text in a value that is no key."""
    if isinstance(value, dict):
        return {text for item in value.values() for text in texts(item)}
    if isinstance(value, list):
        return {text for item in value for text in texts(item)}
    return {value} if isinstance(value, str) else set()


@pytest.mark.parametrize("name", ["openai-chat", "anthropic", "gemini", "bedrock-converse", "pydantic-ai"])
def test_what_was_whole_is_restored(name: str) -> None:
    wire = WIRES[name]
    for fault in ("early", "doubled"):
        fixed = fix_value(broken(wire, fault), request(wire), unsafe=True)
        assert fixed.document == whole(wire), fault


def test_only_one_target() -> None:
    with pytest.raises(UsageError, match="exactly one target"):
        fix_value([], Settings(targets=("openai", "anthropic")))


def test_what_cannot_be_fixed_is_told() -> None:
    history = [{"role": "system", "content": "Be brief."}]
    fixed = fix(history, target="anthropic", dialect="anthropic", unsafe=True)
    assert fixed.document == history
    assert [d.rule for d in fixed.remaining]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ({"type": "computer_call", "action": {"type": "screenshot"}, "pending_safety_checks": []}, "a screenshot"),
        ({"type": "shell_call", "action": {"commands": ["ls"]}}, "how the command ended"),
        ({"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "a"}}, "the patch was applied"),
        ({"type": "tool_search_call", "execution": "client", "arguments": {}}, "a list of tools"),
    ],
)
def test_no_text_stands_for_an_output_of_another_form(call: dict[str, Any], reason: str) -> None:
    call = {"id": "x_1", "call_id": "call_1", "status": "completed", **call}
    items = [{"role": "user", "content": ASK}, call, {"role": "user", "content": NEXT}]
    fixed = fix(items, target="openai", dialect="openai-responses", mode="request", unsafe=True)
    assert fixed.document == items
    assert [d.rule for d in fixed.remaining] == ["unanswered-call"]
    assert reason in fixed.refused[0]
    assert "report it" not in fixed.refused[0]


def test_an_orphan_keeps_its_pictures() -> None:
    url = "data:image/png;base64,iVBORw0KGgo="
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    kept = "[result of an earlier tool call] see"
    orphans: dict[str, tuple[Any, Any]] = {
        "anthropic": (
            [
                {
                    "type": "tool_result",
                    "tool_use_id": "t",
                    "content": [_text("see"), {"type": "image", "source": source}],
                }
            ],
            [_text(kept), {"type": "image", "source": source}],
        ),
        "openai-chat": (
            [_text("see"), {"type": "image_url", "image_url": {"url": url}}],
            [_text(kept), {"type": "image_url", "image_url": {"url": url}}],
        ),
        "bedrock-converse": (
            [
                {
                    "toolResult": {
                        "toolUseId": "t",
                        "content": [{"text": "see"}, {"image": {"format": "png", "source": {}}}],
                    }
                }
            ],
            [{"text": kept}, {"image": {"format": "png", "source": {}}}],
        ),
    }
    for dialect, (content, expected) in orphans.items():
        wire = WIRES[dialect]
        own = {"role": "tool", "tool_call_id": "t", "content": content}
        message = own if dialect == "openai-chat" else {"role": "user", "content": content}
        fixed = fix_value([wire.user(ASK), wire.say(ANSWER), message], request(wire), unsafe=True)
        assert fixed.document[2] == {"role": "user", "content": expected}
    shot = {"type": "computer_call_output", "call_id": "c", "output": {"type": "computer_screenshot", "image_url": url}}
    fixed = fix([{"role": "user", "content": ASK}, shot], target="openai", dialect="openai-responses", unsafe=True)
    assert fixed.document[1]["content"][1] == {"type": "input_image", "detail": "auto", "image_url": url}


def test_pictures_of_tools_are_handed_over_behind_all_results() -> None:
    def shown(n: int) -> dict[str, Any]:
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,iVBORw0KGgo{n}"}}

    def result(use: Any, *content: Any) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": use.id, "content": list(content)}

    turn = [CHAT.user(ASK), *CHAT.calls([OSLO, ROME])]
    document = [*turn, result(OSLO, shown(1)), result(ROME, _text("see"), shown(2), shown(3)), CHAT.say(ANSWER)]
    fixed = fix({"model": "gpt-4o", "messages": document}, target="openai", mode="saved", unsafe=True)
    after = fixed.document["messages"]
    assert [m["role"] for m in after] == ["user", "assistant", "tool", "tool", "user", "user", "assistant"]
    assert after[2]["content"] == "(what the tool handed back follows in a message of its own)"
    assert after[3]["content"] == [_text("see")]
    assert [m["content"] for m in after[4:6]] == [[shown(1)], [shown(2), shown(3)]]
    assert not [d for d in fixed.remaining if d.severity == "error"]


@pytest.mark.parametrize(
    ("target", "key"), [("anthropic", "tools"), ("bedrock", "toolConfig"), ("vertex-anthropic", "tools")]
)
def test_tools_that_were_called_are_declared(target: str, key: str) -> None:
    wire = WIRES["bedrock-converse" if target == "bedrock" else "anthropic"]
    body = {"messages": whole(wire)}
    fixed = fix(body, target=target, dialect=wire.dialect, mode="request", unsafe=True)
    assert fixed.document["messages"] == body["messages"]
    assert OSLO.name in json.dumps(fixed.document[key])
    assert not [d for d in fixed.remaining if d.severity == "error"]
    assert fix(body, target=target, dialect=wire.dialect, mode="request").document == body


def test_what_is_in_another_shape_is_not_taken_for_dead() -> None:
    """Calls and results of OpenAI Chat among messages of another API are neither taken out nor answered again."""
    chat = [CHAT.user(ASK), *CHAT.calls([OSLO]), *CHAT.results([OSLO])]
    assert fix(chat, target="anthropic", dialect="anthropic", mode="request", unsafe=True).document == chat
    call = {"type": "function_call", "call_id": OSLO.id, "name": OSLO.name, "arguments": "{}"}
    mixed = [CHAT.user(ASK), call, {**CHAT.results([OSLO])[0], "note": "kept"}]
    fixed = fix(mixed, target="openai", dialect="openai-responses", mode="request", unsafe=True)
    assert fixed.document == mixed
    assert "another dialect" in fixed.refused[0]


def test_messages_of_chat_become_items_of_responses() -> None:
    document = [
        CHAT.user(ASK),
        {**CHAT.calls([OSLO, ROME])[0], "content": "I will look."},
        *CHAT.results([ROME]),
        CHAT.say(ANSWER),
    ]
    fixed = fix(document, target="openai", dialect="openai-responses", mode="request", unsafe=True)
    types = [item.get("type", item.get("role")) for item in fixed.document]
    assert types[:4] == ["user", "assistant", "function_call", "function_call"]
    assert types[4:] == ["function_call_output", "function_call_output", "assistant"]
    assert [item["call_id"] for item in fixed.document[2:6]] == [OSLO.id, ROME.id, OSLO.id, ROME.id]
    assert fixed.document[5]["output"] == ROME.result
    assert not [d for d in fixed.remaining if d.severity == "error"]


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def test_the_only_message_is_never_removed() -> None:
    for content in ("", [], [{"type": "text", "text": ""}]):
        body = {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": content}]}
        fixed = fix(body, target="anthropic", mode="request", unsafe=True)
        assert fixed.document == body
        assert not fixed.refused
        assert [d.fix for d in fixed.remaining] == [None]
    alone = {"model": "o3", "input": [{"type": "reasoning", "id": "rs_1", "summary": []}]}
    fixed = fix(alone, target="openai", mode="request", unsafe=True)
    assert fixed.document == alone
    assert fixed.refused == ["detached-reasoning at /input/0: nothing would be left of the conversation"]


def test_a_fix_that_brings_a_new_error_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(empty_content, "is_all_there_is", lambda _message, _context: False)
    monkeypatch.setattr(repairing._Run, "_something_stays", lambda _run: None)
    body = {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": ""}]}
    fixed = fix(body, target="anthropic", mode="request", unsafe=True)
    assert fixed.document == body
    assert not fixed.applied
    assert [w for w in fixed.refused[0].split() if w.startswith("empty-")] == ["empty-content", "empty-history"]
    assert fixed.refused[0].endswith("please report it")


def test_a_fix_may_need_another_one() -> None:
    """Taking out an empty turn leaves two user messages, which are merged in the same go."""
    turns = [
        {"role": r, "content": c} for r, c in (("user", [{"text": ASK}]), ("assistant", []), ("user", [{"text": NEXT}]))
    ]
    fixed = fix(turns, target="bedrock", dialect="bedrock-converse", mode="request")
    assert fixed.document == [{"role": "user", "content": [{"text": ASK}, {"text": NEXT}]}]
    assert [done.rule for done in fixed.applied] == ["empty-content", "consecutive-roles"]


def test_the_wording_of_placeholders() -> None:
    open_call = [CHAT.user(ASK), *CHAT.calls([OSLO])]
    fixed = fix(open_call, target="openai", mode="request", unsafe=True, placeholder="not recorded")
    assert fixed.document[-1]["content"] == "not recorded"
    call = {"id": "aB3dE5fG7", "type": "function", "function": {"name": "save", "arguments": "{}"}}
    empty = [
        CHAT.user(ASK),
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "aB3dE5fG7", "name": "save", "content": ""},
    ]
    settings: dict[str, Any] = {"target": "mistral", "dialect": "mistral", "mode": "request", "unsafe": True}
    assert fix(empty, **settings).document[-1]["content"] == "(no output)"
    assert fix(empty, **settings, empty_placeholder="nothing").document[-1]["content"] == "nothing"


def test_upstream_of_signed_reasoning_nothing_is_safe() -> None:
    wire = WIRES["anthropic"]
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "EqQBCkYIBxgCKkDm"}
    later = {"role": "assistant", "content": [thought, {"type": "text", "text": ANSWER}]}
    history = [*broken(wire, "early")[:-2], later, wire.user(NEXT)]
    assert fix(history, target="anthropic", mode="request").document == history
    fixed = fix(history, target="anthropic", mode="request", unsafe=True)
    assert fixed.document[3] == later
    assert {done.safety for done in fixed.applied} == {"unsafe"}
    assert fix([later, *broken(wire, "early")], target="anthropic", mode="saved").applied


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one each time that a history is checked."""
    counted: list[int] = []
    examine = Checker.examine

    def counting(self: Checker, candidate: Any) -> Any:
        counted.append(1)
        return examine(self, candidate)

    monkeypatch.setattr(Checker, "examine", counting)
    return counted


@pytest.mark.parametrize("name", ["openai-chat", "anthropic", "gemini"])
def test_many_faults_take_few_passes(name: str, looks: list[int]) -> None:
    wire = WIRES[name]
    faults = ["early", "unanswered", "orphan", "reordered", "doubled"]
    history = [m for n in range(250) for m in broken(wire, faults[n % 5])]
    fixed = fix_value(history, request(wire), unsafe=True)
    assert len(fixed.applied) >= 200
    assert not [d for d in fixed.remaining if d.severity == "error"]
    assert len(looks) <= 8


def test_one_bad_fix_among_many_is_found_by_halves(looks: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are made all the same."""
    histories = [{"messages": broken(CHAT, "early")} for _ in range(64)]
    run, bad = Repairer.run, histories[37]["messages"][1]

    def failing(self: Repairer, verbs: Any) -> Any:
        edits = run(self, verbs)
        if self.transcript.at.path[:1] == (37,):
            edits.add(0, Insert("/37/messages", bad, 0))
        return edits

    monkeypatch.setattr(Repairer, "run", failing)
    fixed = fix_value(histories, Settings(mode="request", targets=("openai",)))
    assert [n for n, one in enumerate(fixed.document) if one["messages"] != whole(CHAT)] == [37]
    assert fixed.document[37] == histories[37]
    assert len(looks) <= 64 * 40


# -- bytes


def fixed_text(text: str | bytes, *, unsafe: bool = True, **settings: Any) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    made = fix_source(None, io.BytesIO(data), name="<stdin>", settings=Settings(**settings), unsafe=unsafe)
    return data if made.encoded is None else made.encoded


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("indent", [None, 1, "\t"])
def test_a_moved_message_keeps_its_bytes(indent: Any, newline: str) -> None:
    before = json.dumps(broken(CHAT, "early"), indent=indent).replace("\n", newline)
    after = json.dumps(whole(CHAT), indent=indent).replace("\n", newline)
    assert fixed_text(before, mode="request") == after.encode()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_encodings_stay(encoding: str) -> None:
    before = json.dumps(broken(CHAT, "early"), ensure_ascii=False).encode(encoding)
    assert fixed_text(before, mode="request") == json.dumps(whole(CHAT)).encode(encoding)


def lines(messages: list[Any], newline: str = "\n") -> str:
    return newline.join(json.dumps(m) for m in messages)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_messages_that_are_lines_move(newline: str, end: str) -> None:
    end = end.replace("\n", newline)
    assert fixed_text(lines(broken(CHAT, "early"), newline) + end, mode="request").decode() == (
        lines(whole(CHAT), newline) + end
    )


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_line_is_added_and_one_is_taken_away(end: str) -> None:
    call, result = CHAT.calls([OSLO])[0], CHAT.results([OSLO])[0]
    ask = CHAT.user(ASK)
    assert fixed_text(lines([ask, call, result, result]) + end, mode="request").decode() == (
        lines([ask, call, result]) + end
    )
    added = fixed_text(lines([ask, call]) + end, mode="request").decode()
    assert added.startswith(lines([ask, call]) + "\n")
    assert added.count("\n") == 2 + len(end)
    assert added.endswith("}" + end)


def test_blank_lines_and_other_lines_stay() -> None:
    good, bad = json.dumps({"messages": whole(CHAT)}), json.dumps({"messages": broken(CHAT, "early")})
    text = f'{good}\n\n  {bad}\n{{"torn\n{good}'
    assert fixed_text(text, mode="request").decode() == f'{good}\n\n  {good}\n{{"torn\n{good}'


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_torn_lines_are_mended(newline: str) -> None:
    one, two, three = (json.dumps({"messages": [CHAT.user(text)]}) for text in (ASK, NOTE, NEXT))
    whole_text = newline.join([one, two, three, ""])
    assert fixed_text(f"{one}{newline}{two}{three}{newline}", unsafe=False) == whole_text.encode()
    assert fixed_text(f"{one}{newline}{two}{newline}\0\0\0{three}{newline}", unsafe=False) == whole_text.encode()
    assert fixed_text(f"{whole_text}\0\0\0\0", unsafe=False) == whole_text.encode()
    assert fixed_text(f"{whole_text}{one[:-9]}", unsafe=True) == whole_text.encode()
    assert fixed_text(f"{whole_text}{two[:-9]}{newline}{one[:-9]}", unsafe=True) == whole_text.encode()
    assert fixed_text(f"{whole_text}{one[:-9]}", unsafe=False).decode() == f"{whole_text}{one[:-9]}"


def test_a_cassette_is_edited_inside_its_string() -> None:
    body = json.dumps({"model": "gpt-4o", "messages": broken(CHAT, "early")})
    good = json.dumps({"model": "gpt-4o", "messages": whole(CHAT)})
    cassette = """\
# recorded by hand
version: 1
interactions:
- request:
    method: POST
    uri: https://api.openai.com/v1/chat/completions
    headers: {Content-Type: [application/json]}
    body: '%s'
  response:
    status: {code: 400, message: Bad Request}
    headers: {}
    body: {string: '{"error": {"message": "tool messages"}}'}
"""
    assert fixed_text(cassette % body).decode() == cassette % good


def session(*messages: Any) -> str:
    """A session log of Claude Code, one block a line, each line behind the one before."""
    records: list[dict[str, Any]] = []
    for number, message in enumerate(messages):
        blocks = message["content"] if message["role"] == "assistant" else [message["content"]]
        for block in blocks:
            said = {"id": f"msg_{number}", "role": "assistant", "content": [block]}
            records.append(
                {
                    "parentUuid": records[-1]["uuid"] if records else None,
                    "isSidechain": False,
                    "sessionId": "s-1",
                    "type": message["role"],
                    "message": said if message["role"] == "assistant" else message,
                    "uuid": f"u-{len(records)}",
                    "timestamp": f"2026-01-01T00:00:{len(records):02}Z",
                }
            )
    return lines(records) + "\n"


CLAUDE = WIRES["anthropic"]
SAID = {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}


def test_a_session_log_gets_a_line_in_its_chain() -> None:
    before = session(CLAUDE.user(ASK), *CLAUDE.calls([OSLO, ROME]), SAID, CLAUDE.user(NEXT))
    after = fixed_text(before)
    records = [json.loads(line) for line in after.splitlines()]
    assert [r["type"] for r in records] == ["user", "assistant", "assistant", "user", "assistant", "user"]
    added = records[3]
    assert [b["tool_use_id"] for b in added["message"]["content"]] == [OSLO.id, ROME.id]
    assert added["sessionId"] == "s-1"
    for one, other in pairwise(records):
        assert other["parentUuid"] == one["uuid"]
    others = [line for number, line in enumerate(after.decode().splitlines()) if number not in (3, 4)]
    assert set(others) <= set(before.splitlines())
    assert fixed_text(after) == after
    assert fixed_text(before) == after


def test_a_line_of_a_session_log_goes_out_of_its_chain() -> None:
    answer = CLAUDE.results([OSLO])[0]
    ask, calls = CLAUDE.user(ASK), CLAUDE.calls([OSLO])
    after = fixed_text(session(ask, *calls, answer, answer, SAID, CLAUDE.user(NEXT)))
    records = [json.loads(line) for line in after.splitlines()]
    assert [r["uuid"] for r in records] == ["u-0", "u-1", "u-2", "u-4", "u-5"]
    assert [r["parentUuid"] for r in records] == [None, "u-0", "u-1", "u-2", "u-4"]


def test_nothing_is_written_where_nothing_changes() -> None:
    made = fix_source(None, io.BytesIO(b'{"messages": ['), name="<stdin>", settings=Settings())
    assert made.after is None
    assert made.encoded is None
