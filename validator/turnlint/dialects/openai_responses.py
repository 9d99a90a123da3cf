"""OpenAI Responses: a list of items, each with a `type` of its own; what has a role and no type is a message.

A call is one item (`function_call`, `custom_tool_call`, `shell_call`, ...), its output another; `call_id` links them,
`id` names the item.  Tools that the provider runs have call and result in one item.  `input` may be one text.  A
request that chains to an earlier response or a conversation holds only the end of its history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.dialects import Dialect, Marks, Shape
from turnlint.dialects.openai_chat import DATA_URL, read_tool
from turnlint.dialects.quick import LONG, TOO_MANY, decode_object, everyday_ids, everyday_names, may_hide_call, repeats
from turnlint.dialects.reading import (
    content_form,
    fill_call,
    fill_result,
    new_call,
    new_message,
    new_result,
    read_list,
    set_content,
    spot,
    text_of,
    text_part,
)
from turnlint.model import (
    Call,
    Candidate,
    Kind,
    Media,
    Message,
    Part,
    Reasoning,
    Result,
    Signal,
    Speaker,
    State,
    Tool,
    Transcript,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from turnlint.diagnostic import Place

SPEAKERS = {
    "user": Speaker.USER,
    "assistant": Speaker.ASSISTANT,
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
}
#: Calls that the client answers: the keys of name and arguments, and the name of those that have none.
CALLS = {
    "function_call": ("name", "arguments", ""),
    "custom_tool_call": ("name", "input", ""),
    "local_shell_call": ("", "action", "local_shell"),
    "shell_call": ("", "action", "shell"),
    "apply_patch_call": ("", "operation", "apply_patch"),
    "computer_call": ("", "action", "computer"),
    "tool_search_call": ("", "arguments", "tool_search"),
}
#: Results that the client gives, and where their content is.
RESULTS = {
    "function_call_output": "output",
    "custom_tool_call_output": "output",
    "local_shell_call_output": "output",
    "shell_call_output": "output",
    "apply_patch_call_output": "output",
    "computer_call_output": "output",
    "tool_search_output": "tools",
}
#: Calls that the provider runs.  Call and result are one item, so that there is nothing to pair.
WHOLE_HOSTED = {
    "web_search_call": "web_search",
    "file_search_call": "file_search",
    "code_interpreter_call": "code_interpreter",
    "image_generation_call": "image_generation",
    "mcp_call": "",
    "mcp_list_tools": "mcp_list_tools",
}
#: Halves of what the provider runs: the keys of ID, name, and arguments or content.
HALF_CALLS = {"mcp_approval_request": ("id", "name", "arguments"), "program": ("call_id", "", "code")}
HALF_RESULTS = {"mcp_approval_response": ("approval_request_id", "approve"), "program_output": ("call_id", "result")}
CONTROL = {
    "item_reference": Speaker.ASSISTANT,
    "compaction": Speaker.ASSISTANT,
    "compaction_summary": Speaker.ASSISTANT,
    "compaction_trigger": Speaker.SYSTEM,
    "additional_tools": Speaker.SYSTEM,
    "configuration_update": Speaker.SYSTEM,
}
OWN_ITEMS = frozenset(
    {*CALLS, *RESULTS, *WHOLE_HOSTED, *HALF_CALLS, *HALF_RESULTS, *CONTROL, "reasoning"} - {"program", "program_output"}
)
OWN_PARTS = frozenset({"input_text", "output_text", "input_image", "input_file"})
OWN_BODY = frozenset(
    {"instructions", "previous_response_id", "conversation", "max_output_tokens", "truncation", "background"}
)
TEXTS = frozenset({"input_text", "output_text", "text", "summary_text", "reasoning_text"})
MEDIA = {"input_image": "image", "input_file": "file", "input_audio": "audio", "computer_screenshot": "image"}
#: Declared tools that have no name of their own, by the name that their calls are read with.
TOOL_NAMES = {
    "local_shell": "local_shell",
    "shell": "shell",
    "apply_patch": "apply_patch",
    "computer_use_preview": "computer",
    "computer": "computer",
    "tool_search": "tool_search",
}


def recognise(marks: Marks) -> int:
    """Sure of its item types and part types; a claim on the `input` of a request, be it messages or one text."""
    if marks.types & OWN_ITEMS and "data" not in marks.keys:
        return 95
    in_request = marks.where == "input" and "model" in marks.body
    if marks.strange == marks.count:
        return 75 if in_request else 0
    if "role" not in marks.keys or "content" not in marks.keys or marks.keys & {"tool_calls", "tool_call_id"}:
        return 0
    if marks.part_types & OWN_PARTS:
        return 90
    if in_request or (marks.where == "input" and marks.body & OWN_BODY):
        return 75
    if marks.types == {"message"} and not marks.part_types and not marks.keys & {"stop_reason", "model", "kind"}:
        return 60
    return 45 if marks.where == "input" and marks.roles <= SPEAKERS.keys() and not marks.part_types else 0


def read(candidate: Candidate) -> Transcript:
    """One message for each item; what is of a wrong type is kept and left for the rules to name."""
    transcript = read_list("openai-responses", candidate, read_item)
    if isinstance(candidate.messages, str):
        at = candidate.at
        message = Message(0, at, candidate.messages, "user", Speaker.USER)
        message.content, message.content_form, message.content_at = candidate.messages, "text", at
        message.parts = [text_part(candidate.messages, at, message)]
        transcript.messages.append(message)
    read_declared(transcript)
    stored = transcript.body.get("store")
    transcript.stored = stored if isinstance(stored, bool) else None
    if candidate.state is State.COMPLETE and starts_elsewhere(transcript):
        candidate.state = State.PARTIAL_HEAD
    return transcript


def starts_elsewhere(transcript: Transcript) -> bool:
    """Whether earlier items lie with the provider: the request chains, or a reference may name a call."""
    body = transcript.body
    if body.get("previous_response_id") or body.get("conversation"):
        return True
    if not any(m.item == "item_reference" for m in transcript.messages):
        return False
    called = {c.id for c in transcript.calls() if isinstance(c.id, str)}
    return any(not isinstance(r.id, str) or r.id not in called for r in transcript.results())


def read_item(raw: dict[str, Any], index: int, at: Place) -> Message:
    kind = raw.get("type")
    if not isinstance(kind, str) or kind == "message":
        if kind is None and "role" not in raw and "content" not in raw and isinstance(raw.get("id"), str):
            kind = "item_reference"  # the type of a reference may be left out
        else:
            return read_message(raw, index, at)
    message = Message(index, at, raw, raw.get("role"), Speaker.UNKNOWN, item=kind)
    message.id, message.id_at = raw.get("id"), spot(raw, "id", at)
    if kind in CALLS:
        message.speaker = Speaker.ASSISTANT
        message.parts = [read_call(raw, kind, message)]
    elif kind in RESULTS:
        message.speaker = Speaker.TOOL
        message.parts = [read_result(raw, kind, message)]
        set_content(message, raw, RESULTS[kind])
    elif kind == "reasoning":
        message.speaker = Speaker.ASSISTANT
        message.parts = [read_reasoning(raw, message)]
    elif kind in WHOLE_HOSTED:
        message.speaker = Speaker.ASSISTANT
        call = new_call(raw, at, message, kind, hosted=True)
        fill_call(
            call,
            raw,
            at,
            name_key="name" if kind == "mcp_call" else "",
            arguments_key="arguments" if kind == "mcp_call" else "",
        )
        call.name = call.name if kind == "mcp_call" else WHOLE_HOSTED[kind]
        message.parts = [call]
    elif kind in HALF_CALLS:
        message.speaker = Speaker.ASSISTANT
        call = new_call(raw, at, message, kind, hosted=True)
        id_key, name, arguments = HALF_CALLS[kind]
        fill_call(call, raw, at, id_key=id_key, name_key=name, arguments_key=arguments)
        message.parts = [call]
    elif kind in HALF_RESULTS:
        message.speaker = Speaker.USER if kind == "mcp_approval_response" else Speaker.ASSISTANT
        result = new_result(raw, at, message, kind, hosted=True)
        id_key, content = HALF_RESULTS[kind]
        fill_result(result, raw, at, id_key=id_key, content_key=content)
        message.parts = [result]
    else:
        message.speaker = CONTROL.get(kind, Speaker.UNKNOWN)
        message.parts = [Part(Kind.CONTROL if kind in CONTROL else Kind.UNKNOWN, at, raw, message, kind)]
    return message


def read_message(raw: dict[str, Any], index: int, at: Place) -> Message:
    message = new_message(raw, index, at, SPEAKERS)
    message.id, message.id_at = raw.get("id"), spot(raw, "id", at)
    set_content(message, raw)
    message.parts = read_content(message.content, at / "content", message)
    return message


def read_content(content: Any, at: Place, message: Message) -> list[Part]:
    if isinstance(content, str):
        return [text_part(content, at, message)]
    if isinstance(content, list):
        return [read_part(part, at / n, message) for n, part in enumerate(content)]
    return []


def read_part(raw: Any, at: Place, message: Message) -> Part:
    part = read_typed(raw, at, message)
    if part.type:
        part.type_at = at / "type"
    return part


def read_typed(raw: Any, at: Place, message: Message) -> Part:
    kind = raw.get("type") if isinstance(raw, dict) else None
    if not isinstance(kind, str):
        return Part(Kind.UNKNOWN, at, raw, message, "")
    if kind in TEXTS:
        return Part(Kind.TEXT, at, raw, message, kind, text_of(raw.get("text")), spot(raw, "text", at))
    if kind == "refusal":
        return Part(Kind.REFUSAL, at, raw, message, kind, text_of(raw.get("refusal")), spot(raw, "refusal", at))
    if kind in MEDIA:
        return read_media(raw, kind, at, message)
    return Part(Kind.UNKNOWN, at, raw, message, kind)


def read_media(raw: dict[str, Any], kind: str, at: Place, message: Message) -> Media:
    media = Media(Kind.MEDIA, at, raw, message, kind, media=MEDIA[kind], name=raw.get("filename"))
    key = "file_data" if kind == "input_file" else "image_url"
    url = raw.get(key)
    if isinstance(url, str):
        match = DATA_URL.match(url[:200])
        if match:
            media.media_type, media.data = match[1], url[match.end() :]
            media.data_at = at / key
        else:
            media.remote = True
    return media


def read_call(raw: dict[str, Any], kind: str, message: Message) -> Call:
    name, arguments, fixed = CALLS[kind]
    if kind == "tool_search_call" and raw.get("execution") != "client":
        return new_call(raw, message.at, message, kind, hosted=True)
    if kind == "computer_call" and "actions" in raw:
        arguments = "actions"
    call = new_call(raw, message.at, message, kind)
    fill_call(call, raw, message.at, id_key="call_id", name_key=name, arguments_key=arguments)
    call.name = call.name if name else fixed
    call.custom = kind != "function_call"
    return call


def read_result(raw: dict[str, Any], kind: str, message: Message) -> Result:
    if kind == "tool_search_output" and raw.get("execution") != "client":
        return new_result(raw, message.at, message, kind, hosted=True)
    # The first local shell had no call_id on its output: `id` was the call's.
    id_key = "id" if kind == "local_shell_call_output" and "call_id" not in raw else "call_id"
    result = new_result(raw, message.at, message, kind)
    fill_result(result, raw, message.at, id_key=id_key, name_key="name", content_key=RESULTS[kind])
    result.is_error = raw.get("status") in ("failed", "incomplete")
    if kind == "apply_patch_call_output" and result.content is None:
        result.content = raw.get("status")  # its outcome is its status; an output is optional
    if isinstance(result.content, list) and kind != "tool_search_output":
        result.parts = [read_part(p, result.at / "output" / n, message) for n, p in enumerate(result.content)]
    return result


def read_reasoning(raw: dict[str, Any], message: Message) -> Reasoning:
    at = message.at
    reasoning = Reasoning(Kind.REASONING, at, raw, message, "reasoning", id=raw.get("id"))
    reasoning.encrypted = raw.get("encrypted_content")
    reasoning.signature_at = spot(raw, "encrypted_content", at)
    reasoning.content, reasoning.content_at = raw.get("content"), spot(raw, "content", at)
    reasoning.content_form = content_form(raw, "content")
    texts = []
    for key in ("summary", "content"):
        for part in raw[key] if isinstance(raw.get(key), list) else ():
            text = part.get("text") if isinstance(part, dict) else None
            if isinstance(text, str):
                texts.append(text)
    if texts:
        reasoning.text, reasoning.text_at = "\n".join(texts), at
    return reasoning


def read_declared(transcript: Transcript) -> None:
    """The tools of the request, with those that items of the list add to it."""
    body = transcript.candidate.body
    if body is not None and isinstance(body.get("tools"), list):
        transcript.tools_at = transcript.candidate.body_at / "tools"
        transcript.tools = read_tools(body["tools"], transcript.tools_at)
    for message in transcript.messages:
        if message.item in ("additional_tools", "tool_search_output") and isinstance(message.raw.get("tools"), list):
            at = message.at / "tools"
            transcript.tools = [*(transcript.tools or ()), *read_tools(message.raw["tools"], at)]
            transcript.tools_at = transcript.tools_at or at


def read_tools(declared: list[Any], at: Place) -> list[Tool]:
    tools: list[Tool] = []
    for number, raw in enumerate(declared):
        tool = read_tool(raw, at / number)
        tools.append(tool)
        if tool.hosted and isinstance(raw, dict):
            tool.name = tool.name or TOOL_NAMES.get(tool.type, tool.type)
            if isinstance(raw.get("tools"), list):  # a namespace: functions one level down
                tools.extend(read_tool(inner, at / number / "tools" / n) for n, inner in enumerate(raw["tools"]))
    return tools


# ---------------------------------------------------------------------------------------------------------------
# The quick pass; see openai_chat for how IDs are looked at.

_BODY_KEYS = frozenset(
    {
        "tool_choice", "store", "reasoning", "text", "previous_response_id", "conversation", "include", "background",
        "parallel_tool_calls", "prompt",
    }
)  # fmt: skip
_MESSAGE_KEYS = frozenset({"type", "role", "content", "id", "status"})
_CALL_KEYS = frozenset({"type", "call_id", "name", "arguments", "id", "status"})
_OUTPUT_KEYS = frozenset({"type", "call_id", "output", "id", "status"})
_PART_KEYS = frozenset({"type", "text", "annotations", "logprobs"})
#: How the provider's own IDs of items begin.
_PREFIXES = {"message": "msg_", "function_call": "fc_", "reasoning": "rs_"}


def calls_of(candidate: Candidate) -> Iterator[tuple[Any, Any]]:
    """Name and arguments of each call of an everyday history."""
    for item in candidate.messages:
        if item.get("type") == "function_call":
            yield item["name"], item["arguments"]


def signals(candidate: Candidate) -> int:
    """What is not everyday about this history, as a `Signal` mask; items of rare types leave it all to the engine."""
    items = candidate.messages
    if type(items) is not list:
        return _ALL
    if not items:
        return _EMPTY
    found = 0
    call_ids: list[Any] = []
    result_ids: list[Any] = []
    names: list[Any] = []
    item_ids: list[Any] = []
    waiting = 0  # calls of the turn that have no result yet
    before = ""  # what the item before was: a role, or a type
    any_user = False
    last_name = last_arguments = None
    last_text = ""
    for item in items:
        if type(item) is not dict:
            return _ALL
        kind = item.get("type")
        if kind == "function_call":
            if before == "function_call_output":
                if waiting:
                    found |= _UNPAIRED
                    waiting = 0
            elif before == "" or before == "system":
                found |= _FIRST_NOT_USER
            elif before != "user":
                found |= _SAME_ROLE
            waiting += 1
            if waiting > TOO_MANY:
                found |= _MANY
            name, arguments = item.get("name"), item.get("arguments")
            call_ids.append(item.get("call_id"))
            names.append(name)
            if name == last_name and arguments == last_arguments:
                found |= _REPEATED_CALL
            last_name = name
            last_arguments = arguments
            if type(arguments) is not str:
                found |= _ODD_ARGUMENTS | _ODD
            elif arguments != "{}":
                try:
                    decode_object(arguments)
                except (ValueError, RecursionError):
                    found |= _ODD_ARGUMENTS
            if len(item) > 4:
                found |= _key_signals(item, _CALL_KEYS, item_ids)
        elif kind == "function_call_output":
            waiting -= 1
            if waiting < 0:
                found |= _UNPAIRED
            result_ids.append(item.get("call_id"))
            output = item.get("output")
            if type(output) is not str:
                found |= _ODD_RESULT | _LONG_RESULT | _LIST_CONTENT | _MEDIA
            elif not output or output.isspace():
                found |= _ODD_RESULT
            elif len(output) > LONG:
                found |= _LONG_RESULT
            if len(item) > 3:
                found |= _key_signals(item, _OUTPUT_KEYS, item_ids)
            if before == "":
                found |= _FIRST_NOT_USER
        elif kind is None or kind == "message":
            role = item.get("role")
            content = item.get("content")
            if waiting:
                found |= _UNPAIRED
                waiting = 0
            if role == before or (role == "assistant" and before in _OF_ASSISTANT):
                found |= _SAME_ROLE
            if type(content) is list:
                found |= _LIST_CONTENT
                last_text = ""
                if not content:
                    found |= _EMPTY_CONTENT
                for part in content:
                    if type(part) is not dict:
                        return _ALL
                    text = part.get("text")
                    sort = part.get("type")
                    if type(text) is not str or (
                        sort != "output_text" if role == "assistant" else sort != "input_text"
                    ):
                        found |= _MEDIA | _ODD | _BLANK_TEXT | _TRAILING_SPACE
                    elif not text or text.isspace():
                        found |= _BLANK_TEXT | _TRAILING_SPACE
                    elif role == "assistant":
                        last_text = text
                        if may_hide_call(text):
                            found |= _CALL_TEXT
                    if len(part) > 2 and not part.keys() <= _PART_KEYS:
                        found |= _EXTRA_KEY
            elif type(content) is str:
                last_text = content
                if not content or content.isspace():
                    found |= _EMPTY_CONTENT | _BLANK_TEXT
                elif role == "assistant" and may_hide_call(content):
                    found |= _CALL_TEXT
            else:
                found |= _NULL_CONTENT | _ODD
            if role == "user":
                any_user = True
                if before == "function_call_output":
                    found |= _USER_AFTER_RESULT
            elif role == "assistant":
                if before == "" or before == "system":
                    found |= _FIRST_NOT_USER
            elif role == "system" or role == "developer":
                found |= _SYSTEM
                if before and before != "system":
                    found |= _ODD_SYSTEM
                role = "system"
            else:
                return _ALL
            if len(item) > 2:
                found |= _key_signals(item, _MESSAGE_KEYS, item_ids)
            kind = role
        elif kind == "reasoning":
            found |= _REASONING
            if waiting > 0:
                found |= _UNPAIRED
            if not item.keys() <= _REASONING_KEYS or type(item.get("summary")) is not list:
                found |= _EXTRA_KEY | _ODD
            if "id" in item:
                found |= _item_id(item, item_ids)
            if before == "" or before == "system":
                found |= _FIRST_NOT_USER
            elif before in _OF_ASSISTANT:
                found |= _SAME_ROLE
        else:
            return _ALL
        before = kind
    if waiting:
        found |= _UNPAIRED
    if not any_user:
        found |= _NO_USER
    if before == "assistant":
        found |= _LAST_ASSISTANT
        if last_text[-1:].isspace():
            found |= _TRAILING_SPACE
    elif before != "user" and before != "system":
        found |= _LAST_ASSISTANT | _LEADING_RESULT
    if call_ids or result_ids:
        found |= _CALLS
        if not everyday_names(names):
            found |= _ODD_NAME
        if not everyday_ids(call_ids):
            found |= _ODD_ID | _UNPAIRED | _REPEATED_ID
        elif call_ids != result_ids or repeats(call_ids):
            found |= _id_signals(items, call_ids, result_ids)
    if item_ids and (not everyday_ids(item_ids) or repeats(item_ids)):
        found |= _ODD_ITEM_ID
    body = candidate.body
    if body is not None:
        if found & _LEADING_RESULT:
            found |= _OPEN_LOOP
        tools = body.get("tools")
        if tools is not None:
            found |= _TOOLS
        if not tools and found & _CALLS:
            found |= _NO_TOOLS
        if not _BODY_KEYS.isdisjoint(body):
            found |= _BODY
    return found


def _key_signals(item: Mapping[str, Any], known: frozenset[str], item_ids: list[Any]) -> int:
    """Of an item with more keys than it needs."""
    found = 0
    if not item.keys() <= known:
        found = _EXTRA_KEY | _ODD | _REASONING | _NAMED_RESULT
    if item.get("status", "completed") != "completed":
        found |= _ODD | _ODD_RESULT | _STOP_REASON
    if "id" in item:
        found |= _item_id(item, item_ids)
    return found


def _item_id(item: Mapping[str, Any], item_ids: list[Any]) -> int:
    """Notes the ID of an item, which is everyday where it begins as the provider's own do."""
    item_id = item["id"]
    prefix = _PREFIXES.get(item.get("type", "message"))
    if type(item_id) is not str or prefix is None or not item_id.startswith(prefix):
        return _ITEM_ID | _ODD_ITEM_ID
    item_ids.append(item_id)
    return _ITEM_ID


