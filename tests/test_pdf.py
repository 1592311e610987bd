"""PDF: pages are exact, what runs along them goes and is told, lines flow, words are whole."""

from __future__ import annotations

import io
from typing import Any

import pytest

from ragchunk.documents import Document, ReadOptions
from ragchunk.readers.lines import Line
from ragchunk.readers.mending import Page, mended
from tests import made
from tests.reading import read
from tests.required import required

AS_DRAWN = ReadOptions(mend=False)


def pages(document: Document) -> dict[str, str]:
    return {page.label: document.text[page.start : page.end] for page in document.pages}


def body(*texts: str, **where: float) -> list:
    return made.lines(texts, **where)


def test_lines_of_a_paragraph_are_joined_and_paragraphs_kept() -> None:
    page = body(
        "The stove in the boat shed is lit on the first of November, and then",
        "it burns until the ice is gone from the small harbour, day and night.",
    ) + body(
        "Wood costs 84 euros a cubic metre, and dry means two years of rest un-",
        "der a roof.",
        y=660,
    )
    document = read("a.pdf", made.pdf([page]))
    assert document.text == (
        "The stove in the boat shed is lit on the first of November, and then it burns until the "
        "ice is gone from the small harbour, day and night.\n\n"
        "Wood costs 84 euros a cubic metre, and dry means two years of rest under a roof."
    )
    assert document.removed == ("hyphen at a line end: “un-der” (once)",)
    assert read("a.pdf", made.pdf([page]), AS_DRAWN).text == (
        "The stove in the boat shed is lit on the first of November, and then\n"
        "it burns until the ice is gone from the small harbour, day and night.\n\n"
        "Wood costs 84 euros a cubic metre, and dry means two years of rest un-\n"
        "der a roof."
    )


@pytest.mark.parametrize(
    ("first", "second", "joined", "told"),
    [
        ("and this was much infor-", "mation for all of us here", "much information for", True),
        # Written so inside a line, or before a capital or a number: the hyphen is its own.
        ("it is well-known to a well-", "known man and to us here", "a well-known man", False),
        ("we have spoken with Jean-", "Paul about it and he went", "with Jean-Paul about", False),
        ("see the tables in part A-", "12 of this very long book", "part A-12 of", False),
        ("and then it stopped all -", "nobody knew why it did so", "all - nobody", False),
        ("the address is https://example.org/some-", "path of it", "example.org/some-path", False),
        ("write to the man at anna@north-", "shore.org if", "anna@north-shore.org", False),
        ("read what they say on pages 10-", "20 of that very book", "pages 10-20 of", False),
        ("it was so in all the years 2019-", "2020 and not later", "years 2019-2020 and", False),
        ("they had learned it at the A-", "level and not before it", "the A-level and", False),
        ("and it is seen best in an X-", "ray of the hand or foot", "an X-ray of", False),
        ("it goes from there left-", "to-right and not up", "left-to-right and", False),
        ("in all the pre- and post-", "war years of this town", "pre- and post-war years", False),
        ("is known well, and a well-", "known man is known to all", "a well-known man", False),
        ("a well-read man and a well-", "known one came to us here", "a well-known one", False),
        ("feature-specific and device-", "specific rules of the boat", "device-specific", False),
        ("and it is known to be un-", "known to us all, to be sure", "be unknown to us", True),
    ],
)
def test_hyphens_at_line_ends(first: str, second: str, joined: str, told: bool) -> None:
    document = read("a.pdf", made.pdf([body(first, second)]))
    assert joined in document.text
    assert bool(document.removed) is told


def numbered(count: int, footer: str = "Page {} of 4") -> bytes:
    return made.pdf(
        [
            [
                (72, 800, 9, "ACME report"),
                *body(f"{word} is the first word of this page, and what follows says more."),
                (280, 30, 9, footer.format(number)),
            ]
            for number, word in enumerate(["One", "Two", "Three", "Four"][:count], 1)
        ]
    )


def test_what_runs_along_the_pages_goes_and_is_told() -> None:
    document = read("a.pdf", numbered(4))
    assert pages(document) == {
        f"p. {number}": f"{word} is the first word of this page, and what follows says more."
        for number, word in enumerate(["One", "Two", "Three", "Four"], 1)
    }
    assert document.removed == (
        "running header “ACME report” on 4 pages",
        "page number “Page 1 of 4” on 4 pages",
    )
    kept = read("a.pdf", numbered(4), AS_DRAWN)
    assert kept.text.count("ACME report") == 4
    assert kept.text.count(" of 4") == 4
    assert kept.removed == ()


