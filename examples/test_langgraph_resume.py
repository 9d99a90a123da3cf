"""A LangGraph thread that stopped between a call and its result: it can be resumed, not be asked the next question."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

import pytest

from turnlint import assert_valid

graph = pytest.importorskip("langgraph.graph")
prebuilt = pytest.importorskip("langgraph.prebuilt")
memory = pytest.importorskip("langgraph.checkpoint.memory")
core = pytest.importorskip("langchain_core.messages")

CALL = {"name": "weather", "args": {"city": "Oslo"}, "id": "call_1", "type": "tool_call"}
THREAD = {"configurable": {"thread_id": "1"}}


class State(TypedDict):
    messages: Annotated[list[Any], graph.add_messages]


def weather(city: str) -> str:
    """The weather in a city."""
    return f"4 C in {city}"


def model(state: State) -> dict[str, Any]:
    """A model that asks for the weather once, and then answers."""
    asked = any(message.type == "tool" for message in state["messages"])
    return {"messages": [core.AIMessage("Cold.") if asked else core.AIMessage("", tool_calls=[CALL])]}


@pytest.fixture
def stopped() -> Any:
    """A graph whose thread stopped, for a person to approve the call."""
    builder = graph.StateGraph(State)
    builder.add_node("model", model)
    builder.add_node("tools", prebuilt.ToolNode([weather]))
    builder.add_edge(graph.START, "model")
    builder.add_conditional_edges("model", prebuilt.tools_condition)
    builder.add_edge("tools", "model")
    made = builder.compile(checkpointer=memory.MemorySaver(), interrupt_before=["tools"])
    made.invoke({"messages": [core.HumanMessage("Weather in Oslo?")]}, THREAD)
    return made


def saved(made: Any) -> list[Any]:
    return list(made.get_state(THREAD).values["messages"])


def test_the_checkpoint_is_a_history_that_waits(stopped: Any) -> None:
    assert_valid(saved(stopped), target="openai", mode="saved")
    with pytest.raises(AssertionError, match="unanswered-call"):
        assert_valid(saved(stopped), target="openai")  # as a request it is not complete


def test_the_next_question_leaves_the_call_unanswered(stopped: Any) -> None:
    stopped.update_state(THREAD, {"messages": [core.HumanMessage("Never mind. And in Rome?")]})
    with pytest.raises(AssertionError, match=r"unanswered-call .*: the call weather \(call_1\) has no result"):
        assert_valid(saved(stopped), target="openai")


def test_resuming_it_is_right(stopped: Any) -> None:
    stopped.invoke(None, THREAD)
    assert_valid([*saved(stopped), core.HumanMessage("And in Rome?")], target="openai")
