"""Fixtures of all tests: a store of their own. Of the browser tests: a server and a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests import browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    OpenPage = Callable[..., browser.Screen]


@pytest.fixture(scope="session", autouse=True)
def _store_of_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty store for this run and the processes it starts: never the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGCHUNK_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("RAGCHUNK_CACHE_MB", raising=False)
        yield


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the app, which reads its model once for all tests."""
    with browser.served(tmp_path_factory.mktemp("server") / "log") as address:
        yield address


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    browser.playwright()  # or skip
    with browser.launched() as launched:
        yield launched


@pytest.fixture
def open_page(chromium: Browser, server: str) -> Iterator[OpenPage]:
    """Opens the app as a person does who was never there before; asks it to have no errors."""
    screens: list[browser.Screen] = []

    def opener(width: int = 1280, height: int = 720, scheme: str = "light") -> browser.Screen:
        screen = browser.Screen(chromium, server, width, height, scheme)
        screens.append(screen)
        return screen

    with browser.without_errors(screens):
        yield opener
