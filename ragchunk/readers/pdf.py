"""PDF: text from the top down, columns in the order in which they are drawn; outline as headings.

PDFium writes ligatures out by itself.
"""

from __future__ import annotations

from typing import Any

from ragchunk.errors import LoadError
from ragchunk.readers.base import MOST_CHARACTERS, Extract, Heading, Mark, ReadOptions, Told
from ragchunk.readers.blocks import in_words
from ragchunk.readers.cutting import least_of
from ragchunk.readers.headings import titled
from ragchunk.readers.lines import lines_of
from ragchunk.readers.mending import Mended, Page, as_drawn, mended

_NO_LETTERS = 0.1  # the share of unreadable characters from which on it is said


def read(data: bytes, options: ReadOptions, told: Told) -> Extract:
    import pypdfium2 as pdfium

    try:
        pdf = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise LoadError("is locked with a password. Save it without one first.") from error
        raise LoadError(
            "is a damaged PDF: its pages cannot be found. Open it in a viewer, and save it again."
        ) from error
    try:
        pages, notes = _pages(pdf, told)
        made = mended(pages) if options.mend else as_drawn(pages)
        return _extract(pdf, made, notes)
    finally:
        pdf.close()


def _pages(pdf: Any, told: Told) -> tuple[list[Page], list[str]]:
    """The pages with their lines, and what is to be said of pages without text or not read."""
    import pypdfium2 as pdfium

    count = len(pdf)
    if pdf.get_formtype():
        pdf.init_forms()
    pages, damaged, empty = [], [], []
    characters = 0
    notes = []
    for number in range(1, count + 1):
        told(number, count)
        try:
            page = _page(pdf, number - 1)
            textpage = page.get_textpage()
            lines, (width, height) = lines_of(page, textpage), page.get_size()
            textpage.close()
            page.close()
        except pdfium.PdfiumError:
            damaged.append(number)
            continue
        # No more than a blank line stands between two lines.
        before = characters
        characters += sum(len(line.text) + 2 for line in lines)
        if characters > MOST_CHARACTERS and before >= least_of(MOST_CHARACTERS):
            notes.append(
                f"Only pages 1 to {number - 1:,} of {count:,} were read: "
                f"no more than {MOST_CHARACTERS:,} characters are taken from one file."
            )
            break
        pages.append(Page(number, height, lines, width))
        if not lines:
            empty.append(number)
    if not any(page.lines for page in pages):
        raise LoadError(
            f"holds no text: its {count:,} pages are pictures, as of a scan, or empty. "
            "Run text recognition (OCR) on it first."
            if count != 1
            else "holds no text: its page is a picture, as of a scan, or empty. "
            "Run text recognition (OCR) on it first."
        )
    if empty:
        notes.append(f"Without text, perhaps scanned or pictures: {in_words(empty, 'page')}.")
    if damaged:
        notes.append(f"Damaged and not read: {in_words(damaged, 'page')}.")
    return pages, notes


def _page(pdf: Any, index: int) -> Any:
    """A page, with what was filled into its form as text of its own."""
    import pypdfium2 as pdfium

    page = pdf[index]
    if pdf.formenv is not None:
        try:
            page.flatten()
        except pdfium.PdfiumError:
            return page  # without what was filled in
        page.close()
        page = pdf[index]
    return page


def _extract(pdf: Any, made: Mended, notes: list[str]) -> Extract:
    parts: list[str] = []
    marks: list[Mark] = []
    at = 0
    for page, text in made.pages:
        if not text:
            continue
        if parts:
            parts.append("\n\n")
            at += 2
        marks.append(Mark(at, at + len(text), f"p. {page.number}"))
        parts.append(text)
        at += len(text)
    text = "".join(parts)
    unreadable = sum(1 for sign in text if sign == "\ufffd" or "\ue000" <= sign <= "\uf8ff")
    if unreadable > _NO_LETTERS * len(text):
        notes.append(
            f"{unreadable:,} of {len(text):,} characters have no meaning: a font does not say "
            "which letters it draws. Text recognition (OCR) would read them."
        )
    headings = _outline(pdf, text, marks)
    return Extract(text, tuple(marks), headings, tuple(notes), tuple(made.removed))


def _outline(pdf: Any, text: str, marks: list[Mark]) -> tuple[Heading, ...]:
    """The entries of the outline, where their titles stand on their page, else at its start."""
    by_label = {mark.label: mark for mark in marks}
    found = []
    for entry in pdf.get_toc():
        title = " ".join(entry.get_title().split())
        target = entry.get_dest()
        index = None if target is None else target.get_index()
        mark = by_label.get(f"p. {index + 1}") if index is not None else None
        if not title or mark is None:
            continue
        at = text.find(title, mark.start, mark.end)
        found.append(Heading(mark.start if at < 0 else at, entry.level + 1, titled(title)))
    return tuple(sorted(found, key=lambda heading: heading.start))
