"""The lessons: what they compute, worked out by hand; and the page, from prediction to answer."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from ragchunk import lessons
from ragchunk.embedding import load_encoder
from ragchunk.errors import ModelError
from ragchunk.lessons import LESSONS, Control
from ragchunk.sentences import sentence_spans
from ragchunk.spans import Span
from ragchunk.strategies import Window
from ragchunk.tokens import max_tokens, token_starts
from tests.encoders import HashedWords

NEEDS_MODEL = (1, 2, 5, 6)
WITHOUT_MODEL = (3, 4)


class TestControl:
    def test_a_move_counts_when_it_comes_to_the_target_or_passes_it(self) -> None:
        up = Control("Overlap", 0, 25, 1, start=0, target=10)
        assert [up.reached(value) for value in (0, 9, 10, 25)] == [False, False, True, True]
        down = Control("Size", 60, 500, 40, start=500, target=100)
        assert [down.reached(value) for value in (500, 140, 100, 60)] == [False, False, True, True]

    @pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
    def test_start_and_target_are_positions_of_the_slider(self, lesson: lessons.Lesson) -> None:
        control = lesson.control
        assert control.start != control.target
        assert {control.start, control.target, control.most} <= set(control.positions)

    @pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
    def test_the_question_names_the_target(self, lesson: lessons.Lesson) -> None:
        words = {5: "Five", 80: "80", 60: "60", 254: "254", 10: "10"}
        assert words[lesson.control.target] in lesson.question + lesson.setting


class TestTexts:
    def test_passages_stand_in_the_sample_documents(self) -> None:
        sources = ("deployment.md", "bread.txt", "bees.md", "maps.md", "faq.md")
        for passage, source in zip(lessons.PASSAGES, sources, strict=True):
            assert passage in lessons.sample(source)

    def test_the_answer_stands_in_the_part_that_is_cut(self) -> None:
        assert lessons.VARIABLES_ANSWER in lessons.confetti_document().text
        assert len(lessons.VARIABLES_ANSWER) == 236

    def test_the_last_question_names_the_limit_of_the_model(self) -> None:
        assert lessons.BLIND_TAIL.control.target == max_tokens() == 254


class TestSentence:
    # Starts at 0, 20, 40. Sentences at 0 to 21, 22 to 42 and 43 to 69.
    def test_survivors(self) -> None:
        assert [lessons.survivors(overlap) for overlap in (0, 7, 8, 9, 10, 11)] == [
            1,  # 0 to 30 holds the first; 30 and 60 cut the two others
            1,
            2,  # 22 to 52 holds the second
            3,  # 21 to 51 the second, 42 to 69 the third
            3,
            2,  # 38 to 68 loses the full stop of the third, and 57 is too late
        ]

    def test_a_sentence_of_overlap_plus_one_is_never_lost_and_a_longer_one_may_be(self) -> None:
        size, overlap = 12, 4
        for shift in range(40):
            for length, lost in ((lessons.guaranteed(overlap), False), (overlap + 2, True)):
                text = "x" * shift + "y" * length + "z" * 40
                spans = Window(size=size, overlap=overlap).spans(text)
                whole = any(s <= shift and shift + length <= e for s, e in spans)
                # Of all places, the last before a new window is the one that loses it.
                assert whole or (lost and shift % (size - overlap) == size - overlap - 1)

    def test_the_answer(self) -> None:
        answer = lessons.CUT_SENTENCE.answer(None)
        assert answer.right == "3"
        assert "at overlap 0, 1 of 3" in answer.told
        assert "here 11. These have 21, 20 and 26" in answer.law
        assert "overlap 11 loses 1 sentence again, and only from 25 on" in answer.fails

    def test_from_the_overlap_it_names_every_sentence_is_safe(self) -> None:
        longest = max(end - start for start, end in sentence_spans(lessons.DOCKER))
        assert lessons.guaranteed(25) == longest == 26
        assert [lessons.survivors(overlap) for overlap in (25, 26, 27, 28, 29)] == [3] * 5


class TestTail:
    def test_the_plain_loop(self) -> None:
        windows = lessons.docker_loop(10)
        assert windows == [Span(0, 30), Span(20, 50), Span(40, 69), Span(60, 69)]
        assert lessons.DOCKER[slice(*windows[-1])] == " secrets."
        assert lessons.redundant(windows) == [3]

    @pytest.mark.parametrize(
        ("overlap", "extra"),
        [
            (0, []),  # 0, 30, 60
            (8, [3]),  # 0, 22, 44 to 69, 66
            (7, []),  # 0, 23, 46 to 69: the next start, 69, is the end
            (20, [5, 6]),  # 40 to 69, then 50 and 60
        ],
    )
    def test_how_many_windows_hold_nothing_new(self, overlap: int, extra: list[int]) -> None:
        assert lessons.redundant(lessons.docker_loop(overlap)) == extra

    @pytest.mark.parametrize("overlap", range(30))
    def test_without_them_the_loop_is_our_window(self, overlap: int) -> None:
        loop = lessons.docker_loop(overlap)
        extra = lessons.redundant(loop)
        kept = [each for number, each in enumerate(loop) if number not in extra]
        assert kept == lessons.docker_windows(overlap)
        # The law: exactly the windows that start within the last `overlap` characters.
        assert extra == [n for n, each in enumerate(loop) if n and each.start >= 69 - overlap]

    def test_the_answer(self) -> None:
        answer = lessons.REDUNDANT_TAIL.answer(None)
        assert answer.right == "1"
        assert "4 windows" in answer.told
        assert "“\u00a0secrets.”, lies wholly inside #2. ragchunk makes 3." in answer.told


class TestCost:
    def test_what_is_stored(self) -> None:
        # 999 characters, a step of 80: starts 0 to 880, of which 11 repeat 80 characters.
        found = lessons.cost(80)
        assert (found.length, len(found.chunks), found.stored) == (999, 12, 999 + 11 * 80)
        assert found.times == pytest.approx(1.8809, abs=1e-4)
        assert found.repeated == pytest.approx(880 / 1879)

    def test_without_overlap_nothing_is_stored_twice(self) -> None:
        assert (lessons.cost(0).times, lessons.cost(0).repeated) == (1, 0)

    def test_the_law_for_long_texts(self) -> None:
        assert lessons.long_run(800, 400) == 2
        assert lessons.long_run(800, 200) == pytest.approx(4 / 3)
        text = "x" * 160_000
        spans = Window(size=160, overlap=80).spans(text)
        assert sum(e - s for s, e in spans) / len(text) == pytest.approx(2, abs=0.001)

    def test_nearest_option(self) -> None:
        assert lessons.nearest(1.88, lessons.OVERLAP_COST.options) == "about 2"
        assert lessons.nearest(0.42, lessons.WHOLE_FILES.options) == "about .45"


class TestMean:
    def test_unrelated_passages_keep_one_over_the_root(self) -> None:
        for number in range(1, 6):
            rows = np.eye(8, dtype=np.float32)[:number]
            assert lessons.mean_cosine(rows) == pytest.approx(1 / sqrt(number))

    def test_passages_that_are_alike_keep_more(self) -> None:
        # Two vectors at 60 degrees: the mean lies at 30 degrees from each.
        rows = np.array([[1, 0], [0.5, sqrt(0.75)]])
        assert lessons.mean_cosine(rows) == pytest.approx(sqrt(0.75))

    def test_vectors_that_cancel_leave_nothing(self) -> None:
        assert lessons.mean_cosine(np.array([[1.0, 0.0], [-1.0, 0.0]])) == 0


class TestConfetti:
    def test_options(self) -> None:
        assert lessons.confetti_option(0.7, 0, 0.4) == "higher, answer lost"
        assert lessons.confetti_option(0.3, 1, 0.4) == "lower, answer kept"
        assert lessons.confetti_option(0.7, 0.9, 0.4) == "higher, answer lost"
        found = {lessons.confetti_option(s, h, 0.5) for s in (0, 1) for h in (0, 1)}
        assert found == set(lessons.CONFETTI.options)

    def test_no_small_chunk_holds_the_answer(self) -> None:
        encoder = HashedWords()
        for size in range(60, 236, 40):
            assert lessons.best_hit(size, encoder).share < 1

    def test_the_share_is_what_the_best_hit_holds(self) -> None:
        best = lessons.best_hit(5_000, HashedWords())
        assert best.share == 1
        assert best.verdict == "The answer is whole in one chunk, rank 1."


class TestBlind:
    def test_bananas(self) -> None:
        text = lessons.blind_document().text
        total = len(token_starts(text))
        changed = lessons.bananas(254).text
        assert changed.count(" bananas") == total - 254
        kept = changed[: changed.index(" bananas")]
        assert text.startswith(kept)
        assert len(token_starts(kept)) == 254
        assert len(token_starts(changed)) == total

    @pytest.mark.parametrize(
        ("near", "option"),
        [
            (0.1, "below .50"),
            (0.5, ".50 to .90"),
            (0.9, ".90 to .999"),
            (0.9994, ".90 to .999"),
            (0.9996, "1.000"),
            (1.0, "1.000"),
        ],
    )
    def test_options(self, near: float, option: str) -> None:
        assert lessons.blind_option(near) == option

    def test_what_stands_behind_the_limit_of_any_encoder_changes_nothing(self) -> None:
        encoder = HashedWords(max_tokens=40)
        assert lessons.blind(54, encoder).plain == pytest.approx(1)
        assert lessons.blind(54, encoder).averaged < 0.9


class TestAnswers:
    @pytest.mark.parametrize("number", NEEDS_MODEL)
    def test_lessons_of_the_model_say_that_they_need_it(self, number: int) -> None:
        lesson = LESSONS[number - 1]
        assert lesson.needs_model
        with pytest.raises(ModelError, match="needs the embedding model"):
            lesson.answer(None)

    @pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
    def test_any_encoder_gives_an_answer_among_the_options(self, lesson: lessons.Lesson) -> None:
        assert lesson.answer(HashedWords()).right in lesson.options

    @pytest.mark.model
    @pytest.mark.parametrize("number", NEEDS_MODEL)
    def test_all_that_an_answer_needs_is_read_before(self, number: int) -> None:
        lesson = LESSONS[number - 1]
        encoder = load_encoder()
        encoder._kept.clear()
        for texts, way in lessons.wanted(lesson, lessons.answer_values(lesson)):
            for _ in encoder.fill(texts, way):
                pass
        read = {text for text, kind in encoder._kept if kind == "document"}
        lesson.answer(encoder)
        assert {text for text, kind in encoder._kept if kind == "document"} == read

    def test_another_target_has_another_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nothing is typed in: at overlap 11 a sentence is lost again."""
        asked = lessons.CUT_SENTENCE
        moved = replace(asked, control=replace(asked.control, target=11))
        monkeypatch.setattr(lessons, "CUT_SENTENCE", moved)
        assert asked.answer(None).right == "2"

    @pytest.mark.model
    def test_known_answers(self) -> None:
        encoder = load_encoder()
        assert [lesson.answer(encoder).right for lesson in LESSONS] == [
            "higher, answer lost",
            "about .45",
            "3",
            "1",
            "about 2",
            "1.000",
        ]

    @pytest.mark.model
    def test_what_the_model_lessons_show(self) -> None:
        encoder = load_encoder()
        large, small = (lessons.best_hit(size, encoder) for size in (500, 60))
        assert (large.share, small.share) == (1, 0)
        assert small.hit.score > large.hit.score + 0.2
        means = [lessons.blur(number, encoder).mean for number in range(1, 6)]
        assert means == sorted(means, reverse=True)
        for number, mean in enumerate(means, 1):
            assert mean == pytest.approx(1 / sqrt(number), abs=0.05)
        two, four, eight = lessons.window_cosines(encoder)
        assert 1 > two > four > eight > 1 / sqrt(8)
        assert lessons.unique(lessons.cost_hits(0, encoder)) == 1
        assert lessons.unique(lessons.cost_hits(80, encoder)) < 0.8
        assert lessons.blind(254, encoder).plain == pytest.approx(1, abs=1e-6)
        assert lessons.blind(253, encoder).plain < 0.999


