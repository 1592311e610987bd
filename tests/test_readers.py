"""Each format comes back with the text it was made from, in order, with its pages and headings."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import zipfile
from pathlib import Path

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragchunk.documents import (
    ENDINGS,
    READERS,
    Document,
    Heading,
    Mark,
    Progress,
    ReadOptions,
    load_documents,
    load_folder,
    reader_of,
)
from ragchunk.errors import LoadError
from ragchunk.readers.extracting import extract
from tests import made
from tests.reading import read

ROOT = Path(__file__).parents[1]
BLOCKS = [
    made.HEADING,
    made.FIRST,
    "Wood | Price\nAsh | 84\nBeech | 91",
    made.SECOND,
    "- shut the left door\n- open the flue",
    made.LAST,
]
SHIFTED = [made.HEADING, made.FIRST, BLOCKS[2], made.SECOND, BLOCKS[4]]


def titles(document: Document) -> list[tuple[int, str]]:
    """Level and title of each heading, which must stand where it says, perhaps behind a #."""
    for heading in document.headings:
        assert (
            document.text[heading.start :].lstrip("# ").startswith(heading.title.removesuffix("…"))
        )
    return [(heading.level, heading.title) for heading in document.headings]


def pages(document: Document) -> dict[str, str]:
    return {page.label: document.text[page.start : page.end] for page in document.pages}


def test_the_table_is_what_requirements_and_readme_say() -> None:
    pinned = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    readme = (ROOT / "README.md").read_text("utf-8")
    for reader in READERS:
        assert not reader.package or reader.package in pinned
        [row] = re.findall(rf"^\| {reader.name} \|(.*)\|$", readme, re.MULTILINE)
        cells = row.replace("\\|", "").split("|")
        assert set(re.findall(r"\.\w+", cells[0])) <= set(reader.endings)
        assert cells[2].strip() == reader.package.partition("==")[0]
    assert len(set(ENDINGS)) == len(ENDINGS)
    assert all(ending == ending.lower() and ending[0] == "." for ending in ENDINGS)


def test_word() -> None:
    document = read("stove.docx", made.docx(header="ACME report"))
    assert document.text == "\n\n".join(BLOCKS)
    assert titles(document) == [(1, made.HEADING)]
    assert document.removed == ("page header “ACME report”",)
    kept = read("stove.docx", made.docx(header="ACME report"), ReadOptions(mend=False))
    assert kept.text == "ACME report\n\n" + document.text
    assert kept.removed == ()


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def word_of(body: str) -> Document:
    xml = f'<?xml version="1.0"?><w:document {W}><w:body>{body}</w:body></w:document>'
    return read("a.docx", made.rezipped(made.docx(), {"word/document.xml": xml.encode()}))


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*inside: str) -> str:
    return f"<w:p>{''.join(inside)}</w:p>"


def cell(text: str, merged: str = "") -> str:
    return f"<w:tc><w:tcPr>{merged}</w:tcPr>{paragraph(run(text))}</w:tc>"


def box(inside: str) -> str:
    return f"<w:txbxContent>{inside}</w:txbxContent>"


def hidden(text: str, value: str = "") -> str:
    return f"<w:r><w:rPr><w:vanish{value}/></w:rPr><w:t>{text}</w:t></w:r>"


IN_A_BOX = paragraph(run("inner"))
RESTART = '<w:vMerge w:val="restart"/>'


@pytest.mark.parametrize(
    ("body", "text"),
    [
        # What the library's own paragraphs leave out: controls, tracked changes, links, fields.
        (
            f"<w:sdt><w:sdtContent>{paragraph(run('in a control'))}</w:sdtContent></w:sdt>"
            + paragraph(run("after")),
            "in a control\n\nafter",
        ),
        (
            paragraph(
                run("one "),
                f"<w:ins>{run('two')}</w:ins>",
                "<w:del><w:r><w:delText>three</w:delText></w:r></w:del>",
            ),
            "one two",
        ),
        (
            paragraph(
                f"<w:hyperlink>{run('a link')}</w:hyperlink>",
                "<w:r><w:tab/></w:r>",
                run("b"),
                "<w:r><w:br/></w:r>",
                run("c"),
            ),
            "a link\tb\nc",
        ),
        (
            paragraph(f"<w:fldSimple><w:instrText>PAGE</w:instrText>{run('7')}</w:fldSimple>"),
            "7",
        ),
        (
            paragraph(
                run("text"),
                f"<w:r><w:txbxContent>{paragraph(run('a box'))}</w:txbxContent></w:r>",
            ),
            "text\n\na box",
        ),
        # A table in a box, and a box in a box.
        (
            paragraph(
                run("text"),
                f"<w:r><w:txbxContent><w:tbl><w:tr>{cell('Apple')}{cell('1.20')}</w:tr>"
                f"<w:tr>{cell('Pear')}{cell('2')}</w:tr></w:tbl></w:txbxContent></w:r>",
            ),
            "text\n\nApple | 1.20\nPear | 2",
        ),
        (
            paragraph(f"<w:r>{box(paragraph(run('outer'), f'<w:r>{box(IN_A_BOX)}</w:r>'))}</w:r>"),
            "outer\n\ninner",
        ),
        # Hidden text is not shown, but for what a run says itself.
        (paragraph(run("seen "), hidden("not seen"), hidden("again", ' w:val="0"')), "seen again"),
        # Merged over two rows, it is said once, and the columns stay.
        (
            f"<w:tbl><w:tr>{cell('A', RESTART)}{cell('1')}</w:tr>"
            f"<w:tr>{cell('', '<w:vMerge/>')}{cell('2')}</w:tr></w:tbl>",
            "A | 1\n | 2",
        ),
    ],
)
def test_nothing_that_word_shows_is_lost(body: str, text: str) -> None:
    assert word_of(body).text == text


