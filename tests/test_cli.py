from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragchunk import STRATEGIES, Hit, chunk, load_documents, terminal
from ragchunk.figures import figures
from tests import made
from tests.encoders import HashedWords

ROOT = Path(__file__).parents[1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three documents that windows of 20 characters cut into seven chunks."""
    (tmp_path / "more").mkdir()
    (tmp_path / "a.txt").write_text("abcdefghij" * 5, encoding="utf-8")
    (tmp_path / "b.md").write_text("Nginx sits in front.\nIt's here.", encoding="utf-8")
    (tmp_path / "more" / "c.md").write_text("Docker packs the app — é.", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    return tmp_path


def command(*arguments: str | Path, **changes: Any) -> subprocess.CompletedProcess[str]:
    options: dict[str, Any] = {"capture_output": True, "encoding": "utf-8", "timeout": 120}
    options |= {"cwd": ROOT} | changes
    return subprocess.run(
        [sys.executable, "-m", "ragchunk", *map(str, arguments)], check=False, **options
    )


Answer = tuple[int, str, str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """The command in this process, with an encoder of hashed words: status, output, errors."""
    monkeypatch.setattr(terminal, "load_encoder", lambda name: HashedWords())

    def run(*arguments: str | Path) -> Answer:
        status = terminal.run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_literal_output(folder: Path):
    done = command(folder, "--size", "20", "--overlap", "5")
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout == (
        "3 documents -> 7 chunks\n"
        "  a.txt#0: 'abcdefghijabcdefghij'\n"
        "  a.txt#1: 'fghijabcdefghijabcde'\n"
        "  a.txt#2: 'abcdefghijabcdefghij'\n"
    )


def test_hits_are_printed_like_chunks(folder: Path, run):
    status, out, err = run(folder, "--query", "docker packs nginx", "--k", "2")
    assert (status, err) == (0, "")
    assert out == (
        "3 documents -> 3 chunks\n"
        "  a.txt#0: 'abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij'\n"
        '  b.md#0: "Nginx sits in front.\\nIt\'s here."\n'
        "  more/c.md#0: 'Docker packs the app — é.'\n"
        "[0.471] more/c.md#0: 'Docker packs the app — é.'\n"
        '[0.236] b.md#0: "Nginx sits in front.\\nIt\'s here."\n'
    )


def test_one_is_not_many(tmp_path: Path, run):
    (tmp_path / "long.txt").write_text("word " * 40, encoding="utf-8")
    _, out, _ = run(tmp_path, "--strategy", "whole")
    assert out == f"1 document -> 1 chunk\n  long.txt#0: {('word ' * 12)!r}\n"


@pytest.mark.parametrize(("k", "hits"), [("1", 1), ("3", 3), ("99", 7), ("9" * 30, 7)])
def test_k_hits_or_as_many_as_there_are(folder: Path, run, k: str, hits: int):
    _, out, _ = run(folder, "--size", "20", "--overlap", "5", "--query", "app", "--k", k)
    assert len(out.splitlines()) == 1 + 3 + hits


def test_a_score_of_nearly_nothing_has_no_sign(folder: Path, run, monkeypatch):
    [one] = chunk([("b.md", "a")], STRATEGIES["whole"]())
    monkeypatch.setattr(terminal, "top_hits", lambda *_: [Hit(1, -0.0001, one)])
    assert run(folder, "--query", "app")[1].endswith("[0.000] b.md#0: 'a'\n")


def pdf_of_three_pages() -> bytes:
    texts = [
        "The stove is lit in November.",
        "Amara certainly keeps keys.",
        "The boat sleeps until spring.",
    ]
    return made.pdf([[(72, 800, 10, "ACME report"), *made.lines([text])] for text in texts])


def test_every_format_is_read_and_a_hit_says_its_page(tmp_path: Path, run):
    (tmp_path / "report.pdf").write_bytes(pdf_of_three_pages())
    options = ["--size", "30", "--overlap", "0", "--query", "Amara", "--k", "1"]
    status, out, err = run(tmp_path, *options)
    assert (status, out) == (
        0,
        "1 document -> 3 chunks\n"
        "  report.pdf#0, p. 1: 'The stove is lit in November.\\n'\n"
        "  report.pdf#1, p. 2: '\\nAmara certainly keeps keys.\\n\\n'\n"
        "  report.pdf#2, p. 3: 'The boat sleeps until spring.'\n"
        "[0.500] report.pdf#1, p. 2: '\\nAmara certainly keeps keys.\\n\\n'\n",
    )
    assert err == (
        "ragchunk: note: report.pdf: Left out or joined: running header “ACME report” on 3 pages. "
        "--no-mend leaves it as it is.\n"
    )
    found = json.loads(run(tmp_path, *options, "--json")[1])
    assert [each["place"] for each in found["chunks"]] == ["p. 1", "p. 2", "p. 3"]
    assert [each["place"] for each in found["hits"]] == ["p. 2"]
    assert found["documents"][0]["removed"] == ["running header “ACME report” on 3 pages"]
    _, out, err = run(tmp_path, "--no-mend", "--strategy", "whole")
    assert out.splitlines()[1].startswith("  report.pdf#0, p. 1–3: 'ACME report\\n")
    assert err == ""


def test_encoding_and_field_can_be_chosen(tmp_path: Path, run):
    (tmp_path / "a.txt").write_bytes("zażółć".encode("cp1250"))
    (tmp_path / "b.jsonl").write_text('{"text": "no", "body": "yes"}', encoding="utf-8")
    _, out, _ = run(tmp_path, "--encoding", "cp1250", "--field", "body")
    assert out.splitlines()[1:] == ["  a.txt#0: 'zażółć'", "  b.jsonl#0, record 1: 'yes'"]
    status, out, err = run(tmp_path, "--encoding", "nonsense")
    assert (status, out) == (2, "")
    assert err.startswith("ragchunk: error: Files cannot be read as 'nonsense', which is no enc")


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("unit", ["characters", "words", "tokens"])
def test_json_is_what_the_library_gives(folder: Path, run, name: str, unit: str):
    settings = {} if name == "whole" else {"size": 12, "overlap": 3, "unit": unit, "tail": "merge"}
    options = [str(part) for key, value in settings.items() for part in (f"--{key}", value)]
    status, out, err = run(folder, "--strategy", name, *options, "--json", "--query", "app")
    assert (status, err) == (0, "")
    assert out.isascii()
    found = json.loads(out)

    documents = load_documents(folder)
    chunks = chunk(documents, STRATEGIES[name](**settings))
    texts = {document.source: document.text for document in documents}
    assert [each["source"] for each in found["documents"]] == list(texts)
    assert [each["characters"] for each in found["documents"]] == [50, 31, 25]
    assert len(found["chunks"]) == len(chunks)
    for row, each in zip(found["chunks"], chunks, strict=True):
        for key in ("id", "source", "index", "start", "end", "text", "overlap", "oversized"):
            assert row[key] == getattr(each, key)
        assert texts[row["source"]][row["start"] : row["end"]] == row["text"]

    named = ["paragraph", "line", "sentence", "word", "cluster"]
    separators = {"separators": named} if name == "recursive" else {}
    assert found["settings"] == {
        "strategy": name,
        **dict.fromkeys(["size", "overlap", "unit", "tail", "min_size"]),
        **settings,
        **separators,
        "vectors": "plain",
        "model": "all-MiniLM-L6-v2",
    }
    expected = figures(documents, chunks)
    assert found["figures"]["chunks"] == len(chunks)
    assert found["figures"]["repeated_share"] == expected.repeated_share
    assert found["figures"]["sentences_lost"] == expected.sentences_lost
    assert found["figures"]["sizes"]["words"]["max"] == expected.sizes["words"].max
    assert sum(row["tokens"] for row in found["chunks"]) == expected.tokens

    assert found["query"] == "app"
    assert [hit["rank"] for hit in found["hits"]] == list(range(1, len(found["hits"]) + 1))
    by_id = {each.id: each for each in chunks}
    for hit in found["hits"]:
        each = by_id[hit["id"]]
        assert (hit["start"], hit["end"], hit["text"]) == (each.start, each.end, each.text)


def test_without_a_question_there_are_no_hits(folder: Path, run):
    found = json.loads(run(folder, "--json")[1])
    assert (found["query"], found["hits"]) == (None, [])


@pytest.mark.parametrize(
    ("options", "size", "overlap"),
    [
        ([], 800, 200),
        (["--unit", "words"], 60, 15),
        (["--unit", "tokens"], 120, 20),
        (["--size", "100"], 100, 25),
        (["--size", "1"], 1, 0),
        (["--size", "2000"], 2000, 200),
        (["--unit", "tokens", "--size", "40"], 40, 10),
        (["--overlap", "0"], 800, 0),
    ],
)
def test_openings(folder: Path, run, options: list[str], size: int, overlap: int):
    settings = json.loads(run(folder, "--json", *options)[1])["settings"]
    assert (settings["size"], settings["overlap"]) == (size, overlap)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--size", "5", "--overlap", "5"], "Overlap 5 must be smaller than size 5"),
        (["--size", "0"], "Size 0 is too small"),
        (["--size", "10", "--overlap", "-1"], "Overlap -1 is too small"),
        (["--size", "ten"], "--size: invalid int value: 'ten'"),
        (["--size", "1.5"], "--size: invalid int value: '1.5'"),
        (["--size"], "--size: expected one argument"),
        (["--strategy", "magic"], "Strategy 'magic' is not known. Choose one of: whole, window"),
        (["--unit", "lines"], "Unit 'lines' is not known. Choose one of: characters, words"),
        (["--tail", "wag"], "Tail 'wag' is not known. Choose one of: keep, merge, drop"),
        (["--tail", "drop", "--min-size", "9", "--size", "8"], "Minimum size 9 is larger than"),
        (["--min-size", "9"], "add --tail merge or --tail drop"),
        (["--vectors", "best"], "choose plain, averaged or late"),
        (["--k", "0"], "k is 0"),
        (["--k", "-1"], "k is -1"),
        (["--model", "no-such/model"], '"no-such/model" was not found on this machine'),
        (["--model", "two\nlines"], r'"two\nlines" was not found'),
        (["--colour"], "unrecognized arguments: --colour"),
    ],
)
def test_bad_settings(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
):
    status = terminal.run([str(folder), *options])
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.startswith("ragchunk: error: ")
    assert words in err
    assert err.count("\n") == 1


def test_settings_that_a_strategy_has_no_use_for_are_noted(folder: Path, run):
    status, out, err = run(folder, "--strategy", "whole", "--size", "9", "--overlap", "1")
    assert (status, out.splitlines()[0]) == (0, "3 documents -> 3 chunks")
    assert err == "ragchunk: note: The strategy whole has no use for --size, --overlap.\n"


def test_bad_settings_as_a_process(folder: Path):
    done = command(folder, "--size", "5", "--overlap", "5")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_bad_folders(folder: Path, run):
    for wrong, words in [("none", "does not exist"), ("a.txt", "is a file, not a folder")]:
        status, out, err = run(folder / wrong)
        assert (status, out) == (2, "")
        assert str(folder / wrong) in err
        assert words in err
        assert err.count("\n") == 1
    status, _, err = run()
    assert status == 2
    assert "FOLDER" in err


def test_a_folder_named_cache_is_not_the_command(folder: Path):
    (folder / "cache").mkdir()
    (folder / "cache" / "a.txt").write_text("One.", encoding="utf-8")
    env = os.environ | {"PYTHONPATH": str(ROOT), "RAGCHUNK_CACHE": str(folder / "store")}
    for name in ("./cache", str(folder / "cache")):
        done = command(name, cwd=folder, env=env)
        assert (done.stdout, done.stderr) == ("1 document -> 1 chunk\n  a.txt#0: 'One.'\n", "")
    done = command("cache", cwd=folder, env=env)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{folder / 'store'}: 0.")
    assert done.stdout.endswith("0 vectors and token outputs of 0 documents (0 more unfinished)\n")


def test_help_names_every_strategy_and_unit(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as exit_:
        terminal.run(["--help"])
    assert exit_.value.code == 0
    out = " ".join(capsys.readouterr().out.split())
    for word in [
        *STRATEGIES,
        "characters, words, tokens",
        "800 characters, 60 words, 120 tokens",
        "cache",
    ]:
        assert word in out


def test_empty_data_is_no_error(tmp_path: Path, run):
    status, out, err = run(tmp_path, "--query", "app")
    assert (status, out) == (0, "0 documents -> 0 chunks\n")
    said = f"There is no file in {tmp_path} that can be read, such as .txt, .md or .pdf."
    assert err == f"ragchunk: note: {said}\n"
    assert json.loads(run(tmp_path, "--json")[1])["figures"]["chunks"] == 0

    (tmp_path / "empty.md").write_text(" \n", encoding="utf-8")
    assert run(tmp_path, "--query", "app") == (0, "1 document -> 0 chunks\n", "")


def test_a_question_without_words_finds_nothing(folder: Path, run):
    status, out, err = run(folder, "--query", "?!")
    assert status == 0
    assert "[" not in out
    assert err == "ragchunk: note: The question has no words, so it finds nothing.\n"


def test_what_cannot_be_read_is_told_and_the_rest_goes_on(folder: Path, run):
    (folder / "bad.txt").write_bytes(b"PDF-1.7 \x00\x01\x02")
    (folder / "old.txt").write_bytes(b"caf\xe9")
    status, out, err = run(folder)
    assert status == 0
    assert out.startswith("4 documents -> 4 chunks\n")
    assert err.splitlines() == [
        "ragchunk: note: bad.txt looks like a binary file, not text. Save or export it as .txt or "
        ".md first. It was skipped.",
        "ragchunk: note: old.txt: Read as Windows-1252, because it is not UTF-8.",
    ]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_file_name_cannot_speak_to_the_terminal(tmp_path: Path, run):
    (tmp_path / "a\x1b[2J\n.md").write_text("text\x1b[2J", encoding="utf-8")
    _, out, _ = run(tmp_path)
    assert out == "1 document -> 1 chunk\n  a\\x1b[2J\\n.md#0: 'text\\x1b[2J'\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_any_terminal_can_show_it(folder: Path, encoding: str):
    (folder / "日本.md").write_text("日本語 👩‍👩‍👧 é", encoding="utf-8")
    env = os.environ | {"PYTHONIOENCODING": encoding}
    done = command(folder, "--strategy", "whole", "--query", "?", env=env, encoding=encoding)
    assert done.returncode == 0
    assert done.stdout.startswith("4 documents -> 4 chunks\n")
    assert json.loads(command(folder, "--json", env=env, encoding=encoding).stdout)


def test_without_a_question_torch_is_not_imported(folder: Path):
    code = (
        "import sys; from ragchunk.terminal import run;"
        f"assert run([{str(folder)!r}, '--unit', 'tokens', '--json']) == 0;"
        f"assert run([{str(folder)!r}, '--query', '?!']) == 0;"
        "slow = {'torch', 'transformers', 'sentence_transformers', 'streamlit'} & set(sys.modules);"
        "assert not slow, slow"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, capture_output=True)


@pytest.mark.skipif(os.name == "nt", reason="a pipe ends in another way there")
def test_a_reader_may_leave(folder: Path):
    (folder / "long.txt").write_text("many words " * 20_000, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "ragchunk", str(folder), "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == b"{\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == terminal.NO_READER


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told(folder: Path):
    with Path("/dev/full").open("w") as full:
        done = command(folder, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr == (
        "ragchunk: error: The result could not be written: No space left on device.\n"
    )


def test_being_interrupted_is_quiet(folder: Path, run, monkeypatch: pytest.MonkeyPatch):
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(terminal, "chunk", interrupt)
    assert run(folder) == (terminal.INTERRUPTED, "", "")


@pytest.mark.model
def test_a_question_to_the_real_model(folder: Path, capsys: pytest.CaptureFixture[str]):
    question = "Which web server is in front?"
    assert terminal.run([str(folder), "--strategy", "whole", "--query", question]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[0] == "3 documents -> 3 chunks"
    assert lines[4].startswith("[0.")
    assert lines[4].endswith('] b.md#0: "Nginx sits in front.\\nIt\'s here."')
    assert len(lines) == 1 + 3 + 3


@pytest.mark.model
def test_all_ways_but_plain_read_behind_the_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "a.md").write_text("Bread needs time. " * 100 + "Cats sleep.", encoding="utf-8")
    scores = []
    for way in ("plain", "averaged", "late"):
        options = ["--strategy", "whole", "--query", "Do cats sleep?", "--vectors", way, "--json"]
        assert terminal.run([str(tmp_path), *options]) == 0
        [hit] = json.loads(capsys.readouterr().out)["hits"]
        scores.append(hit["score"])
    assert min(scores[1:]) > scores[0]


README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.model
def test_the_code_in_readme_prints_what_it_says():
    examples = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)
    assert len(examples) == README.count("```python")
    for code, expected in examples:
        done = subprocess.run(
            [sys.executable, "-c", code], check=False, cwd=ROOT, capture_output=True, text=True
        )
        assert (done.stdout, done.stderr) == (expected, "")


@pytest.mark.model
def test_the_commands_in_readme_print_what_it_says():
    examples = re.findall(r"```console\n\$ (.*?)\n(.*?)```", README, re.DOTALL)
    assert len(examples) == README.count("```console") == 3
    for line, expected in examples:
        python, *arguments = shlex.split(line)
        assert python == ".venv/bin/python"
        assert arguments[:2] == ["-m", "ragchunk"]
        done = command(*arguments[2:])
        assert (done.stdout, done.stderr) == (expected, "")
