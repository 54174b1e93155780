// All trials as a table. Only the rows in view exist as elements: two spacers stand for the others, and the attributes
// tell a screen reader how many there are.

import { h, once, panel, say, show, sortHead, stateSwitches } from "./dom.js";
import { count, counted, duration, number, part, percent, visible } from "./format.js";
import { matching, sorted } from "./filter.js";

const HEIGHT = 30; // pixels of a row, as in the style sheet
const MOST = 14; // rows in view
const SPARE = 8; // rows above and below the view
const SAMPLE = 300; // rows that the widths of columns are taken from
const WIDEST = 32; // letters of a column; the rest of a longer text is in its title
const BADGE = 11; // letters that a state takes with its frame
const WITHIN = new Map([[true, "yes"], [false, "no"]]);
const STATES = ["done", "failed", "stopped", "pending", "cancelled"];
const hint = (name) => `filter: words, or ${name.length > 12 || /\s/.test(name) ? "time" : name}<0.3`;
const LABEL = "Trials; the keys up and down select the next one";

const size = (letters) => 0.55 * letters + 1.3; // rem of a column: its digits and its margins
const spacer = (width) => h("tr", { class: "spacer", "aria-hidden": "true" }, h("td", { colspan: width }));

export function table(context) {
  const { trials, pick } = context;
  const columns = columnsOf(trials);
  const wanted = { text: "", states: new Set(STATES), column: "number", descending: true };
  let [rows, sizes] = [[], ""];

  const about = { "aria-label": "Filter trials", placeholder: hint(trials.outputs[0].name) };
  const search = h("input", { type: "search", size: 24, ...about });
  search.addEventListener("input", () => {
    wanted.text = search.value;
    refresh();
  });
  const states = stateSwitches(STATES, wanted.states, refresh, (state) => `state-${state}`);
  const said = h("p", { class: "sentence", role: "status" });
  const heads = columns.map((column) => sortHead(column, wanted, refresh));
  const widths = h("colgroup", {}, ...columns.map(() => h("col")));
  const [above, below] = [spacer(columns.length), spacer(columns.length)];
  const body = h("tbody");
  const top = h("thead", {}, h("tr", {}, ...heads.map(({ cell }) => cell)));
  const grid = h("table", { class: "trials", "aria-label": "Trials" }, widths, top, body);
  const scroller = h("div", { class: "rows", tabindex: 0, role: "region", "aria-label": LABEL }, grid);
  const draw = once(drawRows);
  const resized = new ResizeObserver(draw);
  resized.observe(scroller);
  scroller.addEventListener("scroll", draw, { passive: true });
  scroller.addEventListener("keydown", walk);
  body.addEventListener("click", (event) => {
    const line = event.target.closest("tr[data-trial]");
    if (line) pick(Number(line.dataset.trial));
  });

  /** Filter and sort again; what is in view stays in view when rows come in above it. */
  function refresh() {
    const before = scroller.scrollTop;
    const first = before > 0 ? rows[Math.floor(before / HEIGHT)] : undefined;
    const fits = matching(trials, wanted.text);
    const left = trials.order.filter((row) => wanted.states.has(trials.columns.state[row]) && fits(row));
    const { read } = columns.find(({ name }) => name === wanted.column);
    rows = sorted(trials, left, read, wanted.descending);
    context.filter(rows.length === trials.length ? null : new Set(rows));
    grid.setAttribute("aria-rowcount", rows.length + 1);
    const all = counted(trials.length, "trial");
    say(said, rows.length === trials.length ? all : `${count(rows.length)} of ${all}`);
    heads.forEach(({ refresh }) => refresh());
    const there = new Set(trials.columns.state);
    states.forEach((button, i) => show(button, there.has(STATES[i]) || !wanted.states.has(STATES[i])));
    measure();
    scroller.style.height = `${Math.min(MOST, trials.length + 2) * HEIGHT}px`; // whatever the filter: nothing jumps
    drawRows();
    const place = first === undefined ? -1 : rows.indexOf(first);
    if (place >= 0) scroller.scrollTop = place * HEIGHT + (before % HEIGHT);
  }

  /** Widths that stay while one scrolls: a browser would take them from the rows that happen to exist. */
  function measure() {
    const sample = rows.length <= 2 * SAMPLE ? rows : [...rows.slice(0, SAMPLE), ...rows.slice(-SAMPLE)];
    const letters = columns.map(({ label, text, badge }) => {
      const longest = Math.max(label.length + 2, badge ? BADGE : 0, ...sample.map((row) => text(row).length));
      return Math.min(WIDEST, longest);
    });
    if (letters.join() === sizes) return;
    sizes = letters.join();
    [...widths.children].forEach((col, i) => (col.style.width = `${size(letters[i])}rem`));
    grid.style.width = `${letters.reduce((sum, one) => sum + size(one), 0)}rem`;
  }

  function drawRows() {
    const first = Math.max(0, Math.floor(scroller.scrollTop / HEIGHT) - SPARE);
    const last = Math.min(rows.length, first + Math.ceil(scroller.clientHeight / HEIGHT) + 2 * SPARE);
    above.firstChild.style.height = `${first * HEIGHT}px`;
    below.firstChild.style.height = `${(rows.length - last) * HEIGHT}px`;
    body.replaceChildren(above, ...rows.slice(first, last).map((row, i) => line(row, first + i)), below);
  }

  function line(row, place) {
    const number = trials.number(row);
    const within = trials.allowed(row) ? "" : " infeasible";
    const look = `state-${trials.columns.state[row]}${row === trials.best ? " best" : ""}${within}`;
    const told = { "aria-rowindex": place + 2, "aria-current": number === context.selected() };
    return h("tr", { class: look, "data-trial": number, ...told }, ...columns.map((column) => cell(column, row)));
  }

  function walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.target !== scroller || !rows.length) return;
    event.preventDefault();
    const at = rows.findIndex((row) => trials.number(row) === context.selected());
    const next = at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step));
    const [place, view] = [next * HEIGHT, scroller.clientHeight - 2 * HEIGHT];
    if (place < scroller.scrollTop) scroller.scrollTop = place;
    if (place > scroller.scrollTop + view) scroller.scrollTop = place - view;
    pick(trials.number(rows[next]));
  }

  return {
    element: panel("Trials", { wide: "full", controls: [search, ...states] }, said, scroller),
    charts: [],
    update: refresh,
    select: drawRows,
    close: () => resized.disconnect(),
  };
}