def test_a_header_of_one_page_goes_by_its_number_and_a_line_that_comes_back_stays() -> None:
    heads = ["1", *(f"Stoves {number}" for number in range(2, 8)), "Keys 8", "9"]
    texts = [f"Text {word} of this page and its size." for word in "ABCDEFGHI"]
    again = [(72, 780, 10, "See also the other page.")]
    document = read(
        "a.pdf",
        made.pdf(
            [
                [(300, 800, 10, head), *(again if number in (0, 4, 8) else []), *body(text)]
                for number, (head, text) in enumerate(zip(heads, texts, strict=True))
            ]
        ),
    )
    again_and_text = [f"See also the other page.\n\n{text}" for text in texts]
    expected = [(again_and_text if n in (0, 4, 8) else texts)[n] for n in range(9)]
    # Words that stand on one page alone are not lost for a number beside them.
    expected[7] = f"Keys 8\n\n{texts[7]}"
    assert list(pages(document).values()) == expected
    assert document.removed == (
        "page number “Stoves 2” on 6 pages",
        "page number “1” and its like on 2 more pages",
    )


SIX = ["apples", "rivers", "engines", "lanterns", "harbours", "violins"]


@pytest.mark.parametrize(
    ("first", "gap"),
    [
        ("{n}. The owner of the {w} must tell the other party at once when", 14),
        ("Lesson {n}", 14),
        ("Lesson {n}", 28),
        ("{n} About {w}", 28),
        ("{n} About {w}", 60),
        ("Lesson {n}", 60),
        ("Results for the year 201{n}", 14),
        ("Patient: Anna Berg", 14),
    ],
)
def test_the_first_lines_of_pages_stay(first: str, gap: int) -> None:
    """Six pages of A4 with margins of an inch: text, however alike its lines are."""
    made_pages = [
        [
            (72, 758, 11, first.format(n=n, w=word)),
            (72, 758 - gap, 11, f"The {word} are described in this part of the agreement and"),
            (72, 744 - gap, 11, f"nothing else is said of the {word} in any other part, so"),
            (72, 730 - gap, 11, f"that all know what the {word} cost and who has to pay."),
        ]
        for n, word in enumerate(SIX, 1)
    ]
    document = read("a.pdf", made.pdf(made_pages))
    for text, (n, word) in zip(pages(document).values(), enumerate(SIX, 1), strict=True):
        assert text.startswith(first.format(n=n, w=word))
    assert document.removed == ()


def test_footnotes_columns_and_pages_of_a_letter_stay() -> None:
    notes = [
        [
            *body(f"About the {word} and what they cost.", "There is more to be said."),
            (72, 50, 9, f"{n} See the survey of {word} by Berg, 1998, p. {n * 31}."),
        ]
        for n, word in enumerate(SIX, 1)
    ]
    text = read("a.pdf", made.pdf(notes)).text
    assert all(f"{n} See the survey of {word} by" in text for n, word in enumerate(SIX, 1))
    columns = [
        body(f"Column one of page {n} begins", f"with the {word} of", "one owner.", y=770)
        + body(f"Column two of page {n} begins", f"with the {word} of", "another.", x=320, y=770)
        for n, word in enumerate(SIX, 1)
    ]
    text = read("a.pdf", made.pdf(columns)).text
    for n in range(1, 7):
        assert f"Column one of page {n} begins" in text
        assert f"Column two of page {n} begins" in text
    letter = [[(72, 800, 10, "Dear Sir,"), *body("The stove is lit.")] for _ in range(2)]
    assert read("a.pdf", made.pdf(letter)).text.count("Dear Sir,") == 2


def test_numbers_in_changing_places_are_counted_in_words() -> None:
    """On six pages, each at a height of its own: "6 pages", as there are no others."""
    made_pages = [
        [*body(f"The {word} are here."), (72, 20 + 7 * n, 10, str(n))]
        for n, word in enumerate(SIX, 1)
    ]
    document = read("a.pdf", made.pdf(made_pages))
    assert list(pages(document).values()) == [f"The {word} are here." for word in SIX]
    assert document.removed == ("page number “1” and its like on 6 pages",)


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_a_turned_page_is_read_as_it_is_shown(turned: int) -> None:
    """The same page, turned in its file: drawn so that it is upright again when it is shown."""
    first = "The stove in the boat shed is lit on the first of November, and then"
    second = "it burns until the ice is gone from the small harbour, day and night."
    out = io.BytesIO()
    canvas = _canvas(out)
    canvas.setPageRotation(turned)
    canvas.translate(*{90: (595, 0), 180: (595, 842), 270: (0, 842)}[turned])
    canvas.rotate(turned)
    for y, text in [(400, first), (388, second), (350, "Another paragraph.")]:
        canvas.drawString(50, y, text)
    canvas.save()
    assert read("a.pdf", out.getvalue()).text == f"{first} {second}\n\nAnother paragraph."


