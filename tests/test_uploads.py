"""Files given to the page: read beside it, opened together, read again in another way."""

from __future__ import annotations

import time

from ragchunk.documents import Document, Problem, ReadOptions
from ragchunk.uploading import Upload, Uploading
from tests import made
from tests.acting import open_menu, press
from tests.test_app import cuts_only, documents, run, seen, text, upload

TWO_PAGES = made.pdf(
    [
        [(72, 780, 8, "ACME report"), *made.lines(["The stove is lit in November."])],
        [(72, 780, 8, "ACME report"), *made.lines(["Amara keeps the key."])],
        [(72, 780, 8, "ACME report"), *made.lines(["Wood costs 84 euros."])],
    ]
)


def finished(files: list[Upload], options: ReadOptions | None = None) -> Uploading:
    uploading = Uploading(files, options or ReadOptions())
    while uploading.is_running:
        time.sleep(0.01)
    return uploading


def test_files_of_many_formats_are_opened_together_and_the_bad_one_is_named() -> None:
    at = upload(
        cuts_only(),
        ("stove.pdf", TWO_PAGES),
        ("stove.docx", made.docx()),
        ("locked.docx", b"PK\x03\x04garbage"),
        ("stove.html", made.HTML.encode()),
        ("note.txt", b"Plain."),
    )
    assert at.selectbox[-1].options == ["stove.pdf", "stove.docx", "stove.html", "note.txt"]
    said = seen(at)
    assert "locked.docx is damaged" in said
    assert "4 other files are loaded." in said


def test_hits_and_chunks_say_their_page() -> None:
    at = upload(cuts_only(), ("stove.pdf", TWO_PAGES))
    cards = text(documents(at, 1))
    assert "stove.pdf#0 p. 1–3" in " ".join(cards.split())
    press(at, "show stove.pdf#0")
    page = " ".join(seen(at).split())
    assert "Page p. 1–3" in page


def test_mending_can_be_switched_off_and_says_what_it_removed() -> None:
    at = upload(cuts_only(), ("stove.pdf", TWO_PAGES))
    assert "ACME report" not in text(documents(at, 0))
    assert "running header “ACME report” on 3 pages" in seen(at)
    at.button_group(key="read_mended").set_value(False)
    run(at)
    assert text(documents(at, 0)).count("ACME report") == 3
    at.button_group(key="read_mended").set_value(True)
    run(at)
    assert "ACME report" not in text(documents(at, 0))


def test_another_encoding_can_be_chosen_and_files_are_read_again() -> None:
    at = upload(cuts_only(), ("письмо.txt", "Привет, мир".encode("cp1251")))
    assert "Привет" not in text(documents(at, 0))
    at.selectbox(key="read_encoding").set_value("cp1251")
    run(at)
    assert "Привет, мир" in text(documents(at, 0))
    assert "Read as cp1251, as chosen." in seen(at)


def test_the_field_of_json_records_can_be_chosen() -> None:
    rows = b'{"text": "Apples", "note": "Pears"}\n{"text": "Plums", "note": "Figs"}'
    at = upload(cuts_only(), ("rows.jsonl", rows))
    assert "Apples" in text(documents(at, 0))
    at.text_input(key="read_field").set_value("note")
    run(at)
    assert "Pears" in text(documents(at, 0))
    assert "Apples" not in text(documents(at, 0))


def test_what_is_open_stays_open_where_no_file_can_be_read() -> None:
    at = upload(cuts_only(), ("a.txt", b"Apples."))
    upload(at, ("a.txt", b"Apples."), ("scan.pdf", made.pdf([[]])))
    assert at.selectbox[-1].options == ["a.txt"]
    assert "scan.pdf" in seen(at)


def test_of_a_folder_files_of_other_formats_are_passed_over_and_counted() -> None:
    at = cuts_only()
    at.file_uploader(key="upload_directory").set_value(
        [
            ("docs/a.txt", b"Apples.", "text/plain"),
            ("docs/.DS_Store", b"\0\0", ""),
            ("docs/photo.jpg", b"\xff\xd8\xff", "image/jpeg"),
            ("docs/~$stove.docx", b"owner", ""),
            ("docs/stove.docx", made.docx(), ""),
            ("docs/node_modules/x/readme.md", b"Of a tool.", "text/plain"),
            ("docs/questions.jsonl", b'{"question": "who?", "answers": []}', ""),
        ]
    )
    run(at)
    assert at.selectbox[-1].options == ["docs/a.txt", "docs/stove.docx"]
    assert "5 files left out: of another format, or of a tool." in seen(at)


def test_a_folder_without_any_document_says_so_and_leaves_what_is_open() -> None:
    at = cuts_only()
    at.file_uploader(key="upload_directory").set_value([("p/photo.jpg", b"\xff", "image/jpeg")])
    run(at)
    assert "1 file left out: of another format, or of a tool." in seen(at)
    assert "rag.md" in at.selectbox[-1].options


def test_code_and_prompt_of_uploads_know_their_pages_and_how_they_were_read() -> None:
    at = upload(cuts_only(), ("stove.pdf", TWO_PAGES))
    at.button_group(key="read_mended").set_value(False)
    run(at)
    open_menu(at, "export_menu")
    assert any("mend=False" in each.value for each in at.code)


def test_files_are_read_one_after_the_other_and_each_ends_as_a_document_or_a_problem() -> None:
    files = [
        Upload("1", "a.pdf", TWO_PAGES),
        Upload("2", "b.docx", b"PK"),
        Upload("3", "c.md", b"C"),
    ]
    found = finished(files).found
    assert isinstance(found["1"], Document)
    assert found["1"].pages[-1].label == "p. 3"
    assert isinstance(found["2"], Problem)
    assert found["3"] == Document("c.md", "C")


def test_reading_that_is_stopped_keeps_what_was_read() -> None:
    long = made.pdf([made.lines(["A line of a very long report."] * 30)] * 3_000)
    uploading = Uploading(
        [Upload("1", "a.pdf", TWO_PAGES), Upload("2", "long.pdf", long)], ReadOptions()
    )
    while "1" not in uploading.found or not uploading.progress.total:
        time.sleep(0.005)
    assert uploading.said().startswith("Reading long.pdf, page ")
    assert uploading.said().endswith(" of 3,000 (2 of 2 files).")
    uploading.stop()
    while uploading.is_running:
        time.sleep(0.005)
    assert set(uploading.found) == {"1"}
