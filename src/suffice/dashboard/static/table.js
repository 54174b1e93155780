// All trials as a table. Only the rows in view exist as elements: two spacers stand for the others, and the attributes
// tell a screen reader how many there are.

import { h, once, panel, say, show, toggle } from "./dom.js";
import { count, counted, duration, number, part, percent, visible } from "./format.js";
import { matching, sorted } from "./filter.js";
import { ORIGINS } from "./trials.js";

const HEIGHT = 30; // pixels of a row, as in the style sheet
const SPARE = 8; // rows above and below the view
const SAMPLE = 300; // rows that the widths of columns are taken from
const size = (letters) => 0.52 * letters + 1.3; // rem of a column: its digits and its margins
const STATES = ["done", "failed", "pending", "cancelled"];

export function table(context) {
  const { trials, pick } = context;
  const columns = columnsOf(trials);
  const wanted = { text: "", states: new Set(STATES), column: "number", descending: true };
  let [rows, sizes] = [[], ""];

  const search = h("input", { type: "search", "aria-label": "Filter trials", placeholder: "filter: words, or value<0.3", size: 24, oninput: () => { wanted.text = search.value; refresh(); } });
  const states = STATES.map((state) => toggle(state, true, (on) => { wanted.states[on ? "add" : "delete"](state); refresh(); }, { class: `toggle state-${state}` }));
  const said = h("p", { class: "sentence", role: "status" });
  const heads = columns.map((column) => head(column, wanted, refresh));
  const widths = h("colgroup", {}, ...columns.map(() => h("col")));
  const [above, below] = [h("tr", { class: "spacer", "aria-hidden": "true" }, h("td", { colspan: columns.length })), h("tr", { class: "spacer", "aria-hidden": "true" }, h("td", { colspan: columns.length }))];
  const body = h("tbody");
  const grid = h("table", { class: "trials", "aria-label": "Trials" }, widths, h("thead", {}, h("tr", {}, ...heads.map(({ cell }) => cell))), body);
  const scroller = h("div", { class: "rows", tabindex: 0, role: "region", "aria-label": "Trials; up and down select the next one" }, grid);
  const draw = once(window_);
  scroller.addEventListener("scroll", draw, { passive: true });
  scroller.addEventListener("keydown", walk);
  body.addEventListener("click", (event) => {
    const line = event.target.closest("tr[data-trial]");
    if (line) pick(Number(line.dataset.trial));
  });
  new ResizeObserver(draw).observe(scroller);

  /** Filter and sort again; what is in view stays in view when rows come in above it. */
  function refresh() {
    const first = scroller.scrollTop > 0 ? rows[Math.floor(scroller.scrollTop / HEIGHT)] : undefined;
    const fits = matching(trials, wanted.text);
    const left = trials.order.filter((row) => wanted.states.has(trials.columns.state[row]) && fits(row));
    rows = sorted(trials, left, wanted.column, wanted.descending);
    const place = first === undefined ? -1 : rows.indexOf(first);
    grid.setAttribute("aria-rowcount", rows.length + 1);
    say(said, rows.length === trials.length ? counted(rows.length, "trial") : `${count(rows.length)} of ${counted(trials.length, "trial")}`);
    heads.forEach(({ refresh }) => refresh());
    states.forEach((button, i) => show(button, trials.columns.state.includes(STATES[i]) || !wanted.states.has(STATES[i])));
    measure();
    window_();
    if (place >= 0) scroller.scrollTop = place * HEIGHT + (scroller.scrollTop % HEIGHT);
  }

  function measure() {
    const sample = rows.length <= 2 * SAMPLE ? rows : [...rows.slice(0, SAMPLE), ...rows.slice(-SAMPLE)];
    const letters = columns.map(({ label, text, badge }) => Math.min(32, Math.max(label.length + 2, badge ? 11 : 0, ...sample.map((row) => text(row).length))));
    if (letters.join() === sizes) return;
    sizes = letters.join();
    [...widths.children].forEach((col, i) => (col.style.width = `${size(letters[i])}rem`));
    grid.style.width = `${letters.reduce((sum, one) => sum + size(one), 0)}rem`;
  }

  function window_() {
    const first = Math.max(0, Math.floor(scroller.scrollTop / HEIGHT) - SPARE);
    const last = Math.min(rows.length, first + Math.ceil(scroller.clientHeight / HEIGHT) + 2 * SPARE);
    above.firstChild.style.height = `${first * HEIGHT}px`;
    below.firstChild.style.height = `${(rows.length - last) * HEIGHT}px`;
    body.replaceChildren(above, ...rows.slice(first, last).map((row, i) => line(row, first + i)), below);
  }

  function line(row, place) {
    const chosen = trials.number(row) === context.selected();
    const kind = `state-${trials.columns.state[row]}${row === trials.best ? " best" : ""}`;
    return h("tr", { class: kind, "data-trial": trials.number(row), "aria-rowindex": place + 2, "aria-selected": chosen },
      ...columns.map((column) => {
        const text = column.text(row);
        return h("td", { class: column.numeric ? "number" : "", title: text.length > 24 ? text : null }, column.badge ? h("span", { class: "badge" }, text) : text);
      }));
  }

  function walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.target !== scroller || !rows.length) return;
    event.preventDefault();
    const at = rows.findIndex((row) => trials.number(row) === context.selected());
    const next = at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step));
    const [top, view] = [next * HEIGHT, scroller.clientHeight - 2 * HEIGHT];
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    if (top > scroller.scrollTop + view) scroller.scrollTop = top - view;
    pick(trials.number(rows[next]));
  }

  return {
    element: panel("Trials", { wide: "full", controls: [search, ...states] }, said, scroller),
    charts: [],
    update: refresh,
    select: window_,
  };
}

function columnsOf(trials) {
  const { at } = { at: (row, name) => trials.at(row, name) };
  const numeric = (name, label, show) => ({ name, label, numeric: true, text: (row) => show(at(row, name)) });
  return [
    numeric("number", "trial", String),
    { name: "state", label: "state", badge: true, text: (row) => at(row, "state") ?? "" },
    numeric("value", "value", (value) => number(value, 7)),
    ...trials.parameters.map(({ name, kind }) => ({ name, label: visible(name, 24), numeric: kind === "float" || kind === "int", text: (row) => part(at(row, name), 40) })),
    numeric("seconds", "time", duration),
    numeric("gap", "gap", percent),
    { name: "origin", label: "origin", text: (row) => ORIGINS[at(row, "origin")] ?? at(row, "origin") ?? "" },
    { name: "reason", label: "reason", text: (row) => (at(row, "reason") === null ? "" : visible(at(row, "reason"), 200)) },
  ];
}

/** A heading that sorts: the first press the natural way, the second the other. */
function head(column, wanted, refresh) {
  const arrow = h("span", { class: "arrow", "aria-hidden": "true" });
  const sort = () => {
    wanted.descending = wanted.column === column.name ? !wanted.descending : false;
    wanted.column = column.name;
    refresh();
  };
  const button = h("button", { type: "button", onclick: sort, title: column.name }, column.label, arrow);
  const cell = h("th", { scope: "col", class: column.numeric ? "number" : "" }, button);
  return {
    cell,
    refresh() {
      const on = wanted.column === column.name;
      cell.setAttribute("aria-sort", on ? (wanted.descending ? "descending" : "ascending") : "none");
      say(arrow, on ? (wanted.descending ? " ▾" : " ▴") : "");
    },
  };
}
