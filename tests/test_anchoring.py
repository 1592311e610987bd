"""Labels in changed documents: found again by their quote, or told as lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk.documents import document_hash
from ragchunk.evaluation.anchoring import anchored, measurable
from ragchunk.evaluation.questions import Answer, Question
from tests.texts import any_texts

TEXT = "Docker packs the app. Nginx sits in front."
NGINX = Answer("a.md", 22, 42, "Nginx sits in front.")


def anchor(label: Answer, *documents: tuple[str, str]):
    [row] = anchored([Question("who?", (label,))], documents)
    [one] = row.answers
    return one


def test_a_label_whose_quote_is_there_stands_and_learns_the_hash() -> None:
    one = anchor(NGINX, ("a.md", TEXT))
    assert (one.state, one.note) == ("stands", "")
    assert one.answer == Answer("a.md", 22, 42, "Nginx sits in front.", document_hash(TEXT))


def test_text_put_in_before_a_label_moves_it() -> None:
    one = anchor(NGINX, ("a.md", "New first line.\n" + TEXT))
    assert one.state == "moved"
    assert one.answer is not None
    assert (one.answer.start, one.answer.end, one.answer.quote) == (38, 58, NGINX.quote)
    assert one.note == '"Nginx sits in front." was found again at 38 of a.md.'


def test_other_white_space_and_case_are_found_and_quoted_as_they_now_are() -> None:
    one = anchor(NGINX, ("a.md", "Docker.\n\nNGINX sits\n  in front."))
    assert one.state == "moved"
    assert one.answer is not None
    assert (one.answer.start, one.answer.end) == (9, 31)
    assert one.answer.quote == "NGINX sits\n  in front."
    assert one.note == (
        '"Nginx sits in front." was found again at 9 of a.md, but for white space and case.'
    )


def test_of_several_places_the_nearest_to_the_old_one_is_taken_and_told() -> None:
    # At 4, 34 and 64; the label was at 40.
    text = "The cat sat on the mat quietly\nThe cat sat on the mat quietly\nThe cat sat."
    label = Answer("a.md", 40, 43, "cat")
    one = anchor(label, ("a.md", text))
    assert one.answer is not None
    assert one.answer.start == 35
    assert one.note == '"cat" was found again at 35 of a.md, the nearest of 3 places.'


def test_a_short_quote_is_not_found_inside_a_word() -> None:
    one = anchor(Answer("a.md", 0, 1, "7"), ("a.md", "In 1976 it was 17 to 7."))
    assert one.answer is not None
    assert one.answer.start == 21
    assert anchor(Answer("a.md", 0, 1, "7"), ("a.md", "In 1976.")).state == "lost"


@pytest.mark.parametrize(
    ("documents", "note"),
    [
        (
            [("a.md", "Docker packs the app.")],
            '"Nginx sits in front." does not stand at 22 to 42 of a.md, which has 21 characters, '
            "nor elsewhere in it.",
        ),
        (
            [("a.md", "Docker packs the app. Caddy sits in front of it.")],
            '"Nginx sits in front." does not stand at 22 to 42 of a.md, nor elsewhere in it.',
        ),
        ([("b.md", TEXT)], "a.md is not among the documents."),
        ([], "a.md is not among the documents."),
    ],
)
def test_a_label_that_is_nowhere_is_lost_and_says_where_it_was_looked_for(
    documents: list, note: str
) -> None:
    one = anchor(NGINX, *documents)
    assert (one.state, one.answer, one.note) == ("lost", None, note)


def test_a_long_quote_is_cut_in_the_note() -> None:
    label = Answer("a.md", 0, 100, "word " * 20)
    assert anchor(label, ("a.md", "")).note.startswith(f'"{("word " * 20)[:57]}..." does not')


def test_a_document_is_known_by_its_text_under_another_name() -> None:
    label = Answer("old.md", 22, 42, NGINX.quote, document_hash(TEXT))
    one = anchor(label, ("other.md", "Other."), ("new.md", TEXT))
    assert one.state == "stands"
    assert one.answer is not None
    assert one.answer.source == "new.md"


def test_the_name_of_a_corpus_means_the_file_of_that_stem_if_there_is_one_only() -> None:
    label = Answer("wiki", 22, 42, NGINX.quote)
    one = anchor(label, ("corpora/wiki.md", TEXT), ("wiki2.md", TEXT))
    assert one.answer is not None
    assert one.answer.source == "corpora/wiki.md"
    assert anchor(label, ("a/wiki.md", TEXT), ("b/wiki.txt", TEXT)).state == "lost"


def test_only_questions_with_all_their_answers_are_measured() -> None:
    gone = Answer("a.md", 0, 5, "Caddy")
    questions = [
        Question("both?", (NGINX, gone)),
        Question("one?", (NGINX,)),
        Question("none?", ()),
        Question("gone?", (gone,)),
    ]
    rows = anchored(questions, [("a.md", TEXT)])
    assert [question.text for question in measurable(rows)] == ["one?"]
    assert [len(row.standing.answers) for row in rows] == [1, 1, 0, 0]
    assert [len(row.notes) for row in rows] == [1, 0, 0, 1]


@given(any_texts, any_texts, st.data())
def test_no_label_is_ever_kept_where_its_quote_is_not(old: str, new: str, data) -> None:
    if not old:
        return
    start = data.draw(st.integers(0, len(old) - 1))
    end = data.draw(st.integers(start + 1, len(old)))
    one = anchor(Answer("a.md", start, end, old[start:end]), ("a.md", new))
    if one.answer is None:
        assert old[start:end] not in ("", new)
        return
    found = new[one.answer.start : one.answer.end]
    assert found == one.answer.quote
    assert "".join(found.split()).casefold() == "".join(old[start:end].split()).casefold()


@given(any_texts, any_texts, st.data())
def test_a_long_label_is_found_wherever_it_moves(before: str, behind: str, data) -> None:
    quote = data.draw(st.text("abcdefg .", min_size=25).filter(str.strip))
    one = anchor(Answer("a.md", 0, len(quote), quote), ("a.md", before + quote + behind))
    assert one.answer is not None
    assert one.answer.quote == quote