def _id_signals(items: list[dict[str, Any]], call_ids: list[str], result_ids: list[Any]) -> int:
    """What there is to say of IDs where those of calls and results are not one list without repeats."""
    found = _REPEATED_ID if repeats(call_ids) else 0
    if not everyday_ids(result_ids):
        return found | _ODD_ID | _UNPAIRED
    calls: list[str] = []
    results: list[str] = []
    for item in (*items, {"type": "message"}):
        kind = item.get("type")
        if kind == "function_call_output":
            results.append(item["call_id"])
            continue
        if results or (calls and kind != "function_call"):
            if calls != results:
                found |= _REORDERED if sorted(calls) == sorted(results) else _UNPAIRED
            if repeats(calls):
                found |= _UNPAIRED
            calls.clear()
            results.clear()
        if kind == "function_call":
            calls.append(item["call_id"])
    return found


_OF_ASSISTANT = frozenset({"assistant", "function_call", "reasoning"})
_REASONING_KEYS = frozenset({"type", "id", "summary", "content", "encrypted_content"})
_ALL = Signal.ALL
_EMPTY = Signal.EMPTY | Signal.NO_USER | Signal.BODY | Signal.TOOLS
_UNPAIRED = Signal.UNPAIRED
_ODD_ID = Signal.ODD_ID
_REPEATED_ID = Signal.REPEATED_ID
_ODD_RESULT = Signal.ODD_RESULT
_EMPTY_CONTENT = Signal.EMPTY_CONTENT
_NULL_CONTENT = Signal.NULL_CONTENT
_BLANK_TEXT = Signal.BLANK_TEXT
_ODD_ARGUMENTS = Signal.ODD_ARGUMENTS
_ODD_NAME = Signal.ODD_NAME
_SYSTEM = Signal.SYSTEM
_ODD_SYSTEM = Signal.ODD_SYSTEM
_SAME_ROLE = Signal.SAME_ROLE
_FIRST_NOT_USER = Signal.FIRST_NOT_USER
_LAST_ASSISTANT = Signal.LAST_ASSISTANT
_USER_AFTER_RESULT = Signal.USER_AFTER_RESULT
_NO_USER = Signal.NO_USER
_LIST_CONTENT = Signal.LIST_CONTENT
_MEDIA = Signal.MEDIA
_EXTRA_KEY = Signal.EXTRA_KEY
_REASONING = Signal.REASONING
_TOOLS = Signal.TOOLS
_CALLS = Signal.CALLS | Signal.TEXT_ARGUMENTS
_BODY = Signal.BODY
_NO_TOOLS = Signal.NO_TOOLS
_REORDERED = Signal.REORDERED
_REPEATED_CALL = Signal.REPEATED_CALL
_ODD = Signal.ODD
_STOP_REASON = Signal.STOP_REASON
_TRAILING_SPACE = Signal.TRAILING_SPACE
_LEADING_RESULT = Signal.LEADING_RESULT
_OPEN_LOOP = Signal.OPEN_LOOP
_NAMED_RESULT = Signal.NAMED_RESULT
_MANY = Signal.MANY
_CALL_TEXT = Signal.CALL_TEXT
_LONG_RESULT = Signal.LONG_RESULT
_ITEM_ID = Signal.ITEM_ID
_ODD_ITEM_ID = Signal.ODD_ITEM_ID


