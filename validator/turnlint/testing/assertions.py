"""Assertions about histories, for pytest and unittest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


def assert_same_exchanges(
    before: Any,
    after: Any,
    *,
    dropped: bool = False,
    regrouped: bool = False,
    results: bool = True,
    target: str | None = None,
    before_dialect: str | None = None,
    after_dialect: str | None = None,
) -> None:
    """Raise `AssertionError` if a history lost an answered call, or parted one from its result, on its way.

    For code that trims, stores, resumes or converts histories.  `before` and `after` may be in different dialects: tool
    names, arguments and results are compared, IDs and wrappings are not.

    `dropped`: whole pairs may be missing in `after` (a trimmed history), but no half of one may be left.
    `regrouped`: calls that were made in one turn may be in several turns, and the other way round.
    `results`: False where the text of results may change (shortened, cleared); each must still answer its call.
    `target` says whose pairing counts in `after`; by default that of the dialect's owner.
    Raises `UsageError` where no history is recognised.
    """
    __tracebackhide__ = True
    from turnlint.testing.exchanges import differences, exchanges_of, failure

    found = differences(
        exchanges_of(before, dialect=before_dialect),
        exchanges_of(after, target=target, dialect=after_dialect),
        dropped=dropped,
        regrouped=regrouped,
        results=results,
    )
    if found:
        raise AssertionError(failure(found))


class HistoryAssertions:
    """A mixin for `unittest.TestCase`.

        class Trimming(HistoryAssertions, unittest.TestCase):
            turnlint_target = "anthropic"

            def test_trim(self):
                self.assertValidHistory(trim(history))

    `turnlint_target`, `turnlint_dialect` and `turnlint_mode` hold for every assertion that does not say otherwise.
    """

    turnlint_target: str | Iterable[str] | None = None
    turnlint_dialect: str | None = None
    turnlint_mode: str = "request"

    def assertValidHistory(self, document: Any, **settings: Any) -> None:  # noqa: N802 - as unittest writes them
        """Fail, worded like the command line, unless the history is valid.  Takes what `assert_valid` takes."""
        __tracebackhide__ = True
        from turnlint.api import assert_valid

        given = {"target": self.turnlint_target, "dialect": self.turnlint_dialect, "mode": self.turnlint_mode}
        assert_valid(document, **{**given, **settings})

    def assertSameExchanges(self, before: Any, after: Any, **settings: Any) -> None:  # noqa: N802
        """Fail if `after` lost or parted an answered call.  Takes what `assert_same_exchanges` takes."""
        __tracebackhide__ = True
        assert_same_exchanges(before, after, **settings)