def test_footnotes_stand_behind_the_text_with_the_numbers_that_word_shows() -> None:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    refers = '<w:r><w:footnoteReference w:id="{}"/></w:r>'
    body = paragraph(run("One"), refers.format(7), run(" two"), refers.format(3), run("."))
    notes = "".join(
        f'<w:footnote w:id="{number}">{paragraph(run(text))}</w:footnote>'
        for number, text in [(0, "a line"), (3, "About two."), (7, "About one.")]
    )
    with zipfile.ZipFile(io.BytesIO(made.docx())) as archive:
        relations = archive.read("word/_rels/document.xml.rels").decode()
    added = f'<Relationship Id="rId99" Type="{kind}" Target="footnotes.xml"/></Relationships>'
    changed = {
        "word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>",
        "word/footnotes.xml": f"<w:footnotes {W}>{notes}</w:footnotes>",
        "word/_rels/document.xml.rels": relations.replace("</Relationships>", added),
    }
    data = made.rezipped(made.docx(), {name: text.encode() for name, text in changed.items()})
    assert read("a.docx", data).text == "One[1] two[2].\n\n[1] About one.\n\n[2] About two."


def without(data: bytes, *names: str) -> bytes:
    """An archive without these parts, to which others still refer."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w") as after:
        for name in before.namelist():
            if name not in names:
                after.writestr(name, before.read(name))
    return out.getvalue()


def swapped(data: bytes, *pairs: tuple[bytes, bytes]) -> bytes:
    """An archive with bytes in its XML replaced."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name in [name for name in parts if name.endswith((".xml", ".rels"))]:
        for old, new in pairs:
            parts[name] = parts[name].replace(old, new)
    return made.rezipped(data, parts)


OPEN = b"application/vnd.openxmlformats-officedocument."
AS_MACRO = (
    OPEN + b"wordprocessingml.document.main+xml",
    b"application/vnd.ms-word.document.macroEnabled.main+xml",
)
AS_TEMPLATE = (b"wordprocessingml.document.main", b"wordprocessingml.template.main")
STRICTLY = [
    (
        f"http://schemas.openxmlformats.org/{name}/2006/".encode(),
        f"http://purl.oclc.org/ooxml/{name}/".encode(),
    )
    for name in ("officeDocument", "wordprocessingml", "drawingml")
]


@pytest.mark.parametrize(
    ("data", "notes"),
    [
        (swapped(made.docx(), AS_MACRO), ()),
        (swapped(made.docx(), AS_TEMPLATE), ()),
        (swapped(made.docx(), *STRICTLY), ()),
        (made.rezipped(made.docx(), {"docProps/core.xml": b"<broken"}), ()),
        (without(made.docx(), "docProps/core.xml"), ()),
        (
            made.rezipped(made.docx(), {"word/numbering.xml": b"<broken"}),
            ("Damaged parts of the file, and not read: word/numbering.xml.",),
        ),
    ],
)
def test_word_files_that_are_sound_in_their_main_part(data: bytes, notes: tuple[str]) -> None:
    document = read("stove.docx", data)
    assert document.text == "\n\n".join(BLOCKS)
    assert titles(document) == [(1, made.HEADING)]
    assert document.notes == notes


def test_word_without_its_styles_keeps_its_text() -> None:
    text = read("stove.docx", without(made.docx(), "word/styles.xml")).text
    assert all(each in text for each in (made.HEADING, made.FIRST, "Ash | 84", made.LAST))


@pytest.mark.parametrize(
    "data",
    [
        made.rezipped(made.pptx(), {"ppt/slides/slide1.xml": b"<broken"}),
        without(made.pptx(), "ppt/slides/slide1.xml"),
    ],
)
def test_a_broken_slide_costs_no_other(data: bytes) -> None:
    document = read("stove.pptx", data)
    assert pages(document) == {"slide 2": f"{BLOCKS[2]}\n\n | Wood\nMay | 84.0\nJune | 91.5"}
    assert document.notes == ("Damaged and not read: slide 1.",)


