// One number with two handles, a range and a box, that tells the server while it is dragged.
// At most one value is on its way: the next one leaves when the page has drawn it (relay.py says
// so), so that values never pile up and no picture is dropped for the next one before it is seen.

const APART = 50; // milliseconds from one value to the next, at least
const PATIENCE = 1000; // milliseconds until the next value leaves without that word
const PAUSE = 400; // milliseconds without a key after which a typed number counts

let moves = 0; // one count for all numbers of the page
const ways = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

class Handles {
  constructor(root) {
    this.root = root;
    [this.range, this.box] = root.querySelectorAll("input");
    this.patience = PATIENCE;
    this.sentAt = -Infinity;
    this.flying = 0; // the move that is on its way, 0 for none
    this.dragged = false; // whether the last value sent was one of a drag
    this.unsent = null;
    const { range, box } = this;
    range.addEventListener("input", () => this.move(this.onStep(+range.value), true));
    for (const end of ["pointerup", "pointercancel", "change", "blur"])
      range.addEventListener(end, () => this.rest(true));
    for (const each of [range, box]) {
      each.addEventListener("keydown", (event) => this.key(event));
      each.addEventListener("keyup", () => this.rest(false));
    }
    box.addEventListener("input", () => this.typing());
    box.addEventListener("blur", () => {
      this.typed();
      this.rest(true);
    });
  }

  // What the server says. Its number counts only where it set it itself, which raises `version`:
  // otherwise it is an echo of a move, and a newer one may have been made since.
  show(data, setStateValue) {
    this.send = (move) => setStateValue("move", move);
    const { root, range, box } = this;
    const fresh = this.data?.version !== data.version;
    this.data = data;
    root.style.visibility = "";
    const label = `${data.label}, ${data.unit}`;
    root.querySelector(".label").textContent = label;
    range.setAttribute("aria-label", label);
    box.setAttribute("aria-label", data.label);
    const why = root.querySelector(".why");
    why.textContent = why.title = data.why ?? "";
    why.id = `why_${data.key}`;
    for (const each of [range, box]) {
      each.min = data.least;
      each.max = data.most;
      each.disabled = Boolean(data.why);
      each.setAttribute("aria-describedby", why.id);
    }
    box.step = data.step;
    if (fresh) {
      clearTimeout(this.timer);
      clearTimeout(this.pause);
      this.unsent = null;
      this.flying = 0;
      this.number = data.number;
      this.paint();
    }
  }

  paint() {
    const { number, range, box, data } = this;
    range.value = number;
    range.style.setProperty("--at", (number - data.least) / (data.most - data.least));
    const unit = number === 1 ? data.unit.slice(0, -1) : data.unit;
    range.setAttribute("aria-valuetext", `${number} ${unit}`);
    if (box.value !== String(number)) box.value = number; // the caret stays where nothing changes
  }

  onStep(number) {
    const { least, step } = this.data;
    return least + Math.round((number - least) / step) * step;
  }

  move(number, dragged) {
    clearTimeout(this.pause);
    number = Math.min(Math.max(Math.round(number), this.data.least), this.data.most);
    const same = number === this.number;
    this.number = number;
    this.paint();
    if (same) return;
    this.unsent = { number, dragged };
    this.sendNext(false);
  }

  // A drag has ended, or a key that was held: the last number is no longer one of a drag.
  rest(atOnce) {
    if (!this.unsent && !this.dragged) return;
    this.unsent = { number: this.number, dragged: false };
    this.sendNext(atOnce);
  }

  sendNext(atOnce) {
    clearTimeout(this.timer);
    if (!this.unsent) return;
    const since = performance.now() - this.sentAt;
    const wait = (this.flying ? this.patience : APART) - since;
    if (wait > 0 && !atOnce) {
      this.timer = setTimeout(() => this.sendNext(false), wait);
      return;
    }
    // A value that leaves early stops the work on the one before. Where that takes longer than
    // anyone was patient, only more patience lets a picture be finished.
    if (this.flying && !atOnce) this.patience *= 2;
    this.flying = moves += 1;
    this.sentAt = performance.now();
    this.dragged = this.unsent.dragged;
    this.send({ ...this.unsent, version: this.data.version, move: this.flying });
    this.unsent = null;
  }

  drawn(move) {
    if (!this.flying || move < this.flying) return;
    this.patience = Math.max(PATIENCE, 2 * (performance.now() - this.sentAt));
    this.flying = 0;
    this.sendNext(false);
  }

  key(event) {
    const { data, box } = this;
    const inBox = event.target === box;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (inBox && event.key === "Enter") return this.typed();
    if (inBox && /^(ArrowLeft|ArrowRight|Home|End)$/.test(event.key)) return; // the caret's
    const way = ways[event.key];
    if (inBox && way) this.typed(); // a step goes on from what was typed
    const ends = { Home: data.least, End: data.most };
    const to = way ? this.number + way * data.step : ends[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.move(to, event.repeat);
  }

  typing() {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => {
      // A number that is not one yet, as a 1 on the way to 120, is left to be finished.
      const { value, valueAsNumber: number } = this.box;
      if (value && number >= this.data.least && number <= this.data.most) this.move(number, false);
    }, PAUSE);
  }

  // What stands in the box counts: nothing is the last number, too much is the most.
  typed() {
    clearTimeout(this.pause);
    const number = this.box.valueAsNumber;
    if (Number.isNaN(number)) this.paint();
    else this.move(number, false);
  }
}

const all = new Map(); // those that are on the page, by their elements

document.addEventListener("ragchunk-drawn", (event) => {
  for (const [root, handles] of all) root.isConnected ? handles.drawn(event.detail) : all.delete(root);
});

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".drag");
  if (!all.has(root)) all.set(root, new Handles(root));
  all.get(root).show(data, setStateValue);
}
