"""Looks at every LLM request that a piece of code makes, without a network or a recording of its own.

The libraries that send requests are patched only while a `Watch` is open, and only if the program imports them.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any

from turnlint.diagnostic import Place, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType, TracebackType

    from turnlint.diagnostic import Diagnostic

#: Modules that send requests, and what is patched in each: the class, the method, where its request is.
_SENDERS = {
    "httpx": (("Client", "send"), ("AsyncClient", "send")),
    "requests": (("Session", "send"),),
    "botocore.httpsession": (("URLLib3Session", "send"),),
    "vcr.cassette": (("Cassette", "append"), ("Cassette", "play_response")),
}


class Watch:
    """Checks the requests that are made while it is open; `fail` tells what was found.

        with Watch({"target": "anthropic"}) as watch:
            agent.run("What is the weather?")
        watch.fail()

    `settings` are those of `turnlint.assert_valid`.  A target named there counts for requests to hosts that no target
    is known to serve; the host counts for all others.
    """

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        from turnlint.api import settings_of

        given = dict(settings or {})
        self.threshold = Severity(given.pop("fail_on", None) or "error")
        given["mode"] = "request"
        self.settings = settings_of(**given)
        self.requests = 0  # LLM requests seen
        self.texts: list[str] = []
        self._seen: set[object] = set()
        self._bodies: set[object] = set()
        self._undo: list[tuple[Any, str, Any]] = []
        self._finder = _OnImport(self._patch)
        self._lock = threading.Lock()

    def __enter__(self) -> Watch:
        for name in _SENDERS:
            module = sys.modules.get(name)
            if module is not None:
                self._patch(module)
        sys.meta_path.insert(0, self._finder)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        for owner, name, original in reversed(self._undo):
            setattr(owner, name, original)
        self._undo.clear()

    def fail(self) -> None:
        """Raise `AssertionError` if any request was not valid."""
        __tracebackhide__ = True
        if self.texts:
            raise AssertionError(self.text)

    @property
    def text(self) -> str:
        """What was found in all requests; empty if nothing was."""
        if not self.texts:
            return ""
        count = len(self.texts)
        what = "a request that is" if count == 1 else f"{count} requests that are"
        return "\n\n".join([f"the test made {what} not valid", *self.texts])

    # -- what is seen

    def see(self, url: str, body: Any) -> None:
        """Look at one request.  `body` is bytes, text, or a decoded value; what is no LLM request is passed over."""
        with self._lock:
            key = (url, repr(body) if isinstance(body, dict) else body)
            if key in self._bodies:  # sent again, or seen by two libraries, one of which uses the other
                return
            self._bodies.add(key)
            text = self._judge(url, body)
            if text is not None:
                sender = _sender()
                self.texts.append(f"{text}\n  = sent from {sender}" if sender else text)

    def _judge(self, url: str, body: Any) -> str | None:
        from msgspec.structs import replace

        from turnlint import targets
        from turnlint.containers import Skipped, http
        from turnlint.engine import Checker

        at = Place()
        exchange = http.HttpExchange(at, "POST", url, http.saved_body(body, at), http.Body(None, at))
        candidate = http.candidate_of(exchange)
        if isinstance(candidate, Skipped):
            return None
        settings = self.settings
        if candidate.target not in (None, targets.COMPATIBLE):
            settings = replace(settings, targets=())
            candidate.target_reason = candidate.target_reason.replace("it was recorded from", "it is sent to")
        seen = Checker(settings).examine(candidate)
        if seen.info is None:
            return None
        self.requests += 1
        found = [d for d in seen.diagnostics if d.severity.reaches(self.threshold) and self._is_new(d)]
        if not found:
            return None
        from turnlint.testing.failure import describe

        transcripts = [seen.transcript] if seen.transcript is not None else []
        lines = [f"{url} as {', '.join(seen.info.targets)}:"]
        for diagnostic in found[:5]:
            lines += describe(diagnostic, transcripts)
        return "\n".join(lines)

    def _is_new(self, diagnostic: Diagnostic) -> bool:
        """Whether this was not said of an earlier request: each request repeats the history of the one before it."""
        mark = (diagnostic.rule, diagnostic.pointer, diagnostic.message)
        new = mark not in self._seen
        self._seen.add(mark)
        return new

    # -- patches

    def _patch(self, module: ModuleType) -> None:
        for class_name, method in _SENDERS[module.__name__]:
            owner = getattr(module, class_name, None)
            original = getattr(owner, method, None)
            if owner is not None and original is not None:
                setattr(owner, method, self._looking(original))
                self._undo.append((owner, method, original))

    def _looking(self, original: Callable[..., Any]) -> Callable[..., Any]:
        import functools

        @functools.wraps(original)
        def send(this: Any, request: Any, *args: Any, **given: Any) -> Any:
            self.see(str(getattr(request, "url", "") or getattr(request, "uri", "")), _body(request))
            return original(this, request, *args, **given)

        return send


def _body(request: Any) -> Any:
    """The body of a request of httpx, requests, botocore or vcrpy; None where it is a stream that was not read."""
    for name in ("content", "body"):
        try:
            value = getattr(request, name)
        except Exception:  # noqa: S112 - httpx raises an error of its own for a stream
            continue
        if isinstance(value, (bytes, bytearray, str, dict)):
            return bytes(value) if isinstance(value, bytearray) else value
    return None


def _sender() -> str:
    """The innermost line of the project's own code: the one outside of installed packages."""
    frames: Iterable[traceback.FrameSummary] = reversed(traceback.extract_stack(limit=200))
    own = next((f for f in frames if not _is_installed(f.filename)), None)
    return f"{own.filename}:{own.lineno}" if own is not None else ""


def _is_installed(file: str) -> bool:
    return (
        "site-packages" in file
        or "dist-packages" in file
        or file.startswith(("<", sys.base_prefix))
        or "/turnlint/testing/" in file.replace("\\", "/")
    )


class _OnImport:
    """A finder that finds nothing: it has a module patched right after it was imported."""

    def __init__(self, patch: Callable[[ModuleType], None]) -> None:
        self._patch = patch
        self._busy = False

    def find_spec(self, name: str, *_: object) -> Any:
        if name not in _SENDERS or self._busy:
            return None
        self._busy = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._busy = False
        loader = spec.loader if spec is not None else None
        if loader is None or type(loader).__name__ != "SourceFileLoader":
            return spec
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            self._patch(module)

        loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
