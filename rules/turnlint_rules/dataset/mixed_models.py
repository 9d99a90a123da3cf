"""Batch lines of several models in one file.

What it finds
-------------
A line of a batch file whose body names another model than the first line.

Why it hurts
------------
The batch is refused: it is for one model.

Fix
---
None: split the file by model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Place
from turnlint.rule import Context, Example, Finding, Rule
from turnlint_rules.wording import brief

if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: Context) -> Iterator[Finding]:
    line = context.transcript.candidate.line
    if line is None or line.kind != "request" or not line.strict or line.first_model is None:
        return
    body = line.raw.get("body") if isinstance(line.raw, dict) else None
    model = body.get("model") if isinstance(body, dict) else None
    if not isinstance(model, str) or model == line.first_model:
        return
    earlier = line.first != line.at.document
    yield Finding(
        line.at / "body" / "model",
        f"the line is for {brief(model)}, and the first one for {brief(line.first_model)}",
        variant="model",
        cause="two batches were joined into one file",
        related=((Place(("body", "model"), line.first), "the model of the first line"),) if earlier else (),
        help="split the file by model",
    )


def _batch(*models: str) -> list[dict[str, Any]]:
    ask = [{"role": "user", "content": "Hi"}]
    return [
        {
            "custom_id": f"r{number}",
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": {"model": model, "messages": ask},
        }
        for number, model in enumerate(models)
    ]


RULE = Rule(
    check,
    valid=(Example(_batch("gpt-4o", "gpt-4o"), target="openai"), Example(_batch("gpt-4o"), target="openai")),
    invalid=(
        Example(_batch("gpt-4o", "gpt-4o-mini"), target="openai", at="/1/body/model"),
        Example(_batch("gpt-4o", "gpt-4o", "gpt-5"), target="openai", at="/2/body/model"),
    ),
)