def test_one_page_has_nothing_that_runs() -> None:
    assert "ACME report" in read("a.pdf", numbered(1)).text


@pytest.mark.parametrize("footer", ["{}", "- {} -"])
def test_a_bare_number_goes_if_it_counts(footer: str) -> None:
    document = read("a.pdf", numbered(4, footer))
    assert document.text.endswith("says more.")
    assert len(document.removed) == 2


def test_titles_and_figures_at_the_edge_of_a_page_stay() -> None:
    made_pages = [
        [
            (72, 800, 18, f"Chapter {number}"),
            *body("Some words that make the text of this page and its size."),
            (72, 40, 10, price),
        ]
        for number, price in enumerate(["84", "91", "17"], 1)
    ]
    document = read("a.pdf", made.pdf(made_pages))
    assert [text.split("\n\n")[0] for text in pages(document).values()] == [
        "Chapter 1",
        "Chapter 2",
        "Chapter 3",
    ]
    assert [text[-2:] for text in pages(document).values()] == ["84", "91", "17"]
    assert document.removed == ()


def test_columns_are_read_one_after_the_other() -> None:
    left = body("left one is here and goes on", "left two is here and goes on")
    right = body("right one is here and goes on", "right two is here and ends.", x=320)
    assert read("a.pdf", made.pdf([left + right])).text == (
        "left one is here and goes on left two is here and goes on "
        "right one is here and goes on right two is here and ends."
    )


def test_one_column_is_read_from_the_top_down() -> None:
    """Some programs draw backgrounds, and what stands on them, after everything else."""
    drawn = [
        (72, 700, 10, "Before the code."),
        (72, 600, 10, "Behind it."),
        (72, 650, 10, "the code"),
    ]
    for options in (ReadOptions(), AS_DRAWN):
        text = read("a.pdf", made.pdf([drawn]), options).text
        assert text == "Before the code.\n\nthe code\n\nBehind it."


def coded(*code: str) -> bytes:
    """A page of code in Courier, which is 6 points wide at a size of 10; "" is a blank line."""
    drawn = [
        (72 + 6 * (len(line) - len(line.lstrip())), 700 - 12 * number, 10, line.lstrip())
        for number, line in enumerate(code)
        if line
    ]
    return made.pdf([drawn]).replace(b"/BaseFont /Helvetica", b"/BaseFont /Courier")


@pytest.mark.parametrize("options", [ReadOptions(), AS_DRAWN])
def test_code_keeps_its_lines_and_indentation(options: ReadOptions) -> None:
    code = ["def f(x):", "    if x:", "        return 1", "", "    return 2 -", "12. # is no item"]
    assert read("a.pdf", coded(*code), options).text == "\n".join(code)


@pytest.mark.parametrize(
    "short",
    [
        ["Anna Berg", "Main Street 12", "1234 Oslo", "Norway"],
        [
            "The stove is lit in the cold of the day,",
            "And the boat is asleep in the shed;",
            "The key on its nail and the oars put away,",
            "Amara is long gone to bed.",
        ],
    ],
)
def test_lines_that_end_before_the_margin_stay_apart(short: list[str]) -> None:
    assert read("a.pdf", made.pdf([body(*short)])).text == "\n".join(short)


def test_a_number_at_the_start_of_a_line_in_a_sentence_begins_nothing() -> None:
    page = body(
        "The stove in the boat shed has burned through every winter since the year",
        "12. It was lit again this year, and the first version of its rules was number",
        "0. With this one it is different, as all of us who sit beside it know by now.",
        x=130,
    )
    text = read("a.pdf", made.pdf([page])).text
    assert "since the year 12. It was lit" in text
    assert "was number 0. With this" in text
    assert "\n\n" not in text


def test_rows_of_a_table_stay_rows() -> None:
    rows = [["Wood", "Price"], ["Ash", "84"], ["Beech", "91"]]
    page = [
        (72 + 150 * column, 700 - 20 * number, 10, cell)
        for number, row in enumerate(rows)
        for column, cell in enumerate(row)
    ]
    assert read("a.pdf", made.pdf([page])).text == "Wood Price\nAsh 84\nBeech 91"


