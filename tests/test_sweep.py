from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest

from ragchunk import STRATEGIES, chunk, terminal
from ragchunk.corpus import Corpus
from ragchunk.documents import Document
from ragchunk.embedding import embed, embed_query
from ragchunk.errors import ModelError, RagchunkError, SettingsError
from ragchunk.evaluation.measures import MEASURES, Cutoff
from ragchunk.evaluation.questions import Question, answer_at
from ragchunk.evaluation.results import Results, default_results
from ragchunk.evaluation.setting import Setting, grid
from ragchunk.evaluation.sweep import Progress, estimate, sweep
from ragchunk.evaluation.trial import Result, measure, rankings
from ragchunk.search import cosines, rank, readable
from tests.encoders import Fixed, HashedWords, hashed_words
from tests.sweeping import CORPUS, CUTOFFS, QUESTIONS, SETTINGS, same

# Each word is one token, which counts where it starts.
WORDS = {
    source: [found.start() for found in re.finditer(r"\S+", text)]
    for source, text in CORPUS.documents
}

FIRST, BOTH = Cutoff(k=1), Cutoff(k=2)


def setting(name: str, **values: Any) -> Setting:
    return Setting(STRATEGIES[name](**values))


def swept(results: Results, jobs: int | None = 1, **changes: Any) -> list[Progress]:
    options: dict[str, Any] = {
        "cutoffs": CUTOFFS,
        "jobs": jobs,
        "results": results,
        "encoder": hashed_words,
    }
    return list(sweep(SETTINGS, CORPUS, QUESTIONS, **(options | changes)))


def test_a_setting_measured_by_hand():
    """Four chunks of 10 characters and a ranking that is given: 2 0 1 3, by their cosines."""
    text = "aaaa bbbbbcccc dddddeeee fffffgggg hhhhh"
    corpus = Corpus((Document("a.md", text),))
    vectors = {
        "aaaa bbbbb": [0.8, 0.6],
        "cccc ddddd": [0.6, 0.8],
        "eeee fffff": [1.0, 0.0],
        "gggg hhhhh": [0.0, 1.0],
        "where?": [1.0, 0.0],
    }
    # Characters 5 to 15: half of the first chunk and half of the second.
    question = Question("where?", (answer_at(corpus.documents[0], 5, 15),))
    found = measure(
        setting("window", size=10), corpus, [question], Fixed(vectors), [FIRST, BOTH, Cutoff(k=3)]
    )
    assert found.chunks == 4
    recalls = [scores.recall.tolist() for scores in found.scores.values()]
    assert recalls == [[0.0], [0.5], [1.0]]
    precisions = [scores.precision.tolist() for scores in found.scores.values()]
    assert precisions == [[0.0], [5 / 20], [10 / 30]]
    assert found.scores[BOTH].mrr.tolist() == [1 / 2]
    assert found.scores[BOTH].full.tolist() == [0.0]
    assert found.scores[BOTH].severed.tolist() == [1.0]
    assert found.scores[BOTH].omega.tolist() == [10 / 20]


def test_tokens_and_what_the_model_does_not_read():
    """A token a word: chunks of 3 and 2 words, of which the model reads 2 each."""
    corpus = Corpus((Document("a.md", "one two three four five"),))
    question = Question("five", (answer_at(corpus.documents[0], 19, 23),))
    cut = STRATEGIES["window"](size=3, unit="words")
    encoder = HashedWords(max_tokens=2)
    plain = measure(Setting(cut), corpus, [question], encoder, [FIRST])
    assert (plain.chunks, plain.tokens, plain.unread) == (2, 5, 1)
    averaged = measure(Setting(cut, "averaged"), corpus, [question], encoder, [FIRST])
    assert (averaged.chunks, averaged.tokens, averaged.unread) == (2, 5, 0)
    assert plain.scores[FIRST].tokens.tolist() == [2.0]


