"""Files that are damaged, locked, traps or nothing: a clear message, and the others are read."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from ragchunk.documents import (
    Document,
    Mark,
    Problem,
    Progress,
    ReadOptions,
    load_folder,
    read_bytes,
    read_files,
)
from ragchunk.errors import LoadError
from ragchunk.readers import READERS
from ragchunk.readers.base import MOST_UNPACKED, Extract
from ragchunk.readers.extracting import shortened
from ragchunk.readers.isolated import Child
from tests import made
from tests.reading import read

# Many seconds for a parser, though no page of it nests deeper than is read.
SLOW = (b"<ul><li>x" * 4_900 + b"</ul>" * 4_900) * 200


def zip_bomb() -> bytes:
    """A DOCX of a few hundred kilobytes with a part that unpacks to more than is taken."""
    out = io.BytesIO(made.docx())
    with (
        zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/media/image1.png", "w") as part,
    ):
        for _ in range(MOST_UNPACKED // 10_000_000):
            part.write(bytes(10_000_000))
    return out.getvalue()


def lying_bomb() -> bytes:
    """An archive whose main part says that it is small."""
    body = b"<a>" + b" " * 3_000_000 + b"</a>"
    data = made.rezipped(made.docx(), {"word/document.xml": body})
    return data.replace(len(body).to_bytes(4, "little"), (20).to_bytes(4, "little"))


def entity_bomb(element: str) -> bytes:
    """XML that stands for 200,000,000,000 characters."""
    entities = '<!ENTITY a0 "ha">' + "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)
    )
    return f"<!DOCTYPE bomb [{entities}]><{element}>&a11;</{element}>".encode()


def long_word(paragraphs: list[str]) -> bytes:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    body = "".join(f"<w:p><w:r><w:t>{each}</w:t></w:r></w:p>" for each in paragraphs)
    xml = f"<w:document {space}><w:body>{body}</w:body></w:document>"
    return made.rezipped(made.docx(), {"word/document.xml": xml.encode()})


def zipped(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


HOSTILE = {
    "bomb.docx": (zip_bomb(), "unpacks to 300,"),
    "lying.docx": (lying_bomb(), "could not be read as Word: it seems to be damaged"),
    "entities.docx": (
        made.rezipped(made.docx(), {"word/document.xml": entity_bomb("document")}),
        "defines XML entities in 'word/document.xml'",
    ),
    "cut.docx": (made.docx()[:5_000], "is damaged: the list of its parts is missing"),
    "empty.docx": (b"", "is no Word file, whatever its name says: it is empty"),
    "text.docx": (b"only text", "is no Word file, whatever its name says: it begins otherwise"),
    "broken.docx": (
        made.rezipped(made.docx(), {"word/document.xml": b"<w:document"}),
        "could not be read as Word: it seems to be damaged",
    ),
    "deep.docx": (long_word(["<w:r>" * 300 + "</w:r>" * 300]), "is nested too deeply"),
    "locked.docx": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + "EncryptedPackage".encode("utf-16-le"),
        "is locked with a password",
    ),
    "old.pptx": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "of Office before 2007"),
    "sheet.docx": (zipped({"xl/workbook.xml": b""}), "is a spreadsheet. Save its sheets as .csv"),
    "open.docx": (zipped({"content.xml": b""}), "is an OpenDocument file"),
    "photos.pptx": (zipped({"a.jpg": b""}), "looks like a binary file"),
    "locked.pdf": (
        made.pdf(
            [made.lines(["x"])],
            "/ID [<00> <00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 "
            f"/O <{'41' * 32}> /U <{'42' * 32}> >>",
        ),
        "is locked with a password. Save it without one first.",
    ),
    "scan.pdf": (made.pdf([[], [], []]), "holds no text: its 3 pages are pictures, as of a scan"),
    "cut.pdf": (b"%PDF-1.7\n1 0 obj\n<< /Type", "is a damaged PDF"),
    "empty.pdf": (b"", "is no PDF file, whatever its name says: it is empty"),
    "empty.epub": (
        made.rezipped(made.epub(), {"OPS/book.opf": b"<package/>"}),
        "is a damaged EPUB",
    ),
    "bomb.epub": (
        made.rezipped(made.epub(), {"OPS/book.opf": entity_bomb("package")}),
        "could not be read as EPUB",
    ),
    "deep.json": (b"[" * 200_000, "is nested too deeply"),
    "deep.ipynb": (b"[" * 200_000, "is nested too deeply"),
    "list.ipynb": (b"[]", "is JSON, but no notebook"),
    "odd.ipynb": (b'{"cells": [3]}', "is JSON, but no notebook"),
    "binary.html": (bytes(range(256)), "looks like a binary file"),
    "<img src=x onerror=alert(1)>.pdf": (b"%PDF-", "is a damaged PDF"),
    "../../etc/passwd.docx": (b"PK\x03\x04", "is damaged: the list of its parts"),
}


def test_each_is_refused_by_name_and_the_others_are_read() -> None:
    files = [(name, data) for name, (data, _) in HOSTILE.items()]
    good = made.pdf([made.lines([made.FIRST])])
    mixed = [pair for file in files for pair in (file, ("good.pdf", good))]
    found = [each for each in read_files(mixed) if not isinstance(each, Progress)]
    assert [each.source for each in found] == [name for name, _ in mixed]
    for each, name in zip(found[::2], HOSTILE, strict=True):
        assert isinstance(each, Problem), name
        assert each.words.startswith(f"{name} ")
        assert HOSTILE[name][1] in each.words
        assert "\n" not in each.words
    assert found[1::2] == [Document("good.pdf", made.FIRST)] * len(HOSTILE)


def test_what_can_be_read_of_odd_files_is_read() -> None:
    pdf = made.pdf([made.lines([made.FIRST])])
    at = pdf.rindex(b"startxref")
    broken = pdf[:at] + b"startxref\n99999\n%%EOF\n"
    files = {
        "xref.pdf": broken,
        "after.pdf": b"\r\n\r\n" + pdf,
        "deep.html": b"<div>" * 5_000 + made.FIRST.encode(),
        "crossed.html": b"<b><i>" * 2_000 + made.FIRST.encode() + b"</b></i>" * 2_000,
        "empty.html": b"",
        "empty.csv": b"",
        "empty.jsonl": b"",
        "nul.html": b"a\0b",
    }
    texts = {name: read(name, data).text for name, data in files.items()}
    assert texts == {
        **dict.fromkeys(files, made.FIRST),
        **dict.fromkeys(["empty.html", "empty.csv", "empty.jsonl"], ""),
        "nul.html": "ab",
    }


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<div>" * 200_000, "nests 200,000 elements in each other, more than the 5,000 that"),
        # Ends of what is not open end nothing.
        ("<div></b>" * 200_000, "nests 200,000 elements in each other, more than the 5,000 that"),
        (
            "<p " + " ".join(f"a{n}=1" for n in range(500_000)) + ">",
            "has 500,001 attributes in one tag, more than the 10,000 that are read",
        ),
        # Neither deep nor wide, only long: paragraphs and links that nobody closed, drawings.
        ("<p><a href=x>t<br>" * 20_000, ""),
        ("<div><span>t</div>" * 4_000, ""),
        ("<svg>" + "<path d='M 1 2'/>" * 20_000 + "</svg>", ""),
        (f"<p style='{'a ' * 50_000}'>t", ""),
    ],
)
def test_a_page_that_would_take_hours_is_refused_at_once(page: str, said: str) -> None:
    with closing(Child(seconds=20)) as child:
        steps = child.read("a.html", page.encode(), ReadOptions())
        if not said:
            assert "x" not in _returned(steps).text
            return
        with pytest.raises(LoadError, match=f"^a.html {said}"):
            list(steps)


def test_what_takes_too_long_is_given_up_and_the_next_is_read() -> None:
    with closing(Child(seconds=1)) as child:
        with pytest.raises(LoadError, match=r"^slow\.html was given up after 1 seconds"):
            list(child.read("slow.html", SLOW, ReadOptions()))
        steps = child.read("good.html", b"<p>text", ReadOptions())
        assert _returned(steps).text == "text"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory so")
def test_what_takes_too_much_memory_is_given_up_and_the_next_is_read() -> None:
    large = b"<p>text</p>" * 1_000_000
    with closing(Child(memory=100_000_000)) as child:
        with pytest.raises(LoadError, match=r"^large\.html .* memory"):
            list(child.read("large.html", large, ReadOptions()))
        assert _returned(child.read("good.html", b"<p>text", ReadOptions())).text == "text"


def _returned(steps):  # type: ignore[no-untyped-def]
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value


def test_whoever_stops_ends_the_process() -> None:
    with closing(Child()) as child:
        steps = child.read("slow.html", SLOW, ReadOptions())
        next(steps)
        process = child._process
        assert process is not None
        assert process.poll() is None
        steps.close()
        assert process.poll() is not None
    files = read_files([("slow.html", SLOW), ("good.txt", b"text")])
    assert next(files) == Progress("slow.html")
    next(files)
    files.close()
    assert list(files) == []


def test_a_process_that_dies_costs_its_file_alone() -> None:
    with closing(Child()) as child:
        steps = child.read("slow.html", SLOW, ReadOptions())
        next(steps)
        assert child._process is not None
        child._process.kill()
        with pytest.raises(LoadError, match=r"^slow\.html could not be read: its reader broke off"):
            list(steps)
        assert _returned(child.read("good.html", b"<p>text", ReadOptions())).text == "text"


def test_no_file_is_larger_than_its_format_allows(tmp_path: Path) -> None:
    for reader in READERS:
        name = f"a{reader.endings[0]}"
        data = b"a" * (reader.most + 1)
        said = f"^{name} has {reader.most + 1:,} bytes, more than the {reader.most:,} that are"
        with pytest.raises(LoadError, match=said):
            read(name, data)
    with (tmp_path / "a.pdf").open("wb") as file:
        file.truncate(50_000_001)
    (tmp_path / "b.txt").write_text("text")
    documents, problems = load_folder(tmp_path)
    assert documents == [Document("b.txt", "text")]
    assert problems[0].startswith("a.pdf has 50,000,001 bytes")


@pytest.mark.parametrize(
    ("found", "kept", "place"),
    [
        (Extract("One.\n\nTwo.\n\nThree."), "One.\n\nTwo.", ""),
        (
            Extract("One.\n\nTwo.\n\nThree.", (Mark(0, 4, "p. 1"), Mark(6, 18, "p. 2"))),
            "One.\n\nTwo.",
            ", up to p. 2",
        ),
        (
            Extract("One and two.\n\nThree.", (Mark(0, 12, "p. 1"), Mark(14, 20, "p. 2"))),
            "One and two.",
            ", up to p. 1",
        ),
        # Without a paragraph's end not far back: a line's, a sentence's, a word's, anywhere.
        (Extract("One.\n\na word\nand more"), "One.\n\na word", ""),
        (Extract("A\n\nlong log\nand more"), "A\n\nlong log", ""),
        (Extract("One is. Two! Three."), "One is. Two!", ""),
        (Extract("A long line without an end."), "A long line", ""),
        (Extract("Donaudampfschiff"), "Donaudampfsc", ""),
    ],
)
def test_text_beyond_the_limit_is_left_out_at_a_boundary(
    found: Extract, kept: str, place: str
) -> None:
    short = shortened(found, 12)
    assert short.text == kept
    assert all(page.end <= len(kept) for page in short.pages)
    assert short.notes == (
        f"Only the first {len(kept)} of {len(found.text)} characters were read{place}: "
        "no more than 12 are taken from one file.",
    )


EPUB_OF_ONE = made.rezipped(
    made.epub(),
    {
        "OPS/text/a one.xhtml": b"<html><body><h1>Title</h1><p>hi</p></body></html>",
        "OPS/b.xhtml": b"<html><body><h1>Log</h1><pre>" + b"log line\n" * 800_000,
    },
)


@pytest.mark.parametrize(
    ("name", "data", "begins"),
    [
        ("log.txt", b"Title\n\n" + b"log line\n" * 1_000_000, "Title\n\nlog line\n"),
        ("a.html", b"<h1>Title</h1><pre>" + b"log line\n" * 800_000, "Title\n\nlog line\n"),
        ("a.json", json.dumps(["hi", "log line\n" * 800_000]).encode(), "hi\n\nlog line\n"),
        ("a.docx", long_word(["log line. " * 600_000, "after"]), "log line. log"),
        ("a.docx", long_word(["hi", "log line. " * 600_000, "after"]), "hi\n\nlog line. log"),
        ("a.epub", EPUB_OF_ONE, "Title\n\nhi\n\nLog\n\nlog line\n"),
    ],
)
def test_a_block_that_is_too_long_is_read_in_part(name: str, data: bytes, begins: str) -> None:
    document = read(name, data)
    assert document.text.startswith(begins)
    assert 4_999_900 < len(document.text) <= 5_000_000
    assert document.text.endswith(("log line", "log line."))
    assert sum("no more than 5,000,000" in note for note in document.notes) == 1
    assert all(page.end <= len(document.text) for page in document.pages)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("pdf.md", b"%PDF-1.4 is how a PDF begins, and this text tells of it."),
        ("zip.md", b"PK\3\4 is how an archive begins, and this text tells of it, at some length."),
        ("rtf.txt", b"{\\rtf is how such a file begins."),
    ],
)
def test_a_text_may_begin_like_another_format(name: str, data: bytes) -> None:
    assert read(name, data).text.encode() == data
    page = read("a.html", b"PK\3\4 is how <p>an archive begins.")
    assert page.text == "PK\3\4 is how\n\nan archive begins."


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.txt", made.pdf([[]]).replace(b"ID x", bytes(500)), "holds no text"),
        ("a.md", made.docx()[:5_000], "the list of its parts is missing"),
    ],
)
def test_a_binary_file_is_no_text_for_its_name(name: str, data: bytes, said: str) -> None:
    with pytest.raises(LoadError, match=said):
        read(name, data)


def test_a_long_text_is_read_up_to_the_limit() -> None:
    document = read_bytes("a.txt", b"word\n\n" * 1_000_000)
    assert 4_999_000 < len(document.text) <= 5_000_000
    assert document.text.endswith("word")
    assert "of 6,000,000 characters were read" in document.notes[0]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"a,b\n" + b"1,1234567890\n" * 500_000),
        ("a.json", b"[" + b'"1234567890",' * 500_000 + b'"1"]'),
        ("a.html", b"<p>1234567890 " * 500_000),
        ("a.pdf", made.pdf([made.lines(["1234567890 " * 2_000] * 20)] * 12)),
    ],
)
def test_what_says_more_than_is_read_is_cut_at_a_boundary(name: str, data: bytes) -> None:
    document = read(name, data)
    assert 3_900_000 < len(document.text) <= 5_000_000
    assert "1234567890" in document.text[-15:]
    assert sum("no more than 5,000,000" in note for note in document.notes) == 1
    assert len(document.pages) <= 200_000


def test_reading_says_how_far_it_is() -> None:
    pages = [made.lines([f"page {number}"]) for number in range(400)]
    steps: list[Progress] = []
    read_bytes("long.pdf", made.pdf(pages), progress=steps.append)
    assert steps[0] == Progress("long.pdf")
    told = [step for step in steps if step.total]
    assert {(step.unit, step.total) for step in told} == {("page", 400)}
    assert [step.done for step in told] == sorted(step.done for step in told)
    assert str(told[0]) == f"long.pdf, page {told[0].done} of 400"
