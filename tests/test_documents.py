"""Bytes become text without losing a character, and folders become documents in a stable order."""

import codecs
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragchunk.documents import (
    Document,
    ReadOptions,
    decode,
    document_hash,
    holds_questions,
    is_document,
    load_documents,
    load_folder,
    read_bytes,
    unique_sources,
)
from ragchunk.errors import FolderNotFound, LoadError, RagchunkError

REMOVED = "A byte order mark was removed."
CP1252 = "Read as Windows-1252, because it is not UTF-8."


def test_a_document_is_like_a_pair() -> None:
    document = Document("a.md", "text", notes=("repaired",))
    source, text = document
    assert (source, text) == ("a.md", "text")
    assert document == Document("a.md", "text")
    assert hash(document) == hash(Document("a.md", "text"))
    assert dict([document]) == {"a.md": "text"}  # type: ignore[arg-type, list-item]


@pytest.mark.parametrize(
    ("data", "text", "notes"),
    [
        (b"", "", ()),
        (b"plain\n", "plain\n", ()),
        (b"\xe2\x80\x9cquoted\xe2\x80\x9d", "“quoted”", ()),
        (b"\x93quoted\x94", "“quoted”", (CP1252,)),
        (b"caf\xe9 \x80 5", "café € 5", (CP1252,)),
        (
            b"a\x81b\x9d",
            "a\ufffdb\ufffd",
            (CP1252, "Bytes without a meaning in Windows-1252, shown as \ufffd: 2."),
        ),
        (b"one\r\ntwo\rthree\n", "one\r\ntwo\rthree\n", ()),
        (b"\xef\xbb\xbf# A", "# A", (REMOVED,)),
        (b"\xef\xbb\xbf\xef\xbb\xbf# A", "\ufeff# A", (REMOVED,)),
        (b"\xef\xbb\xbf", "", (REMOVED,)),
        (
            b"\xef\xbb\xbfcut \xe2\x80",
            "cut \ufffd",
            (REMOVED, "Some bytes are not UTF-8 and are shown as \ufffd."),
        ),
        (b"\xff\xfeH\0\x1c ", "H“", (REMOVED, "Read as UTF-16-LE, as its mark says.")),
        (b"\xfe\xff\0H \x1c", "H“", (REMOVED, "Read as UTF-16-BE, as its mark says.")),
        (b"\xff\xfe\xff\xfeH\0", "\ufeffH", (REMOVED, "Read as UTF-16-LE, as its mark says.")),
        (b"\xff\xfe\0\0H\0\0\0", "H", (REMOVED, "Read as UTF-32-LE, as its mark says.")),
        (b"\0\0\xfe\xff\0\0\0H", "H", (REMOVED, "Read as UTF-32-BE, as its mark says.")),
        (b"\xff\xfe\0\0H\0", "\0H", (REMOVED, "Read as UTF-16-LE, as its mark says.")),
        (
            b"\xff\xfeH\0i",
            "H\ufffd",
            (
                REMOVED,
                "Read as UTF-16-LE, as its mark says.",
                "Some bytes are not UTF-16-LE and are shown as \ufffd.",
            ),
        ),
        (b"H\0i\0!\0\r\0\n\0", "Hi!\r\n", ("Read as UTF-16-LE, recognised by its NULs.",)),
        (b"\0H\0i\0!\0\n", "Hi!\n", ("Read as UTF-16-BE, recognised by its NULs.",)),
        (b"one \0 NUL in UTF-8 \xc3\xa9", "one \0 NUL in UTF-8 é", ()),
        # Cut in a character, and with a byte that is not UTF-8, it is UTF-8 all the same.
        (
            "Grüße, Öl für Käte, é".encode()[:-1],
            "Grüße, Öl für Käte, \ufffd",
            ("Bytes that are not UTF-8, shown as \ufffd: 1.",),
        ),
        (
            "Grüße| \ufffd Öl für Käte".encode().replace(b"|", b"\x93"),
            "Grüße\ufffd \ufffd Öl für Käte",
            ("Bytes that are not UTF-8, shown as \ufffd: 1.",),
        ),
        # One sequence by chance is none: "Ã¼" and "é" in Windows-1252.
        (b"\xc3\xbc caf\xe9 ol\xe9", "Ã¼ café olé", (CP1252,)),
    ],
)
def test_known_bytes(data: bytes, text: str, notes: tuple[str, ...]) -> None:
    assert decode(data) == (text, notes)
    assert read_bytes("a.txt", data) == Document("a.txt", text)
    assert read_bytes("a.txt", data).notes == notes


