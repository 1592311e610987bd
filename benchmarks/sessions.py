"""Twenty people on one server: whether anything of one reaches another, and how long a step takes.

    python benchmarks/sessions.py [--quick] [--json]

Sessions speak Streamlit's own protocol over WebSockets on this machine, as twenty browsers would
compute more than the server does. Each session pastes a text with a word of its own, asks for that
word and cuts to sizes of its own. A step moves the slider *Size* between two sizes that were
visited before, so that all vectors are there; it lasts from sending the slider's value until the
server says that the script has ended, and all that it drew has arrived.

*No state crosses.* All that a session is shown after each step, while all are at work, is compared
with what it was shown at that size when it was alone, and must not have the words of the others.

*Time.* First one session makes its steps alone, then all twenty at once, each beginning the next
step as soon as it has its answer: nobody thinks in between, which is the worst case. The target is

    p95(20 at once)  <=  3 x p95(one alone)  +  (20 / cores) x CPU(one step alone)

where CPU is what the server computes for a step: with 20 steps at once on 2 cores each waits for
its share of the cores, 10 steps. All waits are bounded; a session that hears nothing fails.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from contextlib import AsyncExitStack
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.common import ROOT, Report, Server, p95, sample_text, streamlit

if TYPE_CHECKING:
    from streamlit.proto.Element_pb2 import Element
    from websockets.asyncio.client import ClientConnection

SESSIONS = 20
SECONDS_FOR_A_RUN = 120


class Session:
    """One person: what the server has drawn for them, and the widgets they have touched."""

    def __init__(self, number: int, socket: ClientConnection, characters: int) -> None:
        self.number = number
        self.socket = socket
        self.word = f"keyword{chr(97 + number)}{chr(97 + number)}"
        self.sizes = (60 + 2 * number, 61 + 2 * number)
        self.text = f"{sample_text(characters, seed=number)}\n\nThe word is {self.word}.\n"
        self.touched: dict[str, Any] = {}
        self.shown: dict[tuple[int, ...], Element] = {}
        self.alone: dict[int, list[str]] = {}
        self.at = 0
        self.moves = 0

    async def run(self) -> float:
        """Send what was touched and take in all that is drawn; the seconds that took."""
        from streamlit.proto.BackMsg_pb2 import BackMsg
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        message = BackMsg()
        message.rerun_script.query_string = ""
        message.rerun_script.widget_states.widgets.extend(self.touched.values())
        data = message.SerializeToString()
        drawn: dict[tuple[int, ...], Element] = {}
        started = time.perf_counter()
        await self.socket.send(data)
        async with asyncio.timeout(SECONDS_FOR_A_RUN):
            while True:
                received = ForwardMsg.FromString(await self.socket.recv())  # pyright: ignore[reportArgumentType]
                kind = received.WhichOneof("type")
                if kind == "new_session":
                    drawn = {}
                elif kind == "delta" and received.delta.WhichOneof("type") == "new_element":
                    drawn[tuple(received.metadata.delta_path)] = received.delta.new_element
                elif kind == "script_finished":
                    if received.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                        continue
                    if received.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
                        raise RuntimeError(f"Session {self.number}: the script failed.")
                    break
        took = time.perf_counter() - started
        self.shown = drawn
        if any(each.WhichOneof("type") == "exception" for each in drawn.values()):
            raise RuntimeError(f"Session {self.number}: the page shows an exception.")
        return took

    def touch(self, kind: str, label: str, value: str) -> None:
        """Set the widget with this label, for the next run and all after it."""
        from streamlit.proto.WidgetStates_pb2 import WidgetState

        for element in self.shown.values():
            if element.WhichOneof("type") == kind and getattr(element, kind).label == label:
                state = WidgetState(id=getattr(element, kind).id, string_value=value)
                self.touched[state.id] = state
                return
        raise RuntimeError(f"Session {self.number}: there is no {kind} {label!r} on the page.")

    def move(self, label: str, number: int) -> None:
        """Move the slider with this label, as ragchunk/ui/drag.js does when it is let go."""
        from streamlit.proto.WidgetStates_pb2 import WidgetState

        for element in self.shown.values():
            if element.WhichOneof("type") != "bidi_component":
                continue
            data = json.loads(element.bidi_component.json)
            if data.get("label") == label:
                self.moves += 1
                move = {"number": number, "dragged": False, "version": data["version"]}
                sent = json.dumps({"move": {**move, "move": self.moves}})
                state = WidgetState(id=element.bidi_component.id, json_value=sent)
                self.touched[state.id] = state
                return
        raise RuntimeError(f"Session {self.number}: there is no slider {label!r} on the page.")

    async def prepare(self) -> None:
        """Open the page, paste the text and ask for its word, visit both sizes."""
        await self.run()
        self.touch("text_area", "Paste text", self.text)
        self.touch("text_input", "Question", f"What is {self.word}?")
        for _ in self.sizes * 2:
            await self.step()
            self.alone[self.size] = self.html()

    @property
    def size(self) -> int:
        return self.sizes[self.at]

    async def step(self) -> float:
        self.at = 1 - self.at
        self.move("Size", self.size)
        return await self.run()

    def html(self) -> list[str]:
        """All that is drawn by the app itself, in order."""
        return [
            element.html.body
            for _, element in sorted(self.shown.items(), key=lambda item: item[0])
            if element.WhichOneof("type") == "html"
        ]

    def crossed(self, others: list[str]) -> list[str]:
        """What is wrong with what is shown: nothing, if no state crossed."""
        shown = self.html()
        page = "\n".join(shown)
        wrong = [f"session {self.number} is shown {word!r}" for word in others if word in page]
        if self.word not in page:
            wrong.append(f"session {self.number} is not shown its own text")
        if f"packed up to {self.size} words" not in page:
            wrong.append(f"session {self.number} is not shown its size {self.size}")
        if shown != self.alone[self.size]:
            wrong.append(f"session {self.number} is shown another page than when it was alone")
        return wrong


async def many_steps(session: Session, steps: int, others: list[str]) -> tuple[list[float], set]:
    times: list[float] = []
    wrong: set[str] = set()
    for _ in range(steps):
        times.append(await session.step())
        wrong.update(session.crossed(others))
    return times, wrong


async def measure(report: Report, server: Server, quick: bool) -> None:
    from websockets.asyncio.client import connect

    characters, alone_steps, steps = (3_000, 30, 10) if quick else (12_000, 60, 40)
    async with AsyncExitStack() as stack:
        sessions: list[Session] = []
        for number in range(SESSIONS):
            socket = await stack.enter_async_context(
                connect(f"ws://127.0.0.1:{server.port}/_stcore/stream", max_size=None, proxy=None)
            )
            sessions.append(Session(number, socket, characters))
        started = time.monotonic()
        for session in sessions:
            await session.prepare()
        report.say(
            f"{SESSIONS} sessions, each with its own {characters:,} characters, question and two "
            f"sizes, were ready after {time.monotonic() - started:.0f} s"
        )
        words = [session.word for session in sessions]

        def others(session: Session) -> list[str]:
            return [word for word in words if word != session.word]

        cpu = server.cpu_seconds()
        alone, wrong = await many_steps(sessions[0], alone_steps, others(sessions[0]))
        spent = server.cpu_seconds()
        # Where /proc is missing, a step computes all the time that it takes.
        each = median(alone) if cpu is None or spent is None else (spent - cpu) / alone_steps

        cpu, begun = server.cpu_seconds(), time.perf_counter()
        found = await asyncio.gather(
            *(many_steps(session, steps, others(session)) for session in sessions)
        )
        took, spent = time.perf_counter() - begun, server.cpu_seconds()
    together = [seconds for times, _ in found for seconds in times]
    wrong.update(*(problems for _, problems in found))
    tell(report, alone, together, each, took)
    if cpu is not None and spent is not None:
        busy = (spent - cpu) / len(together) * 1e3
        report.keep("together_cpu_ms", busy)
        report.say(
            f"  CPU of a step when 20 are at once: {busy:.1f} ms; the server had "
            f"{(spent - cpu) / took:.2f} cores"
        )
    crossed = sorted(wrong)
    report.say(f"\nState that crossed, in {len(together)} steps: {len(crossed)} cases")
    for problem in crossed[:10]:
        report.say(f"  {problem}")
    report.keep("crossed", crossed)
    line = report.mark("state that crosses", len(crossed), 0, "cases", most=True)
    report.say(f"  {line}")
    report.keep("peak_megabytes", server.peak_megabytes())
    if (peak := server.peak_megabytes()) is not None:
        report.say(f"  peak memory of the server {peak:,.0f} MB")


def tell(
    report: Report, alone: list[float], together: list[float], each: float, took: float
) -> None:
    cores = cores_here()
    one, all_of_them = p95(alone), p95(together)
    target = 3 * one + SESSIONS / cores * each
    report.say(f"\nA slider step, milliseconds ({cores} cores)")
    report.say(
        f"  one alone:       median {median(alone) * 1e3:7.1f}, p95 {one * 1e3:7.1f}, "
        f"server's CPU {each * 1e3:.1f} a step, {len(alone)} steps"
    )
    report.say(
        f"  {SESSIONS} at once:      median {median(together) * 1e3:7.1f}, "
        f"p95 {all_of_them * 1e3:7.1f}, {len(together) / took:.1f} steps a second together"
    )
    bound = target * 1e3
    line = report.mark("p95 of a step, 20 at once", all_of_them * 1e3, bound, "ms", most=True)
    report.say(
        f"  3 x {one * 1e3:.1f} + ({SESSIONS} / {cores}) x {each * 1e3:.1f} = {bound:.1f}; "
        f"{line} ({all_of_them / one:.1f} times one alone)"
    )
    report.keep("cores", cores)
    report.keep("alone_ms", {"median": median(alone) * 1e3, "p95": one * 1e3, "cpu": each * 1e3})
    report.keep("together_ms", {"median": median(together) * 1e3, "p95": all_of_them * 1e3})
    report.keep("steps_per_second", len(together) / took)


def cores_here() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="shorter texts, fewer steps")
    parser.add_argument("--json", action="store_true", help="figures and marks as JSON")
    asked = parser.parse_args()
    started = time.monotonic()
    report = Report(asked.json)
    if find_spec("websockets") is None:
        report.skip("all", "websockets is not installed (it comes with Streamlit)")
    else:
        with streamlit(ROOT / "app.py") as server:
            asyncio.run(measure(report, server, asked.quick))
    report.keep("seconds", time.monotonic() - started)
    report.say(f"\nTook {time.monotonic() - started:.0f} s.")
    report.close()


if __name__ == "__main__":
    main()
