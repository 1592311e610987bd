"""How fast files of each format are read, and how much memory that takes.

    python benchmarks/readers.py [--quick] [--json]

Files are generated from text like the sample documents, each format the same text, and read as the
app reads them: in a process of its own that has read nothing before. MB/s are of the text that
comes out, the start of that process (printed first) left out; memory is the most that the process
ever had, its start included. Then what is large: a PDF of 500 pages, one of 2,000, a page of 20 MB
of HTML, each with the time until it says how far it is, and between two such signs.

Each figure is the median of several rounds. --quick takes fewer rounds and less text, and leaves
the PDF of 2,000 pages out. A missed mark is printed as missed; the exit code is 0 all the same.
"""

from __future__ import annotations

import argparse
import csv
import html
import io
import json
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from textwrap import wrap

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.common import Report, sample_text
from ragchunk.readers import Extract, ReadOptions
from ragchunk.readers.isolated import Child
from tests import made

# The least text a second, in MB, and the most memory, in MB, for a file of 1 MB of text.
LEAST = {"pdf": 1.0, "docx": 1.0, "pptx": 0.5, "html": 5.0, "epub": 5.0, "csv": 5.0}
LEAST |= {"jsonl": 5.0, "ipynb": 5.0, "srt": 5.0}
MOST_MEGABYTES = 400
MOST_LARGE = 1_000


@dataclass
class Reading:
    """What reading a file took: seconds, the most memory, and the longest wait for a sign."""

    found: Extract
    seconds: float
    megabytes: float | None
    silence: float
    steps: int


def read(name: str, data: bytes) -> Reading:
    """Read by a process that is new, but has started."""
    with closing(Child()) as child:
        _finish(child, "start.html", b"<p>start")
        return _finish(child, name, data)


def _finish(child: Child, name: str, data: bytes) -> Reading:
    steps = child.read(name, data, ReadOptions())
    began = last = time.perf_counter()
    silence, count = 0.0, 0
    while True:
        try:
            _, total, _ = next(steps)
        except StopIteration as stop:
            return Reading(stop.value, time.perf_counter() - began, _peak(child), silence, count)
        if total:
            now = time.perf_counter()
            silence, last, count = max(silence, now - last), now, count + 1


def _peak(child: Child) -> float | None:
    """The most memory of the process, in MB; None where /proc does not say."""
    try:
        status = Path(f"/proc/{child.pid}/status").read_text("utf-8")
    except OSError:
        return None
    lines = dict(each.split(":", 1) for each in status.splitlines() if ":" in each)
    return int(lines["VmHWM"].split()[0]) * 1_024 / 1e6


def as_pdf(text: str, pages: int | None = None) -> bytes:
    """The text on pages of 55 lines, with a running header and a page number."""
    printable = text.encode("cp1252", "replace").decode("cp1252")
    lines = [line for part in printable.split("\n") for line in wrap(part, 95) or [""]]
    sheets = [lines[at : at + 55] for at in range(0, len(lines), 55)]
    sheets = sheets if pages is None else [sheets[n % len(sheets)] for n in range(pages)]
    return made.pdf(
        [
            [
                (72, 800, 9, "A report"),
                *((72, 770 - 12.5 * n, 10, line) for n, line in enumerate(sheet) if line),
                (290, 30, 9, str(number)),
            ]
            for number, sheet in enumerate(sheets, 1)
        ]
    )


def as_html(text: str) -> bytes:
    parts = [f"<p class='a'>{html.escape(part)}</p>" for part in text.split("\n\n")]
    return ("<!doctype html><title>A page</title><body>" + "\n".join(parts)).encode()


def as_docx(text: str) -> bytes:
    import docx

    document = docx.Document()
    for part in text.split("\n\n"):
        document.add_paragraph(part)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def as_pptx(text: str) -> bytes:
    import pptx
    from pptx.util import Inches

    presentation = pptx.Presentation()
    layout = presentation.slide_layouts[6]
    parts = text.split("\n\n")
    for at in range(0, len(parts), 4):
        slide = presentation.slides.add_slide(layout)
        for number, part in enumerate(parts[at : at + 4]):
            box = slide.shapes.add_textbox(Inches(1), Inches(1 + number), Inches(8), Inches(1))
            box.text_frame.text = part
    out = io.BytesIO()
    presentation.save(out)
    return out.getvalue()


def as_epub(text: str) -> bytes:
    out = io.BytesIO(made.epub())
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("OPS/long.xhtml", as_html(text), zipfile.ZIP_DEFLATED)
    spine = (
        '<package xmlns="http://www.idpf.org/2007/opf"><manifest>'
        '<item id="a" href="long.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>'
    )
    return made.rezipped(out.getvalue(), {"OPS/book.opf": spine.encode()})