def test_a_slide_show_is_read() -> None:
    show = (b"presentationml.presentation.main", b"presentationml.slideshow.main")
    assert read("a.pptx", swapped(made.pptx(), show)) == read("a.pptx", made.pptx())


def test_powerpoint() -> None:
    document = read("stove.pptx", made.pptx())
    first = f"{made.HEADING}\n\n{made.FIRST}\n\n{made.SECOND}\n\nNotes: Speak slowly."
    second = f"{BLOCKS[2]}\n\n | Wood\nMay | 84.0\nJune | 91.5"
    assert pages(document) == {"slide 1": first, "slide 2": second}
    assert document.text == f"{first}\n\n{second}"
    assert titles(document) == [(1, made.HEADING)]
    assert document.place(0, len(document.text)) == "slide 1–2"


def test_html() -> None:
    document = read("stove.html", made.HTML.encode())
    assert document.text == "\n\n".join(BLOCKS)
    assert titles(document) == [(1, made.HEADING)]


@pytest.mark.parametrize(
    ("name", "markup"),
    [("a.md", "# {}"), ("a.md", "{}\n==="), ("a.rst", "{}\n===="), ("a.html", "<h1>{}</h1>")],
)
def test_an_endless_title_is_told_in_short(name: str, markup: str) -> None:
    title = "word " * 20_000 + "end"
    document = read(name, markup.format(title).encode())
    assert title in document.text
    assert document.place(0, 1) == ("word " * 40)[:199] + "…"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>one<p>two", "one\n\ntwo"),
        ("a<br>b<br><br>c", "a\nb\n\nc"),
        ("<pre>\ndef f():\n    return  1\n</pre>", "def f():\n    return  1"),
        ("<ol start=3><li>a<ul><li>b</ul><li>c</ol>", "3. a\n  - b\n4. c"),
        ("<span>a</span><span>b</span> <i>c</i>", "ab c"),
        ("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字</ruby>", "漢字"),
        ("in&shy;for&shy;mation", "information"),
        (
            "x<!-- no --><template>no</template><noscript>no</noscript><svg><text>no</text></svg>y",
            "xy",
        ),
        ("<dl><dt>term<dd>meaning</dl>", "term\nmeaning"),
        ("<details><summary>more</summary>inside</details>", "more\n\ninside"),
        ("<dialog>no</dialog><dialog open>yes</dialog>", "yes"),
        ("<table><td>a|b<td><p>two<p>blocks</table>", "a|b | two blocks"),
        # A table that lays out a page is no table.
        ("<table><td><h2>Menu</h2><p>one<td><p>two</table>", "Menu\n\none\n\ntwo"),
        ("&lt;img src=x onerror=alert(1)&gt; $5 *y*", "<img src=x onerror=alert(1)> $5 *y*"),
        ("<title>Only here</title><p>text", "Only here\n\ntext"),
        ("<?xml version='1.0'?><title/><p>a<a id='x'/>b", "ab"),
        ("<title>Not again</title><h1>Top</h1>", "Top"),
        ("<title>Only here</title><h1> </h1><p>text", "Only here\n\ntext"),
        # A table in a heading cell or a caption lays out a page too, and each text is said once.
        ("<table><th>a<table><th>b<table><td>c</table></table></table>", "a\n\nb\n\nc"),
        ("<table><caption>a<table><td>b</table></caption><td>c</table>", "a\n\nb\n\nc"),
        ("<table><caption>A<tbody hidden><tr><td>no<tbody><tr><th>b<td>c</table>", "A\nb | c"),
        ("<?xml version='1.0'?><p>a <![CDATA[<b> & c]]> d", "a <b> & c d"),
        (
            "<!DOCTYPE html [<!ENTITY co 'ACME'>\n<!ENTITY x SYSTEM 'file:///a'>]><p>&co; &lt;",
            "ACME <",
        ),
        ("", ""),
    ],
)
def test_markup_reads_as_a_browser_shows_it(markup: str, text: str) -> None:
    assert read("a.html", markup.encode()).text == text


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ("<p>café “5 €”".encode(), ReadOptions()),
        ("<meta charset=windows-1252><p>café “5 €”".encode("cp1252"), ReadOptions()),
        ("<meta charset=iso-8859-1><p>café “5 €”".encode("cp1252"), ReadOptions()),
        ("<p>café “5 €”".encode("cp1252"), ReadOptions()),
        ("\ufeff<p>café “5 €”".encode("utf-16-le"), ReadOptions()),
        (
            "<meta charset=utf-8><p>café “5 €”".encode("mac-roman"),
            ReadOptions(encoding="mac-roman"),
        ),
    ],
)
def test_a_page_is_read_in_its_encoding(data: bytes, options: ReadOptions) -> None:
    assert read("a.html", data, options).text == "café “5 €”"


