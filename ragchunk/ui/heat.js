// Heat maps as grids of buttons: one of them is reached by Tab, the others by the arrow keys.

const steps = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

// The cells of a grid by row; a single cell is a grid of one.
function rows(root) {
  return [...root.querySelectorAll(".row, .single")]
    .map((row) => [...row.querySelectorAll(".cell")])
    .filter((row) => row.length);
}

function reach(root, cell) {
  for (const each of root.querySelectorAll(".cell")) each.tabIndex = each === cell ? 0 : -1;
}

function move(root, cell, [across, down]) {
  const all = rows(root);
  const row = all.findIndex((each) => each.includes(cell));
  const next = all[row + down];
  const to = next?.[Math.min(all[row].indexOf(cell) + across, down ? next.length - 1 : Infinity)];
  if (to) to.focus();
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".heat");
  root.choose = (number) => setTriggerValue("cell", number);
  if (root.shown !== data.html) {
    const held = root.contains(document.activeElement) ? document.activeElement.dataset.cell : null;
    root.innerHTML = root.shown = data.html;
    const cells = [...root.querySelectorAll(".cell")];
    const first = cells.find((each) => each.dataset.cell === (held ?? data.first)) ?? cells[0];
    if (first) reach(root, first);
    if (held !== null) first?.focus({ preventScroll: true });
  }
  if (root.listens) return;
  root.listens = true;
  root.addEventListener("click", (event) => {
    const cell = event.target.closest(".cell");
    if (cell) root.choose(Number(cell.dataset.cell));
  });
  root.addEventListener("focusin", (event) => {
    const cell = event.target.closest(".cell");
    if (cell) reach(root, cell);
  });
  root.addEventListener("keydown", (event) => {
    const cell = event.target.closest(".cell");
    if (!cell || !steps[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(root, cell, steps[event.key]);
  });
}
