"""The pytest plugin: a fixture, a marker, transcripts as tests, and a look at every request that a test makes.

This module is imported by every run of pytest in an environment with turnlint, so it imports nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from turnlint.testing.fixture import Turnlint

_MARKER = (
    "turnlint(target=None, dialect=None, mode='request', requests=None, ...): what the `turnlint` fixture of this test "
    "checks with; requests=True (or False) has the test's LLM requests checked (or not), whatever the options say"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("turnlint", "saved LLM conversations")
    group.addoption(
        "--turnlint",
        action="append",
        default=[],
        dest="turnlint_paths",
        metavar="PATH",
        help="Check the transcripts and cassettes at PATH, one test for each transcript. May be given several times.",
    )
    group.addoption(
        "--turnlint-requests",
        action="store_true",
        default=False,
        help="Check each LLM request that a test makes through httpx, requests, botocore or vcrpy.",
    )
    parser.addini("turnlint_requests", "Check each LLM request that a test makes.", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)
    paths = config.getoption("turnlint_paths")
    if paths:
        from turnlint.errors import UsageError
        from turnlint.testing.collecting import Collecting

        try:
            collecting = Collecting(config, paths)
        except UsageError as error:
            raise pytest.UsageError(f"--turnlint: {error}") from None
        config.pluginmanager.register(collecting, "turnlint-collecting")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    marker = item.get_closest_marker("turnlint")
    asked = marker.kwargs.get("requests") if marker is not None else None
    if asked is None:
        asked = item.config.getoption("turnlint_requests") or item.config.getini("turnlint_requests")
    if not asked:
        return (yield)
    from turnlint.testing.watching import Watch

    __tracebackhide__ = True
    with Watch(_settings(item)) as watch:
        try:
            result = yield
        except BaseException:
            item.add_report_section("call", "turnlint", "\n\n".join(watch.texts))
            raise
    if watch.texts:
        pytest.fail(watch.text, pytrace=False)
    return result


@pytest.fixture
def turnlint(request: pytest.FixtureRequest) -> Turnlint:
    """Checks histories with the settings of the project's configuration and of the test's marker."""
    from turnlint.testing.fixture import Turnlint

    return Turnlint(_settings(request.node))


def _settings(item: pytest.Item) -> dict[str, Any]:
    """What a test checks with; a configuration or marker that cannot be used fails it in one line."""
    from turnlint.errors import UsageError
    from turnlint.testing.fixture import settings_of_item

    try:
        return settings_of_item(item)
    except UsageError as error:
        wrong = f"turnlint: {error}"
    pytest.fail(wrong, pytrace=False)
