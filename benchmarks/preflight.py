"""What a check before every request costs: microseconds a message of `turnlint.check`, and of `Session.preview`.

    python benchmarks/preflight.py

Clean histories as an agent makes them (a question, a call with arguments of its own, its result, an answer), that end
in a question, in memory; the first call, which imports what is needed, is not counted; the best of 30.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import turnlint
from turnlint.testing.conversations import Conversation, Round, Turn, Use
from turnlint.testing.writers import WRITERS

if TYPE_CHECKING:
    from collections.abc import Callable

QUESTION = "What is the weather in Oslo today, and should I take an umbrella?"
ANSWER = "It is 4 C and rains until noon: take one."


def history(dialect: str, rounds: int) -> list[dict[str, Any]]:
    """A history of four messages a round and the last question."""
    form = WRITERS[dialect].call_id
    turns = [
        Turn(
            QUESTION,
            (Round((Use(form.format(n), "get_weather", {"city": "Oslo", "day": n}, "4 C, light rain"),)),),
            ANSWER,
        )
        for n in range(rounds)
    ]
    made: list[dict[str, Any]] = WRITERS[dialect].write(Conversation((*turns, Turn("And tomorrow?"))))
    return made


def best(call: Callable[[], object], repeat: int = 30) -> float:
    """Seconds of the quickest of some calls."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    for dialect, target in (("openai-chat", "openai"), ("openai-responses", "openai"), ("anthropic", "anthropic")):
        for rounds in (2, 25, 250):
            messages = history(dialect, rounds)

            def check(messages: list[dict[str, Any]] = messages, target: str = target) -> turnlint.Report:
                return turnlint.check(messages, target=target, mode="request")

            report = check()
            if report.diagnostics:
                raise SystemExit(f"the history is not clean: {report.diagnostics[0].message}")
            spent = best(check)
            print(
                f"{dialect:<16} {len(messages):>5} messages  {spent * 1e6:>8.0f} µs a check"
                f"  {spent * 1e6 / len(messages):>6.1f} µs a message"
            )
    session = turnlint.Session(history("openai-chat", 100)[:-1], target="openai")
    question = {"role": "user", "content": "And tomorrow?"}
    session.preview(question)
    spent = best(lambda: session.preview(question))
    print(f"Session.preview behind {len(session.messages)} messages: {spent * 1e6:.0f} µs")


if __name__ == "__main__":
    main()