@pytest.mark.parametrize(
    ("data", "encoding", "text", "notes"),
    [
        ("zażółć".encode("cp1250"), "cp1250", "zażółć", ("Read as cp1250, as chosen.",)),
        ("日本".encode("shift_jis"), "Shift-JIS", "日本", ("Read as shift_jis, as chosen.",)),
        (b"\xef\xbb\xbfA", "utf-8", "A", (REMOVED, "Read as utf-8, as chosen.")),
        (
            b"caf\xe9",
            "utf-8",
            "caf\ufffd",
            (
                "Read as utf-8, as chosen.",
                "Bytes without a meaning in utf-8, shown as \ufffd: 1.",
            ),
        ),
    ],
)
def test_an_encoding_that_was_chosen_is_used(
    data: bytes, encoding: str, text: str, notes: tuple[str, ...]
) -> None:
    document = read_bytes("a.txt", data, ReadOptions(encoding=encoding))
    assert (document.text, document.notes) == (text, notes)


@pytest.mark.parametrize("encoding", ["nonsense", "hex", "utf\0", "../utf-8"])
def test_an_encoding_that_does_not_exist_is_refused(encoding: str) -> None:
    with pytest.raises(LoadError, match=r"^a\.txt cannot be read as .* no encoding of text"):
        read_bytes("a.txt", b"text", ReadOptions(encoding=encoding))


@pytest.mark.parametrize("encoding", ["punycode", "unicode_escape", "Raw-Unicode-Escape", "idna"])
def test_a_notation_is_no_encoding(encoding: str) -> None:
    with pytest.raises(
        LoadError, match=f"^a\\.txt cannot be read as '{encoding}', which is no enc"
    ):
        read_bytes("a.txt", b"text", ReadOptions(encoding=encoding))
    with pytest.raises(LoadError, match=r"^a\.txt cannot be read as what was chosen, which is no"):
        read_bytes("a.txt", b"text", ReadOptions(encoding="x" * 300))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text", ["春天来了，花园里的花都开了。孩子们在一起唱歌。", "桜の花が咲きました。"]
)
def test_utf16_without_ascii_is_known_by_its_characters(text: str, encoding: str) -> None:
    named = f"Read as {encoding.upper()}, recognised by its characters."
    assert decode(text.encode(encoding)) == (text, (named,))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_japanese_in_utf16_is_known_by_its_line_ends(encoding: str) -> None:
    text = "日本語です。次の文です。\n" * 20
    assert decode(text.encode(encoding))[0] == text


@given(st.text())
def test_utf8_is_read_as_it_is(text: str) -> None:
    # A byte order mark in front keeps a text of NULs and letters from looking like UTF-16.
    assert decode(codecs.BOM_UTF8 + text.encode()) == (text, (REMOVED,))


# Those of other formats: test_hostile_files.py has them.
SIGNED = (b"PK\x03\x04", b"%PDF-", b"{\\rtf", b"\xd0\xcf\x11\xe0")


@given(st.binary().filter(lambda data: not data.startswith(SIGNED)))
def test_any_bytes_are_a_text_or_refused_by_name(data: bytes) -> None:
    text, notes = decode(data)
    try:
        document = read_bytes("x.txt", data)
    except LoadError as error:
        problem = str(error)
    else:
        assert (document.text, document.notes) == (text, notes)
        return
    assert problem.startswith("x.txt looks like a binary file")


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01",
        b"\x1f\x8b\x08\0 compressed",
        b"\x7fELF\x02\x01\x01" + bytes(40),
        bytes(range(256)),
        b"\0\1\2",
        "no mark".encode("utf-32-le"),
    ],
)
def test_a_binary_file_is_refused(data: bytes) -> None:
    with pytest.raises(LoadError, match=r"^logo\.png looks like a binary file"):
        read_bytes("logo.png", data)


def test_a_file_without_text_is_a_document() -> None:
    assert read_bytes("a.md", b"") == Document("a.md", "")
    assert read_bytes("a.md", b" \n\t\f") == Document("a.md", " \n\t\f")


def test_too_large() -> None:
    assert read_bytes("a.md", b" " * 20_000_000).text == " " * 5_000_000
    with pytest.raises(LoadError, match=r"^a\.md has 20,000,001 bytes, more than the 20,000,000"):
        read_bytes("a.md", b"a" * 20_000_001)


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def test_load_documents(tmp_path: Path) -> None:
    names = ["b.md", "b/a.md", "B.TXT", "a/b/c.txt", "b-c.md", ".hidden/x.md", "é.Md"]
    names.append("<img src=x onerror=alert(1)>.md")
    write(tmp_path, {name: f"# {name}\r\n".encode() for name in names})
    write(tmp_path, {"c.markdown": b"", "d.py": b"", "md": b"", "e.png": b"", "empty.txt": b""})
    expected = sorted([*names, "c.markdown", "d.py", "empty.txt"])
    assert expected.index("b.md") < expected.index("b/a.md")
    documents = load_documents(tmp_path)
    assert [document.source for document in documents] == expected
    assert dict(iter(pair) for pair in documents)["a/b/c.txt"] == "# a/b/c.txt\r\n"  # type: ignore
    assert load_documents(str(tmp_path)) == documents


