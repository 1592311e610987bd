"""The commands evaluate and sweep, in this process with an encoder of hashed words."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragchunk import measuring, sweep_command, terminal
from ragchunk.evaluation.questions import Question, answer_at, to_jsonl
from ragchunk.evaluation.sweep import Progress
from tests.encoders import HashedWords, hashed_words
from tests.sweeping import CORPUS, QUESTIONS

Answer = tuple[int, str, str]
Run = Callable[..., Answer]
ROOT = Path(__file__).parents[1]


class LateWords(HashedWords):
    """Its late vectors are of no use, and are there."""

    def token_sums(self, text: str) -> Any:
        class Sums:
            def vectors(self, spans: Sequence[tuple[int, int]]) -> np.ndarray:
                return np.ones((len(spans), 64), dtype=np.float32) / 8

        return Sums()


def late_words(name: str) -> LateWords:
    return LateWords()


class Interrupted(HashedWords):
    """Ctrl-C comes at a call of `encode` whose number is told."""

    calls = 0
    at = 0

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        Interrupted.calls += 1
        if Interrupted.calls == Interrupted.at:
            raise KeyboardInterrupt
        return super().encode(texts)


def interrupted(name: str) -> Interrupted:
    return Interrupted()


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command: status, output, errors. Its results are kept for the test alone."""
    monkeypatch.setenv("RAGCHUNK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(measuring, "load_encoder", hashed_words)

    def run(*arguments: object) -> Answer:
        status = terminal.run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents of four words each, and a question about each."""
    texts = {"a.md": "bees dance at night", "b.md": "bread needs salt today"}
    for name, text in texts.items():
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    asked = [
        Question("where do bees dance", (answer_at(("a.md", texts["a.md"]), 11, 19),)),
        Question("what about salt", (answer_at(("b.md", texts["b.md"]), 0, 5),)),
    ]
    (tmp_path / "asked.jsonl").write_text(to_jsonl(asked), encoding="utf-8")
    return tmp_path


def sweeping(folder: Path, repeat: int = 1) -> list[str]:
    """The documents and questions of tests/sweeping.py as arguments; questions may be repeated."""
    (folder / "more").mkdir(exist_ok=True)
    for source, text in CORPUS.documents:
        (folder / "more" / source).write_text(text, encoding="utf-8")
    asked = [
        Question(each.text + "?" * number, each.answers)
        for number in range(repeat)
        for each in QUESTIONS
    ]
    (folder / "more.jsonl").write_text(to_jsonl(asked), encoding="utf-8")
    return [str(folder / "more"), "--questions", str(folder / "more.jsonl")]


def test_evaluate_prints_what_is_worked_out_by_hand(folder: Path, run: Run):
    """A finds both documents first; B's first chunk never holds the answer, its four hold all."""
    status, out, err = run(
        "evaluate", folder / "docs", "--questions", folder / "asked.jsonl", "--strategy", "whole",
        "--against", "window:2:words", "--k", "1", "--budget", "8",
    )  # fmt: skip
    assert (status, err) == (0, "")
    # B has "salt today" first for the second question, and then the others as they stand: "bread
    # needs", which holds the answer, is the fourth. In A 8 of 19 and 5 of 22 characters are answer,
    # of both documents 8 and 5 of 41; B's chunks leave out white space, and have 39 together.
    assert out == (
        "A  Whole document, plain: 2 chunks, 8 tokens\n"
        "B  Fixed window 2/0 words, plain: 4 chunks, 8 tokens\n"
        "\n"
        "2 questions              at 8 tokens        at 1 chunk\n"
        "                          A        B        A        B\n"
        "Recall                100.0    100.0    100.0      0.0\n"
        "Full answer           100.0    100.0    100.0      0.0\n"
        "Precision              15.9     16.7     32.4      0.0\n"
        "IoU                    15.9     16.7     32.4      0.0\n"
        "Precision-omega        32.4     72.7     32.4     72.7\n"
        "Hit rate              100.0    100.0    100.0      0.0\n"
        "MRR                   100.0     37.5    100.0      0.0\n"
        "nDCG                  100.0     53.1    100.0      0.0\n"
        "Answers found         100.0    100.0    100.0      0.0\n"
        "Severed                 0.0      0.0      0.0      0.0\n"
        "Unique text           100.0    100.0    100.0    100.0\n"
        "Tokens                    8        8        4        2\n"
        "\n"
        "A and B, Recall at 8 tokens: 2 questions: counts only, no winner. A is ahead on 0, B on "
        "0, and 2 are equal.\n"
        "A and B, Recall at 1 chunk: 2 questions: counts only, no winner. A is ahead on 2, B on 0, "
        "and 0 are equal.\n"
    )


def test_the_same_setting_again_is_measured_once_and_that_is_said(folder: Path, run: Run):
    status, out, err = run(
        "evaluate", folder / "docs", "--questions", folder / "asked.jsonl", "--strategy", "whole",
        "--against", "whole", "--against", "window:2/0:words", "--against", "window:2:words:plain",
    )  # fmt: skip
    assert status == 0
    assert out.startswith("A  Whole document, plain: 2 chunks, 8 tokens\nB  Fixed window 2/0 words")
    assert "\nC  " not in out
    assert err == (
        "ragchunk: note: --against whole is the same setting as A, and is measured once.\n"
        "ragchunk: note: --against window:2:words:plain is the same setting as B, and is measured "
        "once.\n"
    )


def test_evaluate_as_json(folder: Path, run: Run):
    status, out, _ = run(
        "evaluate", folder / "docs", "--questions", folder / "asked.jsonl", "--strategy", "whole",
        "--against", "window:2/0:words", "--k", "1", "--json",
    )  # fmt: skip
    assert status == 0
    assert out.isascii()
    found = json.loads(out)
    assert found["recipe"]["cutoffs"] == [{"k": 1, "budget": None}, {"k": None, "budget": 1000}]
    assert [row["measures"]["k1"]["recall"] for row in found["rows"]] == [1.0, 0.0]
    [first, second] = found["comparisons"]
    assert (first["cutoff"], first["difference"], first["wins"]) == ("k1", 1.0, 2)
    assert (second["cutoff"], second["difference"], second["ties"]) == ("budget1000", 0.0, 2)
    [bees, salt] = found["questions"]
    assert bees["question"] == "where do bees dance"
    assert [each["k1"]["recall"] for each in bees["settings"]] == [1.0, 0.0]
    # B's first hit has the words of the question; behind it no chunk has one, so that they come as
    # they stand, and the second holds the answer.
    assert [each["complete_after_tokens"] for each in bees["settings"]] == [4, 4]
    assert salt["settings"][0]["complete_after_tokens"] == 4
    assert [each["k1"]["verdict"] for each in bees["settings"]] == [
        "whole, rank 1",
        "not in 1 chunk",
    ]
    assert bees["settings"][1]["budget1000"]["verdict"] == "whole, rank 2"


def test_evaluate_says_what_each_question_got(folder: Path, run: Run):
    status, out, _ = run(
        "evaluate", folder / "docs", "--questions", folder / "asked.jsonl", "--strategy", "whole",
        "--against", "window:2/0:words", "--k", "1", "--each",
    )  # fmt: skip
    assert status == 0
    assert out.endswith(
        "\n"
        "where do bees dance\n"
        "  A  whole, rank 1; complete after 4 tokens\n"
        "  B  not in 1 chunk; complete after 4 tokens\n"
        "\n"
        "what about salt\n"
        "  A  whole, rank 1; complete after 4 tokens\n"
        "  B  not in 1 chunk; complete after 8 tokens\n"
    )


def test_what_is_wrong_with_questions_is_told_with_its_line_and_the_rest_is_used(
    folder: Path, run: Run
):
    good = (folder / "asked.jsonl").read_text("utf-8").splitlines()
    moved = good[0].replace('"start": 11, "end": 19', '"start": 0, "end": 8')
    rows = [
        "not JSON",
        moved,
        good[1].replace('"bread"', '"cake!"'),
        good[1].replace("b.md", "gone.md").replace('"document_hash"', '"was"'),
        '{"question": "who?", "answers": []}',
        good[1].replace('"start": 0, "end": 5', '"start": 400, "end": 405'),
        good[1].replace('"start": 0, "end": 5', '"start": 5, "end": 5'),
    ]
    (folder / "asked.jsonl").write_text("\n".join(rows), encoding="utf-8")
    status, out, err = run(
        "evaluate", folder / "docs", "--questions", folder / "asked.jsonl", "--strategy", "whole"
    )
    assert status == 0
    assert "\n2 questions " in out
    notes = [line.removeprefix("ragchunk: note: asked.jsonl, ") for line in err.splitlines()]
    assert [note.partition(":")[0] for note in notes] == [
        "line 1", "line 4", "line 5", "line 6", "line 7", "line 2", "line 3", "line 4", "line 6",
    ]  # fmt: skip
    assert notes[5] == 'line 2: "at night" was found again at 11 of a.md.'
    assert notes[6] == (
        'line 3: "cake!" does not stand at 0 to 5 of b.md, nor elsewhere in it. '
        "The question is left out."
    )
    assert notes[7] == "line 4: gone.md is not among the documents. The question is left out."
    assert notes[8] == 'line 6: "bread" was found again at 0 of b.md.'


def test_many_notes_are_counted(folder: Path, run: Run):
    good = (folder / "asked.jsonl").read_text("utf-8")
    (folder / "asked.jsonl").write_text("wrong\n" * 30 + good, encoding="utf-8")
    status, _, err = run(
        "evaluate", folder / "docs", "--questions", folder / "asked.jsonl", "--strategy", "whole"
    )
    lines = err.splitlines()
    assert (status, len(lines)) == (0, 21)
    assert lines[-1] == "ragchunk: note: asked.jsonl: 10 more like these."


def test_documents_in_a_question_file_are_added(folder: Path, run: Run):
    squad = {
        "data": [
            {
                "title": "Moon",
                "paragraphs": [
                    {
                        "context": "The moon is round.",
                        "qas": [
                            {
                                "id": "1",
                                "question": "what is round",
                                "answers": [{"text": "moon", "answer_start": 4}],
                            }
                        ],
                    }
                ],
            }
        ]
    }
    (folder / "squad.json").write_text(json.dumps(squad), encoding="utf-8")
    status, out, err = run(
        "evaluate", folder / "docs", "--questions", folder / "squad.json", "--strategy", "whole"
    )
    assert (status, err) == (
        0, "ragchunk: note: squad.json brings 1 documents: they are added.\n"
    )  # fmt: skip
    assert out.startswith("A  Whole document, plain: 3 chunks")


def test_sweep_prints_the_best_first_and_what_to_take(folder: Path, run: Run):
    arguments = sweeping(folder, repeat=2)
    status, out, err = run(
        "sweep", *arguments, "--strategies", "whole,window", "--sizes", "4", "--overlaps", "0",
        "--vectors", "plain", "--budget", "8",
    )  # fmt: skip
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "2 settings on 16 questions, by Recall at 8 tokens."
    assert lines[1] == "> to take, = cannot be told apart from the best"
    heads = ["Recall", "95 %", "Best in", "Read", "Tokens", "Stored", "Setting"]
    assert [lines[4].index(head) for head in heads] == sorted(lines[4].index(h) for h in heads)
    recalls = [float(line[2:].split()[0]) for line in lines[5:7]]
    assert recalls == sorted(recalls, reverse=True)
    assert lines[-1].startswith("Take ")


def test_sweep_with_few_questions_counts(folder: Path, run: Run):
    """Whole documents hold every answer; one of two is found at once for both questions."""
    status, out, err = run(
        "sweep", folder / "docs", "--questions", folder / "asked.jsonl", "--strategies", "whole",
        "--vectors", "plain", "--k", "1",
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert out == (
        "1 setting on 2 questions, by Recall at 1 chunk.\n"
        "Read: tokens until the answer is complete. Tokens: of the hits. Stored: of all chunks.\n"
        "\n"
        "Recall  Answered  Read  Tokens  Stored  Setting\n"
        " 100.0    2 of 2     4       4       8  Whole document, plain\n"
        "\n"
        "2 questions: counts only, no winner. 15 are the fewest to compare on.\n"
    )


def test_sweep_holds_out_and_says_so(folder: Path, run: Run):
    arguments = [*sweeping(folder, repeat=3), "--strategies", "window,whole", "--vectors", "plain"]
    status, out, _ = run("sweep", *arguments, "--sizes", "4", "--hold-out")
    assert status == 0
    assert out.startswith("4 settings on 17 questions")
    assert "Held out" in out
    assert "On 7 questions held out its Recall is" in out
    status, out, _ = run("sweep", *arguments, "--sizes", "4", "--hold-out", "0.5")
    assert out.startswith("4 settings on 12 questions")


def test_sweep_as_csv_and_json_that_runs_again(folder: Path, run: Run):
    arguments = [*sweeping(folder), "--strategies", "window,recursive", "--sizes", "4,8"]
    options = ["--overlaps", "0,.5", "--vectors", "plain", "--budget", "12", "--k", "2"]
    _, as_json, _ = run("sweep", *arguments, *options, "--json")
    assert as_json.isascii()
    first = json.loads(as_json)
    assert len(first["rows"]) == 8
    _, as_csv, _ = run("sweep", *arguments, *options, "--csv")
    rows = list(csv.DictReader(io.StringIO(as_csv)))
    assert [row["label"] for row in rows] == [row["label"] for row in first["rows"]]
    for row, other in zip(rows, first["rows"], strict=True):
        assert float(row["recall@budget12"]) == other["measures"]["budget12"]["recall"]

    (folder / "first.json").write_text(as_json, encoding="utf-8")
    status, again, err = run("sweep", *arguments[:3], "--again", folder / "first.json", "--json")
    assert (status, err) == (0, "")
    assert json.loads(again)["rows"] == first["rows"]
    assert json.loads(again)["recipe"] == first["recipe"]

    (folder / "more" / "new.md").write_text("One more.", encoding="utf-8")
    status, _, err = run("sweep", *arguments[:3], "--again", folder / "first.json", "--json")
    assert (status, err) == (
        0, "ragchunk: note: The documents are not those of the first run.\n"
    )  # fmt: skip


@pytest.fixture
def first(folder: Path, run: Run) -> tuple[list[str], dict[str, Any]]:
    """A sweep judged in its own way and written to first.json: where it ran, and what it said."""
    ground = sweeping(folder, repeat=3)
    status, out, _ = run(
        "sweep", *ground, "--strategies", "window,whole", "--sizes", "4,8", "--vectors", "plain",
        "--k", "2", "--measure", "mrr", "--hold-out", "0.4", "--seed", "7", "--json",
    )  # fmt: skip
    assert status == 0
    (folder / "first.json").write_text(out, encoding="utf-8")
    return [*ground, "--again", str(folder / "first.json")], json.loads(out)


def test_again_is_the_same_run_by_the_same_measure_seed_and_share_held_out(first, run: Run):
    arguments, said = first
    assert said["choice"]["held_out_questions"] == 10  # of 24, and 0.4 of 24 is 9.6
    status, out, err = run("sweep", *arguments, "--json")
    assert (status, err) == (0, "")
    assert json.loads(out) == said
    assert said["choice"] | {"measure": "mrr", "cutoff": "k2", "seed": 7} == said["choice"]


def test_again_may_be_judged_anew_and_nothing_else(folder: Path, first, run: Run):
    arguments, _ = first
    _, out, _ = run(
        "sweep", *arguments, "--json", "--measure", "recall", "--hold-out", "0", "--seed", "1"
    )
    choice = json.loads(out)["choice"]
    assert [choice[name] for name in ("measure", "cutoff", "seed", "held_out_questions")] == [
        "recall", "k2", 1, 0,
    ]  # fmt: skip
    for options in (
        ["--strategies", "window"], ["--sizes", "4"], ["--overlaps", "0"], ["--unit", "tokens"],
        ["--tail", "keep"], ["--vectors", "late"], ["--model", "m"], ["--k", "5"],
        ["--budget", "9", "--sizes", "4"],
    ):  # fmt: skip
        status, out, err = run("sweep", *arguments, *options)
        assert (status, out) == (2, "")
        named = ", ".join(sorted(options[::2], reverse=True))
        assert err == (
            f"ragchunk: error: {named} cannot stand beside --again: {folder / 'first.json'} says "
            "it. Leave it out, or make a sweep of its own.\n"
        )


def test_again_by_a_measure_of_which_less_is_better_has_the_best_first(
    folder: Path, first, run: Run
):
    arguments, said = first
    said["choice"]["measure"] = "severed"
    (folder / "first.json").write_text(json.dumps(said), encoding="utf-8")
    status, out, _ = run("sweep", *arguments, "--hold-out", "0")
    lines = out.splitlines()
    assert (status, lines[4].split()[0]) == (0, "Severed")
    shares = [float(line[2:].split()[0]) for line in lines[5 : 5 + len(said["rows"])]]
    assert shares == sorted(shares)
    assert shares[0] < shares[-1]


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["recipe", "settings"], None, "a value in it is not of the kind it should be"),
        (["recipe", "settings", 0, "model"], 5, "Model 5 must be a name or a folder."),
        (["recipe", "model"], 5, "a value in it is not of the kind it should be"),
        (["recipe", "cutoffs", 0, "k"], 10**20, "is too large: it must be at most 1,000,000,000"),
        (["recipe", "cutoffs", 0], {"k": 1}, '"budget" is missing'),
        (["choice"], 5, "a value in it is not of the kind it should be"),
        (["choice"], {}, '"held_out_questions" is missing'),
        (["choice", "measure"], "luck", "Measure 'luck' is not known"),
        (["choice", "cutoff"], "k3", "Cut-off 'k3' is not known. Choose one of: k2, budget1000."),
        (["choice", "cutoff"], ["k2"], "Cut-off ['k2'] is not known"),
        (["choice", "seed"], -1, "Seed -1 is too small"),
        (["choice", "questions"], "9", "questions must be an integer"),
    ],
)
def test_results_that_were_damaged_are_refused_in_words(
    folder: Path, first, run: Run, path: list[Any], value: object, words: str
):
    arguments, said = first
    place = said
    for each in path[:-1]:
        place = place[each]
    place[path[-1]] = value
    (folder / "first.json").write_text(json.dumps(said), encoding="utf-8")
    status, out, err = run("sweep", *arguments)
    assert (status, out) == (2, "")
    assert words in err
    assert "Error(" not in err
    assert err.count("\n") == 1