@pytest.mark.parametrize(
    ("label", "encoding", "text"),
    [
        # What each encoding has beyond the one of its label's name.
        ("gb2312", "gb18030", "镕"),
        ("shift_jis", "cp932", "①"),
        ("x-sjis", "cp932", "①"),
        ("euc-kr", "cp949", "똠"),
        ("latin1", "cp1252", "“5 €”"),
        ("us-ascii", "cp1252", "“5 €”"),
        ("iso-8859-9", "cp1254", "“ş”"),
        # Whose word could be read as ASCII is not in UTF-16.
        ("utf-16", "utf-8", "“5 €”"),
        # What browsers ignore.
        ("utf-7", "ascii", "a+AGE-b"),
        ("unicode_escape", "ascii", "\\u0041"),
        ("punycode", "ascii", "abc-"),
        ("nonsense", "utf-8", "é"),
        # A page that is UTF-8, whatever it says.
        ("gb2312", "utf-8", "“5 €”"),
    ],
)
def test_a_declared_encoding_is_what_browsers_take_it_for(
    label: str, encoding: str, text: str
) -> None:
    document = read("a.html", f"<meta charset={label}><p>{text}".encode(encoding))
    assert (document.text, document.notes) == (text, ())


def test_a_bad_byte_costs_itself_and_not_the_declared_encoding() -> None:
    data = "<meta charset=shift_jis><p>日本語の|文".encode("cp932").replace(b"|", b"\x81\x20")
    document = read("a.html", data)
    assert document.text == "日本語の\ufffd 文"
    assert document.notes == ("Bytes without a meaning in cp932, shown as \ufffd: 1.",)