def test_an_empty_folder_is_no_error(tmp_path: Path) -> None:
    assert load_documents(tmp_path) == []


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(FolderNotFound, match=r"nowhere does not exist\. Give a folder"):
        load_documents(tmp_path / "nowhere")
    write(tmp_path, {"a.md": b""})
    with pytest.raises(FileNotFoundError, match=r"a\.md is a file, not a folder"):
        load_folder(tmp_path / "a.md")
    assert issubclass(FolderNotFound, RagchunkError)


def test_one_bad_file_does_not_hide_the_others(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": b"A", "sub/bad.txt": bytes(range(256)), "c.md": b"C"})
    write(tmp_path, {"large.txt": b"a" * 20_000_001})
    (tmp_path / "gone.md").symlink_to(tmp_path / "nothing")
    documents, problems = load_folder(tmp_path)
    assert documents == [Document("a.md", "A"), Document("c.md", "C")]
    assert [problem.split()[0] for problem in problems] == ["gone.md", "large.txt", "sub/bad.txt"]
    assert problems[0] == "gone.md could not be read: No such file or directory."
    with pytest.raises(LoadError, match=r"gone\.md"):
        load_documents(tmp_path)


def test_links_and_pipes_do_not_hang(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": b"A", "folder.md/b.md": b"B"})
    (tmp_path / "folder.md" / "loop").symlink_to(tmp_path)
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")
    assert [d.source for d in load_documents(tmp_path)] == ["a.md", "folder.md/b.md", "link.md"]
    os.mkfifo(tmp_path / "pipe.txt")
    assert load_folder(tmp_path)[1] == [
        "pipe.txt is not an ordinary file. Move it out of the folder."
    ]


def test_a_link_to_itself_costs_no_other_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": b"A", "b.md": b"B"})
    (tmp_path / "self.md").symlink_to("self.md")
    documents, problems = load_folder(tmp_path, without=[tmp_path / "b.md", tmp_path / "self.txt"])
    assert documents == [Document("a.md", "A")]
    assert problems == ["self.md could not be read: Too many levels of symbolic links."]


def test_what_a_page_takes_of_a_folder() -> None:
    names = ["a/B.MD", ".hidden/a.md", "a/.git/b.md", "node_modules/x/y.md", "a/~$b.docx", "a.png"]
    assert [is_document(name) for name in names] == [True, True, False, False, False, False]
    asked = b'\xef\xbb\xbf\n{"question": "q", "answers": []}\n{"text": 1}'
    assert holds_questions("a/Q.jsonl", asked)
    assert not holds_questions("a/q.json", asked)
    assert not holds_questions("a/q.jsonl", b'{"question": "q"}')
    assert not holds_questions("a/q.jsonl", b"[" * 100_000)


def test_a_name_that_is_not_utf8_can_be_printed(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/caf\xe9.md", "wb") as file:  # noqa: PTH123
        file.write(b"text")
    (document,) = load_documents(tmp_path)
    assert document == Document("caf?.md", "text")


def test_unique_sources() -> None:
    def named(*pairs: tuple[str, str]) -> list[Document]:
        return [Document(source, text, ("kept",)) for source, text in pairs]

    documents = named(
        ("notes.md", "one"),
        ("notes.md", "two"),
        ("notes.md", "one"),
        ("notes (2).md", "an upload of this very name"),
        ("notes.md", "three"),
        ("a.b/notes", "one"),
        ("a.b/notes", "two"),
    )
    unique = unique_sources(documents)
    assert [tuple(document) for document in unique] == [
        ("notes.md", "one"),
        ("notes (3).md", "two"),
        ("notes (2).md", "an upload of this very name"),
        ("notes (4).md", "three"),
        ("a.b/notes", "one"),
        ("a.b/notes (2)", "two"),
    ]
    assert all(document.notes == ("kept",) for document in unique)
    assert unique_sources([]) == []


def test_document_hash() -> None:
    assert document_hash("") == "e4a6a0577479b2b4"
    assert document_hash("a") != document_hash("b")
    assert len(document_hash("\ud800")) == 16