def _placeholder(call: Call, text: str) -> dict[str, Any]:
    """An output of the type that answers `call`."""
    if call.type == "local_shell_call":
        return {"type": "local_shell_call_output", "id": call.id, "output": text}
    kind = call.type if call.type in CALLS else "function_call"
    return {"type": f"{kind}_output", "call_id": call.id, "output": text}


#: What must stand in the output of a call and is not known, so that no placeholder can be put there.
_UNKNOWABLE = {
    "computer_call": "its output is a screenshot, which nobody has",
    "shell_call": "its output tells how the command ended, which is not known",
    "apply_patch_call": "its output tells whether the patch was applied, which is not known",
    "tool_search_call": "its output is a list of tools, which is not known",
}


def _told(result: Result) -> tuple[str, list[Any]] | None:
    """A screenshot as the picture that a message can hold."""
    content = result.content
    if result.type != "computer_call_output" or not isinstance(content, dict):
        return None
    picture = {key: content[key] for key in ("image_url", "file_id") if key in content}
    return "a screenshot", [{"type": "input_image", "detail": "auto", **picture}] if picture else []


def _text_message(speaker: Speaker, text: str, like: Any) -> dict[str, Any]:
    """A message with a text: typed, as logs of items keep it, where its neighbour is."""
    if not isinstance(like, dict) or "type" not in like:
        return {"role": speaker.value, "content": text}
    kind = "output_text" if speaker is Speaker.ASSISTANT else "input_text"
    return {"type": "message", "role": speaker.value, "content": [{"type": kind, "text": text}]}


SHAPE = Shape(
    own_message=True,
    parts_key="content",
    result=_placeholder,
    text_part=lambda text: {"type": "input_text", "text": text},
    message=lambda speaker, parts, _like: {"role": speaker.value, "content": parts},
    text_message=_text_message,
    result_key="output",
    result_id_key="call_id",
    call_id_key="call_id",
    unknowable=lambda call: _UNKNOWABLE.get(call.type),
    told=_told,
)

DIALECT = Dialect(
    name="openai-responses",
    title="OpenAI Responses",
    how="items with a `type`: `function_call`, `function_call_output`, `reasoning`, ...; or the `input` of a request",
    recognise=recognise,
    read=read,
    shape=SHAPE,
    signals=signals,
    calls=calls_of,
)