def test_a_picture_among_the_chapters_of_an_epub_is_left_out() -> None:
    data = made.rezipped(made.epub(), {"OPS/c.xhtml": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"})
    document = read("book.epub", data)
    assert document.text == "\n\n".join([*SHIFTED, "Keys", made.LAST])
    assert document.notes == ("Parts that are no pages of text, such as pictures, left out: 1.",)


def test_epub() -> None:
    document = read("book.epub", made.epub())
    assert document.text == "\n\n".join([*SHIFTED, "Keys", made.LAST, "Notes", "The end."])
    assert titles(document) == [(1, made.HEADING), (1, "Keys"), (2, "Notes")]
    at = document.text.index(made.LAST)
    assert document.place(at, at + 5) == "Keys"


def test_notebook() -> None:
    document = read("a.ipynb", made.notebook())
    code = "for wood in woods:\n    print(wood)"
    assert pages(document) == {
        "cell 1": f"# {made.HEADING}\n\n{made.FIRST}",
        "cell 2": f"{code}\n\nAsh\nBeech",
    }
    assert [(each.start, each.title) for each in document.headings] == [(0, made.HEADING)]
    assert document.notes == ("Outputs without text, such as pictures, left out: 1.",)


def test_odd_parts_of_a_notebook_cost_no_others() -> None:
    bar = "".join(f"\r{percent}% of it" for percent in range(101))
    outputs = [
        {"output_type": "stream", "text": ["start\r\n", bar + "\n", "50%\r100%\r\n", "end\r"]},
        "no output",
        {"output_type": "display_data", "data": "no data"},
        {"output_type": "display_data", "data": {"text/plain": ["shown"]}},
        {"output_type": "error", "ename": "Oops", "evalue": 1},
    ]
    cells = [
        {"cell_type": "code", "source": "run()", "outputs": outputs},
        7,
        {"cell_type": "code", "source": {"no": "source"}, "outputs": "none"},
        {"cell_type": "markdown", "source": ["# Last\n", "cell"]},
    ]
    data = json.dumps({"cells": cells, "n": 0}).replace('"n": 0', '"n": ' + "9" * 5_000)
    document = read("a.ipynb", data.encode())
    said = ["run()", "start\n100% of it\n100%\nend", "shown", "Oops: 1", "# Last\ncell"]
    assert document.text == "\n\n".join(said)
    assert [page.label for page in document.pages] == ["cell 1", "cell 4"]
    assert document.notes == ("Cells and outputs that are none, left out: 5.",)


@pytest.mark.parametrize(
    ("name", "data", "rows"),
    [
        (
            "a.csv",
            "Wood,Price\nAsh,84\nBeech,91\n",
            ["Wood: Ash; Price: 84", "Wood: Beech; Price: 91"],
        ),
        ("a.csv", "Wood;Price\r\nAsh;84,50\r\n", ["Wood: Ash; Price: 84,50"]),
        ("a.tsv", "Wood\tPrice\nAsh\t84\n", ["Wood: Ash; Price: 84"]),
        ("a.csv", 'Q,A\n"one,\n\ntwo","say ""x"""\n', ['Q: one, two; A: say "x"']),
        ("a.csv", "1,2\n3,4\n", ["1; 2", "3; 4"]),
        (
            "a.csv",
            "Wood,Price\nAsh\nBeech,91,dear\n",
            ["Wood: Ash", "Wood: Beech; Price: 91; dear"],
        ),
        ("a.csv", "Wood,Price\n\n,\n Ash ,\n", ["Wood: Ash"]),
        ("a.csv", "one line, of text\n", ["one line; of text"]),
        # Years and dates name columns, unless years stand below them.
        ("a.csv", "Wood,2019,1/22/20\nAsh,84,91\n", ["Wood: Ash; 2019: 84; 1/22/20: 91"]),
        ("a.csv", "Ash,2019\nBeech,2020\n", ["Ash; 2019", "Beech; 2020"]),
        ("a.csv", "sep=|\r\nWood|Price\r\nAsh|84;50,1\r\n", ["Wood: Ash; Price: 84;50,1"]),
        ("a.csv", 'Wood, Note\n"Ash", "dry, long"\n', ["Wood: Ash; Note: dry, long"]),
        ("a.csv", "Name\nAsh, dry\nBeech, wet\n", ["Name: Ash; dry", "Name: Beech; wet"]),
        ("a.csv", "", []),
    ],
)
def test_rows_say_what_their_values_are(name: str, data: str, rows: list[str]) -> None:
    document = read(name, data.encode())
    assert document.text == "\n\n".join(rows)
    if data and "line" not in data:
        assert list(pages(document).values()) == rows
        assert document.place(0, len(document.text)) == ("row 1–2" if len(rows) == 2 else "row 1")


def test_a_title_above_the_header_is_no_row() -> None:
    for data in ("Report 2024\nWood;Price\nAsh;84\n", "Report 2024;\n;\nWood;Price\nAsh;84\n"):
        document = read("a.csv", data.encode())
        assert document.text == "Report 2024\n\nWood: Ash; Price: 84"
        assert pages(document) == {"row 1": "Wood: Ash; Price: 84"}


def test_a_quote_that_is_never_closed_takes_no_other_row() -> None:
    document = read("a.csv", b'Wood,Note\nAsh,"dry\nBeech,"wet, old"\nElm,"big\nOak,new\n')
    # The second quote closes the first, as it does for every program; the last one is alone.
    assert document.text.endswith('Wood: Elm; Note: "big\n\nWood: Oak; Note: new')
    assert document.notes == ("Opened and never closed is the quote in line 4.",)
    document = read("a.csv", b'Wood,Note\nAsh,"dry\nBeech,wet\n')
    assert document.text == 'Wood: Ash; Note: "dry\n\nWood: Beech; Note: wet'


RECORDS = [{"id": 7, "text": "One.\n\nTwo."}, {"id": 8, "text": "Three.", "tags": ["a", "b"]}]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", json.dumps(RECORDS)),
        ("a.json", json.dumps({"total": 2, "rows": RECORDS})),
        ("a.jsonl", "\n".join(map(json.dumps, RECORDS)) + "\n"),
        ("a.json", "\n".join(map(json.dumps, RECORDS))),
    ],
)
def test_json_of_a_field(name: str, data: str) -> None:
    document = read(name, data.encode())
    assert pages(document) == {"record 1": "One.\n\nTwo.", "record 2": "Three."}
    assert document.notes == ("Only the field “text” of each record was read, not id, tags.",)
    chosen = read(name, data.encode(), ReadOptions(field="tags"))
    assert chosen.text == "a\nb"
    with pytest.raises(LoadError, match=r"a\.jsonl? has no text in a field 'body'\. .* id, text"):
        read(name, data.encode(), ReadOptions(field="body"))


def test_json_of_all_fields_and_of_a_path() -> None:
    data = json.dumps([{"name": "Ash", "price": {"euro": 84, "dry": True}, "none": None}]).encode()
    assert read("a.json", data).text == "name: Ash\nprice.euro: 84\nprice.dry: true"
    assert read("a.json", data, ReadOptions(field="price.euro")).text == "84"
    assert read("a.json", b'["Ash", "Beech"]').text == "Ash\n\nBeech"