# The page


def _with_model() -> None:
    from ragchunk.embedding import load_encoder
    from ragchunk.ui.lessons_page import lessons_page

    lessons_page(load_encoder())


def _without_model() -> None:
    from ragchunk.ui.lessons_page import lessons_page

    lessons_page(None)


def page(lesson: str | None = None, model: bool = False) -> AppTest:
    at = AppTest.from_function(_with_model if model else _without_model, default_timeout=60)
    if lesson is not None:
        at.query_params["lesson"] = lesson
    return run(at)


def run(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception
    return at


def seen(at: AppTest) -> str:
    """All that the page says in HTML, styles aside."""
    found = " ".join(each.value for each in at.html if not each.value.startswith("<style"))
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", found)).split())


def predict(at: AppTest, number: int, option: str) -> AppTest:
    at.segmented_control(key=f"lesson_prediction_{number}").set_value(option)
    return run(at)


def move(at: AppTest, number: int, value: int) -> AppTest:
    at.slider(key=f"lesson_slider_{number}").set_value(value)
    return run(at)


def click(at: AppTest, name: str) -> AppTest:
    at.button(key=f"lesson_{name}").click()
    return run(at)


def address(at: AppTest) -> str:
    value = at.query_params["lesson"]
    return value[0] if isinstance(value, list) else value


class TestWhichLesson:
    def test_opens_on_the_first_and_writes_it_to_the_address(self) -> None:
        at = page()
        assert address(at) == "1"
        assert LESSONS[0].question in seen(at)

    @pytest.mark.parametrize("number", range(1, 7))
    def test_each_has_its_own_link(self, number: int) -> None:
        at = page(str(number))
        assert LESSONS[number - 1].question in seen(at)
        assert address(at) == str(number)
        assert at.slider(key=f"lesson_slider_{number}").disabled

    @pytest.mark.parametrize("wrong", ["0", "7", "-1", "x", "", "³", "1.0", "<b>"])
    def test_an_unknown_one_is_the_first(self, wrong: str) -> None:
        at = page(wrong)
        assert LESSONS[0].question in seen(at)
        assert address(at) == "1"

    def test_next_and_previous(self) -> None:
        at = click(page("2"), "next")
        assert LESSONS[2].question in seen(at)
        assert address(at) == "3"
        at = click(click(at, "previous"), "previous")
        assert address(at) == "1"
        assert at.button(key="lesson_previous").disabled
        assert page("6").button(key="lesson_next").disabled

    def test_the_row_of_titles(self) -> None:
        at = page()
        at.segmented_control(key="lesson_number").set_value(4)
        at = run(at)
        assert LESSONS[3].question in seen(at)
        assert address(at) == "4"

    def test_an_address_that_changes_under_the_page_is_followed(self) -> None:
        at = click(page("3"), "next")
        at.query_params["lesson"] = "2"
        assert LESSONS[1].question in seen(run(at))

    def test_an_address_without_a_lesson_changes_nothing(self) -> None:
        at = page("3")
        del at.query_params["lesson"]
        at = run(at)
        assert LESSONS[2].question in seen(at)
        assert address(at) == "3"


class TestPredictMoveAnswer:
    def test_nothing_is_shown_before_the_prediction(self) -> None:
        at = page("3")
        assert lessons.DOCKER in seen(at)
        assert "Sentences cut" not in seen(at)
        assert "The law" not in seen(at)

    def test_a_prediction_opens_the_slider_but_not_the_answer(self) -> None:
        at = predict(page("3"), 3, "1")
        assert not at.slider(key="lesson_slider_3").disabled
        assert "Now move the slider to 10." in seen(at)
        assert "Survive 1 of 3" in seen(at)
        assert "The law" not in seen(at)

    def test_a_move_that_does_not_come_to_the_question_shows_no_answer(self) -> None:
        at = move(predict(page("3"), 3, "1"), 3, 8)
        assert "Survive 2 of 3" in seen(at)
        assert "The law" not in seen(at)

    def test_the_answer_to_a_wrong_prediction(self) -> None:
        at = move(predict(page("3"), 3, "1"), 3, 10)
        assert "You said 1. The answer is 3." in seen(at)
        assert "Survive 3 of 3" in seen(at)
        assert "at most overlap + 1 characters long: here 11." in seen(at)
        assert at.segmented_control(key="lesson_prediction_3").disabled

    def test_the_answer_to_a_right_one(self) -> None:
        at = move(predict(page("4"), 4, "1"), 4, 10)
        assert "You said 1, and so it is." in seen(at)
        assert "Plain loop 4 windows Nothing new 1 of them ragchunk 3 windows" in seen(at)
        assert "inside #2: nothing new" in seen(at)

    def test_the_answer_stays_while_the_slider_goes_on(self) -> None:
        at = move(move(predict(page("3"), 3, "3"), 3, 12), 3, 0)
        assert "You said 3, and so it is." in seen(at)
        assert "Survive 1 of 3" in seen(at)

    def test_start_over(self) -> None:
        at = click(move(predict(page("3"), 3, "1"), 3, 10), "again")
        assert "The law" not in seen(at)
        assert at.segmented_control(key="lesson_prediction_3").value is None
        assert at.slider(key="lesson_slider_3").value == 0
        assert at.slider(key="lesson_slider_3").disabled

    def test_another_lesson_and_back_keeps_what_was_said(self) -> None:
        at = click(move(predict(page("3"), 3, "1"), 3, 10), "next")
        assert "You said" not in seen(at)
        assert "You said 1. The answer is 3." in seen(click(at, "previous"))

    def test_the_cut_is_drawn(self) -> None:
        at = predict(page("3"), 3, "1")
        drawn = "".join(each.value for each in at.html)
        assert drawn.count('<span class="lost"') == 4  # two sentences, each in two windows
        drawn = "".join(each.value for each in move(at, 3, 10).html)
        assert 'class="lost"' not in drawn
        assert 'title="shared by #0 and #1, 10 characters"' in drawn

    @pytest.mark.parametrize("number", NEEDS_MODEL)
    def test_without_a_model_the_lesson_says_so(self, number: int) -> None:
        at = page(str(number))
        assert "needs the embedding model" not in seen(at)
        at = predict(at, number, LESSONS[number - 1].options[0])
        assert "needs the embedding model, which is not on this machine" in seen(at)
        target = LESSONS[number - 1].control.target
        assert "The law" not in seen(move(at, number, target))


@pytest.mark.model
class TestPageWithTheModel:
    @pytest.mark.parametrize(
        ("number", "prediction", "judged", "shown"),
        [
            (1, "higher, answer lost", "higher, answer lost, and so it is.", "Answer held 0 %"),
            (2, "about .90", "about .90. The answer is about .45.", "Mean of vectors .42"),
            (5, "about 1.5", "about 1.5. The answer is about 2.", "Stored 1.88 times over"),
            (6, "below .50", "below .50. The answer is 1.000.", "Cosine, plain 1.000"),
        ],
    )
    def test_predict_move_answer(
        self, number: int, prediction: str, judged: str, shown: str
    ) -> None:
        at = predict(page(str(number), model=True), number, prediction)
        assert "The law" not in seen(at)
        at = move(at, number, LESSONS[number - 1].control.target)
        assert f"You said {judged}" in seen(at)
        assert shown in seen(at)
        assert "Where it fails" in seen(at)

    def test_bars_keep_what_was_seen_and_nothing_else(self) -> None:
        at = move(predict(page("2", model=True), 2, "about .90"), 2, 3)
        drawn = "".join(each.value for each in at.html)
        assert re.search(r'aria-label="Cosine so far: 1\.000 at 1, \.\d{3} at 3"', drawn)

    def test_the_blind_tail_is_hatched(self) -> None:
        at = predict(page("6", model=True), 6, "1.000")
        assert "the model reads 254 of 2,396 tokens, to here" in seen(at)
        assert 'class="blind"' in "".join(each.value for each in at.html)
