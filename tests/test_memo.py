"""What was found in a text is remembered, for some texts, and never mixed up."""

from __future__ import annotations

import threading

import pytest

from ragchunk import memo


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A memory for one thousand characters."""
    monkeypatch.setattr(memo, "CHARACTERS_KEPT", 1000)


def counting():
    """A remembered function and the list of texts it really worked on."""
    worked: list[str] = []

    @memo.per_text
    def letters(text: str, more: str = "") -> list[str]:
        worked.append(text + more)
        return list(text + more)

    return letters, worked


def test_the_same_text_is_worked_on_once() -> None:
    letters, worked = counting()
    first = letters("abc")
    assert letters("a" + "bc") is first
    assert worked == ["abc"]


def test_a_result_that_is_empty_is_remembered_too() -> None:
    letters, worked = counting()
    assert letters("") == letters("") == []
    assert worked == [""]


def test_what_else_is_asked_makes_a_different_result() -> None:
    letters, _ = counting()
    assert letters("ab", "c") == ["a", "b", "c"]
    assert letters("ab", "d") == ["a", "b", "d"]
    assert letters("ab") == ["a", "b"]


def test_two_functions_do_not_share_what_they_remember() -> None:
    letters, _ = counting()
    length = memo.per_text(len)
    assert letters("abc") == ["a", "b", "c"]
    assert length("abc") == 3


@pytest.mark.usefixtures("small")
def test_the_text_used_longest_ago_is_forgotten() -> None:
    letters, worked = counting()
    for text in ("a" * 300, "b" * 300, "a" * 300, "c" * 300):  # c needs the place of b
        letters(text)
    worked.clear()
    letters("a" * 300)
    letters("c" * 300)
    assert worked == []
    letters("b" * 300)
    assert worked == ["b" * 300]


@pytest.mark.usefixtures("small")
def test_a_text_too_long_to_remember_is_still_worked_on() -> None:
    letters, worked = counting()
    letters("small")
    assert letters("x" * 2000) == ["x"] * 2000
    assert len(letters("x" * 2000)) == 2000
    letters("small")
    assert worked == ["small", "x" * 2000, "x" * 2000]


def test_an_error_is_not_remembered() -> None:
    answers = iter([ValueError("first"), "second"])

    @memo.per_text
    def fails_once(text: str) -> str:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return text + answer

    with pytest.raises(ValueError, match="first"):
        fails_once("a ")
    assert fails_once("a ") == "a second"


def test_a_remembered_function_keeps_its_name_and_its_words() -> None:
    letters, _ = counting()
    assert letters.__name__ == "letters"


@pytest.mark.usefixtures("small")
def test_threads_get_the_right_result() -> None:
    letters, _ = counting()
    wrong: list[str] = []

    def ask() -> None:
        for number in range(300):
            text = str(number % 17) * 40
            if letters(text) != list(text):
                wrong.append(text)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