def test_a_broken_line_of_jsonl_costs_no_other() -> None:
    document = read("a.jsonl", b'{"text": "one"}\n{"text": \n{"text": "two"}\n')
    assert document.text == "one\n\ntwo"
    assert document.notes[0] == "Not JSON and left out: line 2."
    with pytest.raises(LoadError, match=r"^a\.json is not JSON: Expecting"):
        read("a.json", b"no JSON at all")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        # Beside the one array, text is a record of its own.
        (
            '{"title": "Policy", "note": "Read it.", "rows": [{"a": "x"}, {"a": "y"}]}',
            "title: Policy\nnote: Read it.\n\na: x\n\na: y",
        ),
        ('{"ok": true, "rows": [{"a": "x"}, {"a": "y"}]}', "a: x\n\na: y"),
        # A field that is empty or a number is not the text.
        ('[{"text": "", "body": "real"}, {"text": " ", "body": "too"}]', "real\n\ntoo"),
        ('[{"answer": 42, "why": "so"}]', "answer: 42\nwhy: so"),
        # Without the field a record is read whole.
        (
            '[{"text": "a"}, {"text": "b"}, {"text": "", "body": "c"}, {"text": "d"}, {"x": "e"}]',
            "a\n\nb\n\nbody: c\n\nd\n\nx: e",
        ),
        # Numbers as they are written.
        (
            "[1.20, 1e999, -0.0, 12345678901234567890.10]",
            "1.20\n\n1e999\n\n-0.0\n\n12345678901234567890.10",
        ),
        (f'[{{"n": {"9" * 5_000}}}]', f"n: {'9' * 5_000}"),
        ('[{"n": NaN, "yes": true}]', "n: NaN\nyes: true"),
        # A name that an object has twice.
        ('[{"a": "x", "b": "y", "a": "z"}]', "a: x\na: z\nb: y"),
    ],
)
def test_json_keeps_all_texts_and_numbers(data: str, text: str) -> None:
    assert read("a.json", data.encode()).text == text


def test_records_without_the_field_are_counted() -> None:
    data = b'[{"text": "a", "n": "x"}, {"text": "b"}, {"body": "c"}]'
    assert read("a.json", data).notes[1] == "Records without a text in “text”, read whole: 1."
    chosen = read("a.json", data, ReadOptions(field="n"))
    assert (chosen.text, chosen.notes) == (
        "x",
        ("Records without a text in “n”, left out: 2.",),
    )


SRT = """1
00:00:01,000 --> 00:00:03,000
<i>The stove is lit</i>

2
00:00:03,100 --> 00:00:05,000
on the first of November.

3
00:01:10,000 --> 00:01:12,000
Amara keeps
the key.
"""
VTT = """WEBVTT

NOTE no subtitle

00:01.000 --> 00:03.000 align:start
<v Amara>The stove &amp; the key.

intro
01:00:05.000 --> 01:00:06.000
<c.loud>Shut</c> the door.
"""


def test_subtitles() -> None:
    document = read("a.srt", SRT.replace("\n", "\r\n").encode())
    assert pages(document) == {
        "0:00:01": "The stove is lit on the first of November.",
        "0:01:10": "Amara keeps the key.",
    }
    assert document.place(0, len(document.text)) == "0:00:01–0:01:10"
    document = read("a.vtt", VTT.encode())
    assert pages(document) == {
        "0:00:01": "Amara: The stove & the key.",
        "1:00:05": "Shut the door.",
    }
    with pytest.raises(LoadError, match=r"^a\.srt holds no subtitles"):
        read("a.srt", b"just text")


def test_captions_that_roll_are_said_once() -> None:
    shown = [("a", "b"), ("b", "c"), ("c", "d")]
    cues = [f"00:0{n}.000 --> 00:0{n + 1}.000\n{x}\n{y}\n" for n, (x, y) in enumerate(shown)]
    data = ("WEBVTT\n\n" + "\n".join(cues)).encode()
    document = read("a.vtt", data)
    assert document.text == "a b c d"
    assert document.removed == ("lines that a cue repeats from the one before: 2",)
    assert read("a.vtt", data, ReadOptions(mend=False)).text == "a b b c c d"
    # Twice in one conversation is no rolling.
    words = ["No.", "No.", "Why?", "So.", "Oh."]
    cues = [f"00:0{n}.000 --> 00:0{n + 1}.000\n{x}\n" for n, x in enumerate(words)]
    data = ("WEBVTT\n\n" + "\n".join(cues)).encode()
    assert read("a.vtt", data).text == "No. No. Why? So. Oh."


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        # Line ends that went through a wrong transfer, and all lines set apart.
        ("a.srt", SRT.replace("\n", "\r\r\n"), "on the first of November."),
        ("a.srt", SRT.replace("\n", "\n\n"), "on the first of November."),
        (
            "a.srt",
            "1\n0:00:01,0 --> 0:00:02,0\n\nOne\n\ntwo.\n\n2\n0:00:02,0 --> 0:00:03,0\nEnd",
            "",
        ),
        ("a.srt", "1\n0:00:01,0 --> 0:00:02,0\nOne\ntwo.\n2\n0:00:02,0 --> 0:00:03,0\nEnd", ""),
        # Numbers that are said, without any that count.
        ("a.vtt", "WEBVTT\n\n00:01.0 --> 00:02.0\n2\n\n00:02.0 --> 00:03.0\n1", "2 1"),
        (
            "a.srt",
            "1\n0:00:01,0 --> 0:00:02,0\nHow many?\n42\n\n2\n0:00:02,0 --> 0:00:03,0\n7",
            "How many? 42 7",
        ),
        (
            "a.vtt",
            "WEBVTT\n\n00:01.0 --> 00:02.0\nOne\n\nNOTE no\nno\n\n00:02.0 --> 00:03.0\ntwo",
            "One two",
        ),
    ],
)
def test_blank_lines_and_numbers_between_cues_cost_no_words(
    name: str, text: str, said: str
) -> None:
    assert (said or "One two. End") in read(name, text.encode()).text
    assert len(read(name, text.encode()).text) <= 68