@pytest.mark.parametrize("each", SETTINGS, ids=lambda each: each.label)
def test_figures_are_those_of_counting_characters(each: Setting):
    """Recall, precision, tokens and rank, counted one character and one chunk at a time."""
    encoder = HashedWords()
    found = measure(each, CORPUS, QUESTIONS, encoder, CUTOFFS)
    chunks = chunk(CORPUS.documents, each.strategy)
    vectors = embed([one.text for one in chunks], encoder)
    assert found.chunks == len(chunks)
    for cutoff in CUTOFFS:
        scores = found.scores[cutoff]
        for number, question in enumerate(QUESTIONS):
            order = rank(
                cosines(embed_query(question.text, encoder), vectors),
                readable(vectors),
                len(chunks),
            )
            taken: list[int] = []
            spent = 0
            for at in order:
                starts = WORDS[chunks[at].source]
                cost = sum(chunks[at].start <= start < chunks[at].end for start in starts)
                full = len(taken) == cutoff.k if cutoff.k else spent + cost > (cutoff.budget or 0)
                if full and (taken or cutoff.k):
                    break
                taken.append(at)
                spent += cost
            inside = {(c.source, place) for c in chunks for place in range(c.start, c.end)}
            places = {
                (a.source, at)
                for a in question.answers
                for at in range(a.start, a.end)
                if (a.source, at) in inside or not CORPUS.texts[a.source][at].isspace()
            }
            held = {
                (chunks[at].source, place)
                for at in taken
                for place in range(chunks[at].start, chunks[at].end)
            }
            covered = len(places & held)
            paid = sum(len(chunks[at].text) for at in taken)
            assert scores.recall[number] == pytest.approx(covered / len(places))
            assert scores.precision[number] == pytest.approx(covered / paid)
            assert scores.tokens[number] == spent


def test_rankings_are_those_of_one_question_after_the_other():
    encoder = HashedWords()
    chunks = chunk(CORPUS.documents, STRATEGIES["window"](size=40))
    texts = [each.text for each in chunks] + ["?!", ""]
    vectors = embed(texts, encoder)
    queries = [each.text for each in QUESTIONS] + ["nothing that is known", "?!"]
    found = rankings(queries, vectors, encoder)
    for query, order in zip(queries[:-1], found[:-1].tolist(), strict=True):
        scores = cosines(embed_query(query, encoder), vectors)
        assert order == rank(scores, readable(vectors), len(texts))
        assert order[-2:] == [len(texts) - 2, len(texts) - 1]  # they have no vector
    assert set(found[-1].tolist()) == {-1}  # a question without words finds nothing


def test_many_questions_are_measured_in_parts_as_at_once(monkeypatch: pytest.MonkeyPatch):
    each = SETTINGS[0]
    whole = measure(each, CORPUS, QUESTIONS, HashedWords(), CUTOFFS)
    monkeypatch.setattr("ragchunk.evaluation.trial.CELLS", 2 * whole.chunks)
    same([measure(each, CORPUS, QUESTIONS, HashedWords(), CUTOFFS)], [whole])


def test_text_without_a_word_is_measured(tmp_path: Path):
    corpus = Corpus((Document("a.md", "?!"), Document("b.md", " \n"), Document("c.md", "")))
    question = Question("what?", (answer_at(corpus.documents[0], 0, 2),))
    found = measure(setting("window", size=5), corpus, [question], HashedWords(), [FIRST])
    assert (found.chunks, found.scores[FIRST].recall.tolist()) == (1, [1.0])


def test_threads_give_what_one_after_the_other_gives(tmp_path: Path):
    one = swept(Results(tmp_path / "one"))
    two = swept(Results(tmp_path / "two"), jobs=2)
    same([each.result for each in two], [each.result for each in one])
    assert [each.done for each in two] == list(range(1, len(SETTINGS) + 1))


