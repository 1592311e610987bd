"""Files that a person gives: read beside the page, and opened when all of them are read.

What is open stays open until then. Each file is read once for each way to read it.
"""

from __future__ import annotations

import time
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ragchunk.corpus import Corpus
from ragchunk.documents import (
    MAX_FILE_BYTES,
    Document,
    Problem,
    Progress,
    ReadOptions,
    holds_questions,
    is_document,
    parses,
    read_files,
    reader_of,
    unique_sources,
)
from ragchunk.markup import count, escape
from ragchunk.ui import session
from ragchunk.uploading import Upload, Uploading

MOST_FILES = 500
MOST_BYTES = 200_000_000
UPLOADERS: dict[str, Literal[True, "directory"]] = {
    "Files": True,
    "A folder of them": "directory",
}
# Those that Python reads and that files are still found in; "" finds it.
ENCODINGS = {
    "": "found by itself",
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252, Western Europe",
    "iso8859_15": "ISO 8859-15, Western Europe",
    "mac_roman": "Mac Roman",
    "cp437": "DOS, code page 437",
    "cp850": "DOS, code page 850",
    "cp1250": "Windows-1250, Central Europe",
    "iso8859_2": "ISO 8859-2, Central Europe",
    "cp1251": "Windows-1251, Cyrillic",
    "koi8_r": "KOI8-R, Cyrillic",
    "cp1253": "Windows-1253, Greek",
    "cp1254": "Windows-1254, Turkish",
    "cp1255": "Windows-1255, Hebrew",
    "cp1256": "Windows-1256, Arabic",
    "gb18030": "GB 18030, Chinese",
    "big5": "Big5, Chinese",
    "shift_jis": "Shift JIS, Japanese",
    "euc_jp": "EUC-JP, Japanese",
    "euc_kr": "EUC-KR, Korean",
}

MENDING = {True: "mended", False: "as they are"}

# Seconds between two looks at what is read beside the page.
LOOK = 0.1


def uploaders() -> None:
    """The places to give files at, and, once there are some, how they are read."""
    for label, kind in UPLOADERS.items():
        st.file_uploader(
            label,
            accept_multiple_files=kind,
            key=f"upload_{kind}",
            on_change=_take,
            max_upload_size=MAX_FILE_BYTES // 1_000_000,
        )
    st.caption(
        "PDF, Word, PowerPoint, HTML, EPUB, Markdown, text, CSV, JSON, notebooks, subtitles, "
        f"source code. At most {MOST_FILES} files of {MOST_BYTES // 1_000_000} MB together, "
        f"{MAX_FILE_BYTES // 1_000_000} MB each. Nothing leaves this machine."
    )
    if st.session_state.get("wanted_uploads"):
        _ways_to_read()


def uploaded() -> Corpus:
    """What was read last; kept as one object."""
    return st.session_state.get("uploaded", Corpus(()))


def take_up() -> None:
    """Open what was read beside the page, if all of it is; call it before anything is drawn."""
    uploading: Uploading | None = st.session_state.get("uploading")
    if uploading is not None and not uploading.is_running:
        _remember(uploading)
        st.session_state.uploading = None
        _open()


def show_progress() -> None:
    """How far reading is, with a button that stops it, or one that goes on.

    Once files were given, always two places, so that what was in them does not stay.
    """
    uploading: Uploading | None = st.session_state.get("uploading")
    if not st.session_state.get("wanted_uploads"):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="uploading"):
        place, button = st.empty(), st.empty()
    st.session_state.upload_place = place
    if uploading is not None:
        button.button("Stop reading", key="upload_button", on_click=_stop_or_go_on)
        look()
    elif unread := st.session_state.get("unread_uploads", 0):
        _say(place, f"{count(unread, 'file')} not read, as reading was stopped.")
        button.button("Go on reading", key="upload_button", on_click=_stop_or_go_on)


def _stop_or_go_on() -> None:
    uploading: Uploading | None = st.session_state.get("uploading")
    if uploading is None:
        _take()
    else:
        uploading.stop()


def _say(place: DeltaGenerator, words: str) -> None:
    place.html(f'<div class="rc"><p class="small" role="status">{escape(words)}</p></div>')


def look() -> None:
    """Say how far reading is; start the page over when it has ended. For whoever waits."""
    uploading: Uploading | None = st.session_state.get("uploading")
    if uploading is None:
        return
    if not uploading.is_running:
        st.rerun()
    place = st.session_state.get("upload_place")
    if place is not None:
        _say(place, uploading.said())


def follow() -> None:
    """Wait for what is read beside the page; a newer run takes over. The last thing of a run."""
    while st.session_state.get("uploading") is not None:
        look()
        time.sleep(LOOK)


