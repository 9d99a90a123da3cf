"""What stands for something taken out, and what does not."""

from __future__ import annotations

import pytest

from turnlint.redaction import looks_redacted


@pytest.mark.parametrize(
    "text",
    [
        "[REDACTED_ARGUMENTS len=153]", "<redacted>", "__REDACTED__", "redacted-by-litellm", "[trimmed for fixture]",
        "...", "…", "***", "attachment://image.png", "tc://call/1", "{{arguments}}", "<...>", "sha256:" + "0" * 64,
        '{"city": "Os…[truncated 300 chars]', '{"city": "Oslo...', "[omitted]", "(hidden)", "XXXX",
    ],
)  # fmt: skip
def test_taken_out(text: str) -> None:
    assert looks_redacted(text)


@pytest.mark.parametrize(
    "text", ["", "{}", '{"city": "Os', "remove the file", "{'a': 1}", "x", "ls -l", None, 1, [], "<a><b>"]
)
def test_said(text: object) -> None:
    assert not looks_redacted(text)


def test_long_values_are_cheap() -> None:
    for text in ("[" * 1_000_000, "<" * 1_000_000, "a" * 1_000_000 + "REDACTED", "{{" * 500_000):
        looks_redacted(text)