def test_late_sizes_that_need_a_word_of_caution(folder: Path, run: Run, monkeypatch):
    monkeypatch.setattr(measuring, "load_encoder", late_words)
    _, _, err = run("sweep", *sweeping(folder), "--strategies", "window", "--sizes", "64,254,400")
    assert err.splitlines() == [
        "ragchunk: note: Late vectors flatter chunks of 64 tokens and fewer, by 4 to 9 points of "
        "recall.",
        "ragchunk: note: Sizes over the 254 tokens that the model reads do better with late "
        "vectors than with plain ones, by 8 to 20 points of recall: measure in the way you will "
        "use.",
    ]
    _, _, err = run("sweep", *sweeping(folder), "--strategies", "window", "--sizes", "65,254")
    assert err == ""


def test_threads_print_the_same(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch):
    arguments = [*sweeping(folder), "--vectors", "plain", "--sizes", "4,8,12"]
    one = run("sweep", *arguments)
    monkeypatch.setenv("RAGCHUNK_CACHE", str(folder / "other"))
    assert run("sweep", *arguments, "--jobs", "2") == one


def test_a_sweep_that_is_interrupted_says_what_is_kept_and_goes_on(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
):
    arguments = [*sweeping(folder), "--vectors", "plain", "--strategies", "window", "--sizes", "4"]
    monkeypatch.setattr(measuring, "load_encoder", interrupted)
    # Each setting has its chunks encoded at once, and eight questions one by one.
    monkeypatch.setattr(Interrupted, "calls", 0)
    monkeypatch.setattr(Interrupted, "at", 10)
    assert run("sweep", *arguments) == (
        terminal.INTERRUPTED,
        "",
        "ragchunk: note: Stopped: 1 of 3 settings are measured and kept; the same command goes on "
        "from there.\n",
    )
    status, out, _ = run("sweep", *arguments)
    assert (status, Interrupted.calls) == (0, 10 + 2 * 9)  # the two that were left
    assert out.startswith("3 settings on 8 questions")