def cues(*shown: str, lasts: float = 1.0) -> bytes:
    """WebVTT with a cue each second; those that begin with ! are shown for a moment."""
    parts = ["WEBVTT\n"]
    for second, lines in enumerate(shown):
        end = second + (0.01 if lines.startswith("!") else lasts)
        parts.append(f"00:{second:02}.000 --> 00:{end:06.3f}\n{lines.lstrip('!')}\n")
    return "\n".join(parts).encode()


def test_what_people_say_twice_is_kept() -> None:
    said = ["Yes."] * 19 + ["La la la"] * 4
    document = read("a.vtt", cues(*said))
    assert document.text.split() == " ".join(said).split()
    assert document.removed == ()
    # What rolls shows each line for a moment alone; a line that is said again stays.
    rolls = cues("a", "!a", "a\nb", "!b", "b\nno", "!no", "no\nno", "end")
    assert read("a.vtt", rolls).text == "a b no no end"


def test_a_voice_that_never_ends_costs_no_time() -> None:
    assert read("a.vtt", cues("<v" + " " * 5_000_000 + "x")).text == "<v x"


# A search that goes back for each of its signs would take hours.
LONG_TITLE = "# a" + " #" * 200_000 + " b"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "a.md",
            "intro\r\n# One #\r\ntext\r\n\r\nTwo\r\n---\r\n### Three\r\n",
            [(1, "One"), (2, "Two"), (3, "Three")],
        ),
        (
            "a.md",
            "~~~\n# not a heading\n~~~\n````\n```\n# nor this\n````\n#no\n    # no\n# Yes",
            [(1, "Yes")],
        ),
        ("a.md", "a\nb\n---\n- item\n---\n> quote\n===\n", []),
        ("a.md", "---\ntitle: front\n---\n# Top\n", [(1, "Top")]),
        (
            "a.rst",
            "====\nBook\n====\n\nOne\n---\ntext\n\nTwo\n---\n\nDeep\n~~~~\n",
            [(1, "Book"), (2, "One"), (2, "Two"), (3, "Deep")],
        ),
        ("a.md", LONG_TITLE, [(1, LONG_TITLE[2:201] + "…")]),
        (
            "a.md",
            "<!-- # no\n# no -->\n# Yes\n<pre>\n# no\n\n# no\n</pre>\n# Too",
            [(1, "Yes"), (1, "Too")],
        ),
        ("a.md", "+++\n# no\ntitle = 1\n+++\n# Yes\n+++\n# Too", [(1, "Yes"), (1, "Too")]),
        # In code these are signs like others, and what is never closed hides nothing.
        ("a.md", "```\n<!--\n```\n# Yes\n`<!--` and `<pre>`\n# Too\n", [(1, "Yes"), (1, "Too")]),
        ("a.md", "```\r\n<pre>\r\n```\r\n# Yes\r\n</pre>", [(1, "Yes")]),
        ("a.md", "<!-- a\n```\n-->\n# Yes\n<!-- b -->\n---\n", [(1, "Yes")]),
        ("a.md", "<!--\n# Yes\n\n<pre>\n# Too\n", [(1, "Yes"), (1, "Too")]),
        ("a.md", "# One <!-- two -->\nThree\n=====\n", [(1, "One <!-- two -->"), (1, "Three")]),
        ("a.rst", "text\nmore\n----\n\n=====  =====\ncell   cell\n=====  =====\n", []),
    ],
)
def test_headings_of_plain_formats(name: str, text: str, expected: list[tuple[int, str]]) -> None:
    document = read(name, text.encode())
    assert document.text == text
    assert titles(document) == expected


@pytest.mark.parametrize("name", ["a.txt", "a.py", "a.md", "LICENSE", "a.unknown"])
def test_plain_text_is_what_it_is(name: str) -> None:
    text = "def f():\r\n\treturn '\u00ad'  \n\n\n\ufb01"
    assert read(name, text.encode()).text == text