def as_csv(text: str) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["Number", "Text"])
    writer.writerows(enumerate(text.split("\n\n"), 1))
    return out.getvalue().encode()


def as_jsonl(text: str) -> bytes:
    rows = [json.dumps({"id": n, "text": part}) for n, part in enumerate(text.split("\n\n"))]
    return "\n".join(rows).encode()


def as_ipynb(text: str) -> bytes:
    cells = [{"cell_type": "markdown", "source": part} for part in text.split("\n\n")]
    return json.dumps({"cells": cells}).encode()


def as_srt(text: str) -> bytes:
    cues = []
    for number, line in enumerate(wrap(" ".join(text.split()), 70)):
        clock = f"{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}"
        cues.append(f"{number + 1}\n{clock},000 --> {clock},900\n{line}\n")
    return "\n".join(cues).encode()


FORMATS: dict[str, Callable[[str], bytes]] = {
    "pdf": as_pdf,
    "docx": as_docx,
    "pptx": as_pptx,
    "html": as_html,
    "epub": as_epub,
    "csv": as_csv,
    "jsonl": as_jsonl,
    "ipynb": as_ipynb,
    "srt": as_srt,
}


def measure_formats(report: Report, characters: int, rounds: int) -> None:
    text = sample_text(characters)
    report.say(f"{characters / 1e6:.1f} MB of text in each format, {rounds} rounds")
    report.say("          file    read     speed   most memory")
    for name, write in FORMATS.items():
        data = write(text)
        readings = [read(f"a.{name}", data) for _ in range(rounds)]
        seconds = median(each.seconds for each in readings)
        size = len(readings[0].found.text.encode()) / 1e6
        assert size > 0.9 * characters / 1e6, f"{name} lost text"
        line = f"  {name:6} {len(data) / 1e6:4.1f} MB {seconds:5.2f} s {size / seconds:5.1f} MB/s"
        marks = [report.mark(f"{name}: speed", size / seconds, LEAST[name], "MB/s", most=False)]
        peaks = [each.megabytes for each in readings if each.megabytes is not None]
        if peaks:
            line += f" {max(peaks):7.0f} MB"
            mark = report.mark(f"{name}: memory", max(peaks), MOST_MEGABYTES, "MB", most=True)
            marks.append(mark)
        report.keep(name, {"bytes": len(data), "seconds": seconds, "megabytes": peaks})
        report.say(f"{line}  {'; '.join(marks)}")


def measure_large(report: Report, quick: bool) -> None:
    text = sample_text(400_000, seed=1)
    files = {"a PDF of 500 pages": ("a.pdf", as_pdf(text, 500), 20.0)}
    if not quick:
        files["a PDF of 2,000 pages"] = ("a.pdf", as_pdf(text, 2_000), 80.0)
    many = (20_000_000 // len(as_html(text))) + 1
    page = as_html("\n\n".join([text] * many))[:20_000_000]
    files["20 MB of HTML"] = ("a.html", page, 20.0)
    report.say("\nLarge files: read, most memory, the longest time without a sign")
    for what, (name, data, most) in files.items():
        found = read(name, data)
        assert found.steps > 2
        line = f"  {what:21} {found.seconds:5.1f} s"
        marks = [report.mark(f"{what}: time", found.seconds, most, "s", most=True)]
        if found.megabytes is not None:
            line += f" {found.megabytes:6.0f} MB"
            marks.append(
                report.mark(f"{what}: memory", found.megabytes, MOST_LARGE, "MB", most=True)
            )
        line += f" {found.silence:5.2f} s in {found.steps} signs"
        marks.append(report.mark(f"{what}: silence", found.silence, 2.0, "s", most=True))
        report.keep(
            what,
            {
                "bytes": len(data),
                "seconds": found.seconds,
                "megabytes": found.megabytes,
                "silence": found.silence,
                "characters": len(found.found.text),
                "notes": found.found.notes,
            },
        )
        report.say(f"{line}  {'; '.join(marks)}")


def measure_start(report: Report) -> None:
    times = []
    for _ in range(3):
        with closing(Child()) as child:
            began = time.perf_counter()
            _finish(child, "start.json", b"{}")
            times.append(time.perf_counter() - began)
    said = report.mark("start of the process", median(times), 0.5, "s", most=True)
    report.say(f"start of the process that reads: {median(times):.2f} s  {said}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="less text, fewer rounds")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    options = parser.parse_args()
    report = Report(options.json)
    measure_start(report)
    measure_formats(report, 200_000 if options.quick else 1_000_000, 1 if options.quick else 3)
    measure_large(report, options.quick)
    report.close()


if __name__ == "__main__":
    main()