NAMED = b"/Encoding << /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /fl] >>"
MAPPED = b"/Encoding /WinAnsiEncoding /ToUnicode 99 0 R"
CMAP = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def
/CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange
2 beginbfchar <01> <FB01> <02> <FB02> endbfchar
1 beginbfrange <20> <7e> <0020> endbfrange endcmap end end"""


@pytest.mark.parametrize("encoding", [NAMED, MAPPED])
def test_ligatures_are_written_out(encoding: bytes) -> None:
    data = made.pdf([body("We \x01nd the \x02ue in the of\x01ce.")])
    data = data.replace(b"/Encoding /WinAnsiEncoding", encoding)
    stream = b"99 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (len(CMAP), CMAP)
    data = data.replace(b"xref\n0", stream + b"xref\n0")
    assert read("a.pdf", data).text == "We find the flue in the office."


def flowed(*texts: str) -> str:
    """What becomes of the lines of one paragraph."""
    lines = [Line(text, 72, 172, 700 - 12 * n, 710 - 12 * n) for n, text in enumerate(texts)]
    [(_, text)] = mended([Page(1, 842, lines)]).pages
    return text


def test_scripts_without_spaces_and_soft_hyphens() -> None:
    assert flowed("日本語です。次の", "文です。") == "日本語です。次の文です。"
    assert flowed("日本語 and", "English words") == "日本語 and English words"
    assert flowed("much infor\xad", "mation is in\xadside") == "much information is inside"


def test_items_and_short_lines_stay_apart() -> None:
    page = body(
        "A long line of text that shows how far to the right a line of this page goes:",
        "1. the left door",
        "2. the flue",
    )
    _, items = read("a.pdf", made.pdf([page])).text.split("\n\n")
    assert items == "1. the left door\n2. the flue"
    page = body(
        "Amara Example",
        "12 Harbour Road",
        "A long line of text that shows how far to the right a line of this page goes",
        "and how it goes on.",
    )
    assert read("a.pdf", made.pdf([page])).text.split("\n")[:2] == [
        "Amara Example",
        "12 Harbour Road",
    ]


def test_a_page_without_text_is_told_and_not_counted_out() -> None:
    text = body("Some words that make the text of this page.")
    document = read("a.pdf", made.pdf([text, [], [], text]))
    assert list(pages(document)) == ["p. 1", "p. 4"]
    assert document.notes == ("Without text, perhaps scanned or pictures: pages 2–3.",)
    assert document.place(0, len(document.text)) == "p. 1–4"


def _canvas(out: io.BytesIO, **options: Any) -> Any:
    """The PDF writer of another project, or a skip."""
    try:
        from reportlab.pdfgen.canvas import Canvas
    except ImportError:
        if required():
            raise
        pytest.skip("reportlab is not installed: requirements-dev.txt has it")
    return Canvas(out, pagesize=(595, 842), **options)


def _three_parts(**options: Any) -> bytes:
    out = io.BytesIO()
    canvas = _canvas(out, **options)
    for number in range(1, 4):
        canvas.bookmarkPage(f"key{number}")
        canvas.addOutlineEntry(f"Part {number}", f"key{number}", level=min(number, 2) - 1)
        canvas.drawString(72, 740, f"Before. Part {number}")
        canvas.drawString(72, 700, "Some text.")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def test_the_outline_gives_headings_where_their_titles_stand() -> None:
    document = read("a.pdf", _three_parts())
    assert [(each.level, each.title) for each in document.headings] == [
        (1, "Part 1"),
        (2, "Part 2"),
        (2, "Part 3"),
    ]
    for heading in document.headings:
        assert document.text.startswith(heading.title, heading.start)
    assert [page.label for page in document.pages] == ["p. 1", "p. 2", "p. 3"]


def test_what_only_its_owner_has_locked_is_read() -> None:
    _canvas(io.BytesIO())  # or skip
    from reportlab.lib.pdfencrypt import StandardEncryption

    lock = StandardEncryption("", ownerPassword="key", strength=128)
    assert "Some text." in read("a.pdf", _three_parts(encrypt=lock)).text


def test_a_form_says_what_was_filled_in() -> None:
    out = io.BytesIO()
    canvas = _canvas(out)
    canvas.drawString(72, 700, "Name:")
    canvas.acroForm.textfield(name="name", value="Amara Example", x=120, y=690, width=200)
    canvas.save()
    assert "Amara Example" in read("form.pdf", out.getvalue()).text