def test_place() -> None:
    marks = (Mark(0, 5, "p. 1"), Mark(7, 12, "p. 3"))
    headings = (Heading(2, 1, "First"), Heading(8, 2, "Second"))
    paged = Document("a.pdf", "x" * 14, pages=marks, headings=headings)
    found = [paged.place(*span) for span in [(0, 5), (4, 8), (5, 7), (7, 7), (12, 14), (0, 14)]]
    assert found == ["p. 1", "p. 1–3", "", "p. 3", "", "p. 1–3"]
    titled = Document("a.md", "x" * 14, headings=headings)
    assert [titled.place(*span) for span in [(0, 2), (0, 3), (2, 9), (8, 9)]] == [
        "",
        "First",
        "First",
        "First › Second",
    ]
    assert Document("a.md", "text").place(0, 4) == ""
    assert paged == Document("a.pdf", "x" * 14)


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.txt", made.pdf([made.lines([made.FIRST])]), "PDF"),
        ("a.docx", made.pdf([made.lines([made.FIRST])]), "PDF"),
        ("a.pptx", made.docx(), "Word"),
        ("a.pdf", made.docx(), "Word"),
        ("a.docx", made.epub(), "EPUB"),
        ("a.pdf", made.HTML.encode(), "HTML"),
    ],
)
def test_a_wrong_ending_is_read_by_content(name: str, data: bytes, kind: str) -> None:
    document = read(name, data)
    assert made.FIRST in document.text
    assert document.notes[0].startswith(f"Read as {kind}, which its first bytes show")


def in_process(name: str, data: bytes) -> str:
    """Without a process, which costs more than the reading; for many small files."""
    return extract(name, data, ReadOptions(), lambda done, total: None).text


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="\xad\ufeff"),
    min_size=1,
    max_size=12,
)
PARAGRAPHS = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=6)


@given(PARAGRAPHS)
def test_any_paragraphs_come_back_from_html(paragraphs: list[str]) -> None:
    markup = "".join(f"<p>\n {html.escape(each).replace(' ', '  ')} </p>" for each in paragraphs)
    assert in_process("a.html", markup.encode()) == "\n\n".join(paragraphs)


@given(PARAGRAPHS)
@settings(max_examples=20, deadline=None)
def test_any_paragraphs_come_back_from_word(paragraphs: list[str]) -> None:
    document = docx.Document()
    for each in paragraphs:
        document.add_paragraph(each)
    out = io.BytesIO()
    document.save(out)
    assert in_process("a.docx", out.getvalue()) == "\n\n".join(paragraphs)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6), st.sampled_from(",;\t|"))
def test_any_cells_come_back_from_csv(rows: list[tuple[str, str]], delimiter: str) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerows([("Name", "Said"), *rows])
    expected = [f"Name: {one}; Said: {other}" for one, other in rows]
    assert in_process("a.csv", out.getvalue().encode()) == "\n\n".join(expected)


@given(PARAGRAPHS)
def test_any_records_come_back_from_jsonl(paragraphs: list[str]) -> None:
    data = "".join(json.dumps({"n": 1, "text": each}) + "\n" for each in paragraphs)
    assert in_process("a.jsonl", data.encode()) == "\n\n".join(paragraphs)


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pypdfium2", None)
    package = reader_of("a.pdf").package
    said = rf"^a\.pdf needs the package pypdfium2: pip install {re.escape(package)}$"
    with pytest.raises(LoadError, match=said):
        extract("a.pdf", made.pdf([[]]), ReadOptions(), lambda done, total: None)


def test_a_folder_of_all_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(made.docx())
    (tmp_path / "b.PDF").write_bytes(made.pdf([made.lines([made.FIRST])]))
    (tmp_path / "c.py").write_text("print()")
    (tmp_path / "d.jsonl").write_text('{"text": "a record"}\n')
    # Questions with their answers would be found by every question.
    (tmp_path / "questions.jsonl").write_text('{"question": "q", "answers": []}\n')
    (tmp_path / "~$a.docx").write_bytes(b"Amara")
    (tmp_path / "e.png").write_bytes(b"\x89PNG")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "README.md").write_text("a tool's own")
    # The questions of a command can be of any kind.
    (tmp_path / "asked.csv").write_text("question,references,corpus_id\n")
    asked = tmp_path / "node_modules" / ".." / "asked.csv"
    steps: list[Progress] = []
    documents, problems = load_folder(tmp_path, progress=steps.append, without=[asked])
    assert documents == load_documents(tmp_path)[:1] + load_documents(tmp_path)[2:]
    assert problems == []
    assert list(dict.fromkeys(step.source for step in steps)) == [
        "a.docx",
        "b.PDF",
        "c.py",
        "d.jsonl",
    ]
    assert [document.source for document in documents] == ["a.docx", "b.PDF", "c.py", "d.jsonl"]
    assert [document.text[:8] for document in documents] == [
        "Heating ",
        "The stov",
        "print()",
        "a record",
    ]