def _ways_to_read() -> None:
    st.segmented_control(
        "Page headers and hyphens",
        MENDING,
        format_func=MENDING.__getitem__,
        default=True,
        required=True,
        key="read_mended",
        on_change=_take,
        persist_state="session",
        help="Mended: running headers, footers and page numbers of PDFs are taken out, words that "
        "a line end divides are joined, and lines that captions show twice stand once. The list "
        "below says what was done.",
    )
    st.selectbox(
        "Encoding of text files",
        list(ENCODINGS),
        format_func=ENCODINGS.__getitem__,
        key="read_encoding",
        on_change=_take,
        persist_state="session",
    )
    names = st.session_state.wanted_uploads.values()
    if any(reader_of(name).name == "JSON" for name in names):
        st.text_input(
            "Field of JSON records",
            key="read_field",
            placeholder="found by itself",
            on_change=_take,
            persist_state="session",
        )


def way_to_read() -> ReadOptions:
    """How files are read, by the choices in the menu."""
    state = st.session_state
    return ReadOptions(
        mend=state.get("read_mended") is not False,
        encoding=state.get("read_encoding") or "",
        field=(state.get("read_field") or "").strip(),
    )


def _read() -> dict[tuple[str, ReadOptions], Document | Problem]:
    """What came of each file in each way to read it."""
    return st.session_state.setdefault("read", {})


def _take() -> None:
    """Read every file in the two uploaders, once in each way, and open what could be read."""
    state = st.session_state
    files, state.left_out = _given()
    # Their bytes are with the uploaders.
    state.wanted_uploads = {each.key: each.name for each in files}
    running: Uploading | None = state.get("uploading")
    if running is not None:
        _remember(running)
        running.stop()
        state.uploading = None
    options, read = way_to_read(), _read()
    wanted = state.wanted_uploads
    state.read = read = {key: found for key, found in read.items() if key[0] in wanted}
    new = [each for each in files if (each.key, options) not in read]
    for each in [each for each in new if not parses(each.name, each.data)]:
        for found in read_files([(each.name, each.data)], options):
            if not isinstance(found, Progress):
                read[each.key, options] = found
    rest = [each for each in new if parses(each.name, each.data)]
    state.uploaded_beside = _opened()
    if rest:
        state.uploading = Uploading(rest, options)
    else:
        _open()


def _opened() -> tuple[str, tuple[int, str]]:
    """What is open: not the same once something else was chosen."""
    return st.session_state.source, st.session_state.source_set


def _given() -> tuple[list[Upload], str]:
    """The files in both uploaders, and a sentence if some are left out.

    Whoever gives a folder has not chosen each file in it: those of other formats, of tools, and
    questions with their answers are passed over.
    """
    state = st.session_state
    one_by_one: list[Any] = state.get("upload_True") or []
    in_folder: list[Any] = state.get("upload_directory") or []
    files = one_by_one + [
        each
        for each in in_folder
        if is_document(each.name) and not holds_questions(each.name, each.getvalue())
    ]
    total = 0
    given = []
    for number, file in enumerate(files, 1):
        total += file.size
        if number > MOST_FILES or total > MOST_BYTES:
            said = (
                f"{count(len(files), 'file')} of {sum(f.size for f in files) / 1e6:.1f} MB were "
                f"given; the first {number - 1:,} were read. The limit is "
                f"{MOST_FILES} files and {MOST_BYTES // 1_000_000} MB."
            )
            return given, said
        given.append(Upload(file.file_id, file.name, file.getvalue()))
    others = len(one_by_one) + len(in_folder) - len(files)
    said = f"{count(others, 'file')} left out: of another format, or of a tool." if others else ""
    return given, said


def _remember(uploading: Uploading) -> None:
    read = _read()
    for key, found in list(uploading.found.items()):
        read[key, uploading.options] = found


def _open() -> None:
    """Open those of the files given that hold text; say why the others do not."""
    state = st.session_state
    options, read = way_to_read(), _read()
    files: dict[str, str] = state.get("wanted_uploads", {})
    documents, problems = [], []
    state.unread_uploads = 0
    for key in files:
        found = read.get((key, options))
        if found is None:
            state.unread_uploads += 1
        elif isinstance(found, Problem):
            problems.append(found.words)
        elif found.text.strip():
            documents.append(found)
        else:
            problems.append(f"{found.source} holds no text that can be read.")
    loaded = count(len(documents), "other file")
    are = "is" if len(documents) == 1 else "are"
    state.problems = [
        f"{problem} {loaded} {are} loaded." if documents else problem for problem in problems
    ] + [state.left_out] * bool(state.get("left_out"))
    was_there = bool(uploaded().documents)
    state.uploaded = Corpus(tuple(unique_sources(documents)))
    # A person may have opened something else meanwhile.
    state.uploaded_unseen = bool(documents) and _opened() != state.uploaded_beside
    if state.uploaded_unseen:
        return
    if documents or (files and was_there):
        session.open_own("files")
    elif not files and state.source == "files":
        session.set_source("samples")