function cell({ text, numeric, badge }, row) {
  const said = text(row);
  const look = { class: numeric ? "number" : null, title: said.length > WIDEST ? said : null };
  return h("td", look, badge ? h("span", { class: "badge" }, said) : said);
}

/** What the table has: {name, label, read(row), text(row)} each. */
function columnsOf(trials) {
  const made = (name, label, read, shown, more) => ({ name, label, read, text: (row) => shown(read(row)), ...more });
  const column = (name, label, shown, more) => made(name, label, (row) => trials.at(row, name), shown, more);
  const numeric = (name, label, shown) => column(name, label, shown, { numeric: true });
  const parameter = ({ name, kind }) => {
    const read = (row) => trials.param(row, name);
    const shown = (value) => part(value, 40);
    const first = trials.params[name].find((value) => value !== null); // where the kind does not say what values are
    const numeric = kind === "float" || kind === "int" || typeof first === "number";
    return made(`parameter ${name}`, visible(name, 24), read, shown, { numeric });
  };
  const onFront = (row) => (trials.onFront.has(trials.number(row)) ? 1 : 0);
  const output = ({ name }, place) => {
    const shown = (value) => number(value, place === 0 ? Math.min(trials.digits, 10) : 6);
    const key = trials.outputs.length === 1 ? "value" : `output ${name}`;
    return made(key, visible(name, 24), (row) => trials.told[place][row] ?? null, shown, { numeric: true });
  };
  return [
    numeric("number", "trial", String),
    column("state", "state", (state) => state ?? "", { badge: true }),
    ...trials.outputs.map(output),
    ...(trials.limited ? [column("feasible", "within limits", (within) => WITHIN.get(within) ?? "")] : []),
    ...(trials.several ? [made("front", "front", onFront, (on) => (on ? "yes" : ""))] : []),
    ...trials.parameters.map(parameter),
    numeric("seconds", "time", duration),
    numeric("gap", "gap", percent),
    column("origin", "origin", (origin) => origin ?? ""),
    column("reason", "reason", (reason) => (reason ? visible(reason, 200) : "")),
  ];
}
