"""LangSmith runs: batches of starts and ends, single requests of the SDK, and exported runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnlint.containers import Container, Skipped
from turnlint.containers.http import longest
from turnlint.containers.pairs import joined, provider
from turnlint.diagnostic import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from turnlint.model import Candidate
    from turnlint.source.document import Document


def _is_run(value: Any) -> bool:
    return isinstance(value, dict) and "run_type" in value and not {"inputs", "outputs"}.isdisjoint(value)


def _is_batch(value: Any) -> bool:
    return isinstance(value, dict) and any(
        isinstance(value.get(key), list)
        and any(isinstance(r, dict) and ("dotted_order" in r or _is_run(r)) for r in value[key][:3])
        for key in ("post", "patch")
    )


def _is_request(value: Any) -> bool:
    return isinstance(value, dict) and value.get("method") in ("POST", "PATCH") and _is_run(value.get("body"))


def _is_managed(value: Any) -> bool:
    """Whether a line is a recorded step of a managed agent's session."""
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and ".sessions." in value[0]


def recognise(head: Sequence[Document]) -> bool:
    for document in head[:8]:
        value = document.value
        if _is_run(value) or _is_batch(value) or _is_request(value) or _is_managed(value):
            return True
        if isinstance(value, list) and value and _is_run(value[0]):
            return True
    return False


def find(documents: Iterable[Document]) -> Iterator[Candidate | Skipped]:
    starts: dict[object, tuple[dict[str, Any], Place]] = {}
    ends: dict[object, tuple[dict[str, Any], Place]] = {}
    for document in documents:
        value, at = document.value, Place((), document.number)
        if _is_managed(value):
            yield Skipped("the events of a managed agent's session are not read", at, known=True)
            return
        for run, place, is_end in _runs(value, at):
            key = _key_of(run, place)
            if not is_end or key not in starts:
                starts.setdefault(key, (run, place))
            if run.get("outputs"):
                ends[key] = (run, place)
    found = []
    for key, (run, at) in starts.items():
        end, end_at = ends.get(key, (run, at))
        candidate = joined(run.get("inputs"), at / "inputs", end.get("outputs"), end_at / "outputs", **_more(run))
        if candidate is not None:
            found.append(candidate)
        else:
            yield Skipped("a run without messages", at, known=True)
    yield from longest(found)


def _runs(value: Any, at: Place) -> Iterator[tuple[dict[str, Any], Place, bool]]:
    """The runs in a document, with whether each is only the end of one."""
    if _is_batch(value):
        for key in ("post", "patch"):
            runs = value.get(key)
            for number, run in enumerate(runs if isinstance(runs, list) else ()):
                if isinstance(run, dict):
                    yield run, at / key / number, key == "patch"
    elif _is_request(value):
        yield value["body"], at / "body", value["method"] == "PATCH"
    elif isinstance(value, list):
        for number, run in enumerate(value):
            if _is_run(run):
                yield run, at / number, False
    elif isinstance(value, dict):
        yield value, at, False


def _key_of(run: dict[str, Any], at: Place) -> object:
    key = run.get("id") or run.get("dotted_order")
    return key if isinstance(key, str) else at


def _more(run: dict[str, Any]) -> dict[str, Any]:
    extra = run.get("extra")
    metadata = extra.get("metadata") if isinstance(extra, dict) else None
    name = run.get("id")
    named = provider(metadata.get("ls_provider")) if isinstance(metadata, dict) else {}
    return {"id": name if isinstance(name, str) else "", **named}


CONTAINER = Container(
    name="langsmith",
    title="LangSmith runs",
    how="`run_type` with `inputs` and `outputs`; or `post` and `patch` lists of such runs",
    recognise=recognise,
    find=find,
    dialects=("openai-chat", "openai-responses", "anthropic", "langchain"),
)
