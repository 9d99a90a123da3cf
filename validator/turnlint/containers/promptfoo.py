"""promptfoo's results: the prompt as it was sent, which may be the JSON text of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.containers import Container, Skipped
from turnlint.containers.pairs import joined
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document


def _results(value: Any) -> tuple[list[Any], tuple[str, ...]] | None:
    if not isinstance(value, dict) or not ({"evalId", "config"} & value.keys()):
        return None
    inner = value.get("results")
    if isinstance(inner, dict) and isinstance(inner.get("results"), list):
        return inner["results"], ("results", "results")
    return (inner, ("results",)) if isinstance(inner, list) else None


def recognise(head: Sequence[Document]) -> bool:
    return bool(head) and _results(head[0].value) is not None


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    for document in documents:
        found = _results(document.value)
        if found is None:
            yield Skipped("no results in it", Place((), document.number))
            continue
        results, path = found
        base = Place(path, document.number)
        for number, result in enumerate(results):
            prompt = result.get("prompt") if isinstance(result, dict) else None
            raw = prompt.get("raw") if isinstance(prompt, dict) else None
            candidate = joined(raw, base / number / "prompt" / "raw", id=f"result {number}")
            yield candidate or Skipped("a prompt that is plain text", base / number, known=True)


CONTAINER = Container(
    name="promptfoo",
    title="promptfoo results",
    how="`evalId` or `config` with `results`, whose `prompt.raw` is the JSON text of messages",
    recognise=recognise,
    find=find,
    dialects=("openai-chat", "anthropic"),
)