def test_what_was_measured_before_a_stop_is_found_again(tmp_path: Path):
    whole = swept(Results(tmp_path / "whole"))
    results = Results(tmp_path / "stopped")
    options: dict[str, Any] = {"cutoffs": CUTOFFS, "results": results, "encoder": hashed_words}
    steps = sweep(SETTINGS, CORPUS, QUESTIONS, **options)
    before = [next(steps) for _ in range(5)]
    steps.close()
    assert [(each.done, each.known) for each in before] == [(n, 0) for n in (1, 2, 3, 4, 5)]
    results.close()

    again = swept(Results(tmp_path / "stopped"))
    assert [each.known for each in again] == [1, 2, 3, 4, *[5] * (len(SETTINGS) - 4)]
    assert again[0].pace is None
    same([each.result for each in again], [each.result for each in whole])

    all_known = swept(Results(tmp_path / "stopped"))
    assert [each.known for each in all_known] == list(range(1, len(SETTINGS) + 1))
    assert all_known[-1].left == 0.0
    same([each.result for each in all_known], [each.result for each in whole])


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_stopped_sweep_keeps_what_it_gave_and_ends(tmp_path: Path, jobs: int):
    options: dict[str, Any] = {"cutoffs": CUTOFFS, "jobs": jobs, "encoder": hashed_words}
    steps = sweep(SETTINGS, CORPUS, QUESTIONS, results=Results(tmp_path), **options)
    first = next(steps)
    steps.close()
    assert next(steps, None) is None
    again = swept(Results(tmp_path))
    assert again[-1].known == 1
    assert again[0].result.setting == first.result.setting


def test_nothing_of_another_corpus_question_cutoff_or_model_is_found(tmp_path: Path):
    results = Results(tmp_path)
    swept(results)
    known = [each.known for each in swept(results)]
    assert known[-1] == len(SETTINGS)
    other = Corpus((*CORPUS.documents, Document("more.md", "More text.")))
    for corpus, questions, cutoffs in (
        (other, QUESTIONS, CUTOFFS),
        (CORPUS, QUESTIONS[:-1], CUTOFFS),
        (CORPUS, QUESTIONS, CUTOFFS[:1]),
    ):
        [first, *_] = sweep(
            SETTINGS, corpus, questions, cutoffs=cutoffs, results=results, encoder=hashed_words
        )
        assert first.known == 0


def test_a_damaged_result_is_measured_again(tmp_path: Path):
    whole = swept(Results(tmp_path))
    with sqlite3.connect(tmp_path / "results.sqlite") as database:
        database.execute("UPDATE results SET data = substr(data, 1, length(data) - 1) || x'00'")
    database.close()
    again = swept(Results(tmp_path))
    assert again[-1].known == 0
    same([each.result for each in again], [each.result for each in whole])
    assert swept(Results(tmp_path))[-1].known == len(SETTINGS)


def test_a_folder_that_cannot_be_written_costs_no_more_than_measuring_again(tmp_path: Path):
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    results = Results(tmp_path / "file")
    assert swept(results)[-1].known == 0
    assert swept(results)[-1].known == 0
    assert results.problem


def test_the_command_cache_shows_and_clears_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RAGCHUNK_CACHE", str(tmp_path))
    swept(default_results())
    assert terminal.run(["cache"]) == 0
    out = capsys.readouterr().out
    assert f"Beside it results of {len(SETTINGS)} settings, 0." in out
    assert terminal.run(["cache", "--clear"]) == 0
    assert f"Removed results of {len(SETTINGS)} settings, 0." in capsys.readouterr().out
    assert terminal.run(["cache", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["results"], found["results_bytes"]) == (0, 0)
    assert swept(default_results())[-1].known == 0


def test_only_so_many_results_are_kept_the_newest(tmp_path: Path):
    results = Results(tmp_path, most=4)
    swept(results)
    assert swept(results)[-1].known == 4


def test_settings_given_twice_are_measured_once(tmp_path: Path):
    two = [SETTINGS[0], SETTINGS[0]]
    found = list(
        sweep(two, CORPUS, QUESTIONS, cutoffs=CUTOFFS, results=Results(tmp_path),
              encoder=hashed_words)
    )  # fmt: skip
    assert [(each.done, each.total) for each in found] == [(1, 1)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"settings": []}, "The sweep is empty"),
        ({"questions": []}, "There is no question to measure with"),
        ({"cutoffs": []}, "There is no cut-off"),
        ({"most": 3}, f"{len(SETTINGS)} settings are more than 3"),
        ({"model": "no-such/model"}, "was not found on this machine"),
    ],
)
def test_what_cannot_be_swept_is_said_at_once(changes: dict[str, object], words: str):
    options: dict[str, Any] = {
        "settings": SETTINGS,
        "corpus": CORPUS,
        "questions": QUESTIONS,
    } | changes
    with pytest.raises((SettingsError, ModelError), match=words):
        sweep(**options)