def test_a_very_large_sweep_is_refused_with_an_estimate(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sweep_command, "MOST_SETTINGS", 10)
    arguments = [*sweeping(folder), "--vectors", "plain", "--strategies", "window,sentences"]
    sizes = ["--sizes", "4,5,6,7,8,9", "--overlaps", "0"]
    status, out, err = run("sweep", *arguments, *sizes)
    assert (status, out) == (2, "")
    assert err.startswith("ragchunk: error: 12 settings are more than 10, and would take about ")
    assert err.endswith(" s. Leave out sizes or overlaps, or add --yes.\n")
    status, out, _ = run("sweep", *arguments, *sizes, "--yes")
    assert (status, out.splitlines()[0]) == (
        0,
        "12 settings on 8 questions, by Recall at 1,000 tokens.",
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--k", "0"], "k 0 is too small"),
        (["--k", "99999999999999999999"], "it must be at most 1,000,000,000"),
        (["--budget", "-5"], "Budget -5 is too small"),
        (["--measure", "luck"], "Measure 'luck' is not known. Choose one of: recall, full"),
        (["--measure", "tokens"], "Measure 'tokens' is not known"),
        (["--size", "5", "--overlap", "5"], "Overlap 5 must be smaller than size 5"),
        (["--against", "magic"], "Strategy 'magic' is not known"),
        (["--against", "window:big"], "'big' is no SIZE/OVERLAP, unit or way"),
        (["--against", "window:5/5"], "Overlap 5 must be smaller than size 5"),
        (["--model", "no-such/model"], '"no-such/model" was not found'),
        (["--vectors", "best"], 'There is no way "best"'),
        (["--vectors", "late"], "needs an encoder with token_sums"),
    ],
)
def test_what_evaluate_refuses(folder: Path, run: Run, options: list[str], words: str):
    status, out, err = run(
        "evaluate", folder / "docs", "--questions", folder / "asked.jsonl", *options
    )
    assert (status, out) == (2, "")
    assert err.startswith("ragchunk: error: ")
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--strategies", ","], "The sweep is empty"),
        (["--strategies", "magic"], "Strategy 'magic' is not known"),
        (["--sizes", "ten"], "--sizes: 'ten' is no number"),
        (["--sizes", "0"], "Size 0 is too small"),
        (["--overlaps", "2"], "Overlap 2.0 must be a share of the size"),
        (["--unit", "lines"], "Unit 'lines' is not known"),
        (["--tail", "wag"], "Tail 'wag' is not known"),
        (["--sizes", ""], "The sweep is empty: --sizes names nothing"),
        (["--sizes", " , "], "The sweep is empty: --sizes names nothing"),
        (["--overlaps", ""], "The sweep is empty: --overlaps names nothing"),
        (["--hold-out", "1"], "Holding out 100 % of 2 questions leaves none on one side"),
        (["--hold-out", "-1"], "Holding out -100 % of 2 questions leaves none on one side"),
        (["--hold-out", "30"], "give a share between 0 and 1"),
        (["--hold-out", "nan"], "Holding out nan %"),
        (["--hold-out", "inf"], "Holding out inf %"),
        (["--hold-out", "0.001"], "Holding out 0.1 % of 2 questions"),
        (["--seed", "-1"], "Seed -1 is too small: it must be at least 0"),
        (["--k", "99999999999999999999"], "k 99999999999999999999 is too large"),
        (["--budget", "99999999999999999999"], "Budget 99999999999999999999 is too large"),
        (["--jobs", "99999999999999999999"], "Jobs 99999999999999999999 is too large"),
        (["--measure", "severed"], "Measure 'severed' is not known"),
        (["--json", "--csv"], "not allowed with argument"),
        (["--again", "no-such-file"], "no-such-file could not be read"),
        (["--jobs", "many"], "invalid int value"),
        (["--jobs", "0"], "0 jobs"),
    ],
)
def test_what_sweep_refuses_before_any_work(
    folder: Path, run: Run, options: list[str], words: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(measuring, "load_encoder", interrupted)
    monkeypatch.setattr(Interrupted, "calls", 0)
    status, out, err = run(
        "sweep", folder / "docs", "--questions", folder / "asked.jsonl", "--vectors", "plain",
        *options,
    )  # fmt: skip
    assert (status, out) == (2, "")
    assert err.startswith("ragchunk: error: ")
    assert words in err
    assert err.count("\n") == 1
    assert Interrupted.calls == 0, "nothing was encoded"


@pytest.mark.parametrize("command", ["evaluate", "sweep"])
def test_question_files_that_are_of_no_use(folder: Path, run: Run, command: str):
    plain = ["--vectors", "plain"]
    status, out, err = run(command, folder / "docs", *plain)
    assert (status, out) == (2, "")
    assert "--questions" in err
    for data, words in [
        (b"", "asked.jsonl holds no question that can be read. It is empty."),
        (b"wrong", "asked.jsonl holds no question that can be read."),
        (b'{"question": "who?", "answers": []}', "None of the 1 questions in asked.jsonl can be"),
    ]:
        (folder / "asked.jsonl").write_bytes(data)
        status, out, err = run(
            command, folder / "docs", "--questions", folder / "asked.jsonl", *plain
        )
        assert (status, out) == (2, "")
        assert words in err.splitlines()[-1]
    status, _, err = run(command, folder / "docs", "--questions", folder / "none.jsonl", *plain)
    assert status == 2
    assert f"{folder / 'none.jsonl'} could not be read: No such file or directory.\n" in err
    status, _, err = run(command, folder / "none", "--questions", folder / "asked.jsonl", *plain)
    assert (status, "does not exist" in err) == (2, True)


def test_progress_says_rate_and_what_is_left():
    def progress(done: int, pace: float | None) -> Progress:
        return Progress(None, done, 85, 2, 9.0, pace)  # type: ignore[arg-type]

    assert measuring.told(progress(2, None)) == "2 of 85 settings"
    assert measuring.told(progress(5, 0.25)) == "5 of 85 settings, 4.0 a second, about 20 s left"
    assert measuring.told(progress(5, 9.0)) == "5 of 85 settings, 0.1 a second, about 12 min left"
    assert measuring.told(progress(85, 0.25)) == "85 of 85 settings"
    assert measuring.duration(9_000) == "2.5 h"


@pytest.mark.parametrize("name", ["evaluate", "sweep"])
def test_a_folder_of_that_name_is_cut_with_a_dot(folder: Path, name: str):
    (folder / name).mkdir()
    (folder / name / "a.txt").write_text("One.", encoding="utf-8")
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "ragchunk", f"./{name}"]
    done = subprocess.run(
        command, check=False, cwd=folder, env=env, capture_output=True, text=True, timeout=120
    )
    assert (done.stdout, done.stderr) == ("1 document -> 1 chunk\n  a.txt#0: 'One.'\n", "")