def test_an_answer_that_is_nowhere_ends_the_sweep_with_its_reason(tmp_path: Path):
    lost = Question("where?", (answer_at(("gone.md", "some text"), 0, 4),))
    for jobs in (1, 2):
        with pytest.raises(SettingsError, match=r"An answer is in gone\.md"):
            list(sweep(SETTINGS, CORPUS, [lost], results=Results(tmp_path), jobs=jobs,
                       encoder=hashed_words))  # fmt: skip


def test_a_way_that_cannot_be_had_ends_the_sweep_with_its_reason(tmp_path: Path):
    late = [Setting(SETTINGS[0].strategy, "late")]
    with pytest.raises(SettingsError, match="needs an encoder with token_sums"):
        list(sweep(late, CORPUS, QUESTIONS, results=Results(tmp_path), encoder=hashed_words))


class Broken(HashedWords):
    def encode(self, texts: Sequence[str]) -> np.ndarray:
        raise ZeroDivisionError


def broken(name: str) -> Broken:
    return Broken()


def test_an_error_of_the_program_names_the_setting(tmp_path: Path):
    with pytest.raises(RagchunkError, match="Fixed window 20/0 characters, plain could not be"):
        list(sweep(SETTINGS, CORPUS, QUESTIONS, results=Results(tmp_path), encoder=broken))


def test_an_estimate_is_of_what_is_not_measured_yet():
    def result(number: int, seconds: float) -> Result:
        return Result(SETTINGS[number], 1, 1, 0, seconds, {})

    measured = [result(0, 1.0), result(4, 3.0)]
    assert estimate(SETTINGS[:6], measured) == 8.0  # four are left, of two seconds each
    assert estimate(SETTINGS[:6], measured, jobs=2) == 4.0
    assert np.isnan(estimate(SETTINGS, []))


def dies_once(name: str) -> HashedWords:
    """Kills the process the first time that any process calls it."""
    try:
        os.close(os.open(os.environ["RAGCHUNK_TEST_MARK"], os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return HashedWords()
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def always_dies(name: str) -> HashedWords:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_processes_give_the_same_though_one_of_them_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RAGCHUNK_TEST_MARK", str(tmp_path / "mark"))
    serial = [each.result for each in swept(Results(tmp_path / "serial"))]
    with joblib.parallel_config("loky", n_jobs=2):
        found = swept(Results(tmp_path / "killed"), jobs=None, encoder=dies_once)
    assert (tmp_path / "mark").exists()
    same([each.result for each in found], serial)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_workers_that_always_die_end_the_sweep_with_a_way_out(tmp_path: Path):
    with (
        joblib.parallel_config("loky", n_jobs=2),
        pytest.raises(RagchunkError, match=r"Workers died .* 3 times in a row") as caught,
    ):
        swept(Results(tmp_path), jobs=None, encoder=always_dies)
    assert f"{len(SETTINGS)} settings are left" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_all_measures_are_in_a_result():
    found = measure(SETTINGS[0], CORPUS, QUESTIONS, HashedWords(), CUTOFFS)
    for cutoff in CUTOFFS:
        assert set(found.scores[cutoff].means()) == {each.name for each in MEASURES}


def test_the_default_grid_is_swept_by_no_strategy_that_is_not_listed():
    assert {each.strategy.name for each in grid()} == set(STRATEGIES)
