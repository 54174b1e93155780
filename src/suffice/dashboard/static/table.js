// The trials as text: the table of all trials, failures by reason, pending trials, and one trial in full.

import { filterControls, h, once, panel, plainTable, say, show, sortHead } from "./dom.js";
import { are, clamp, compared, count, counted, duration, moment, number, part } from "./format.js";
import { percent, sentence, visible } from "./format.js";
import { about, ask } from "./stream.js";
import { matching, ORIGINS, STATES, waited } from "./trials.js";

// ------------------------------------------------------------------ all trials

// Only the rows in view exist as elements. Two spacers represent the others, and attributes give screen readers the
// total.

const HEIGHT = 30; // pixels of a row, as in the style sheet
const MOST = 14; // rows in view
const SPARE = 8; // rows above and below the view
const SAMPLE = 300; // rows that determine the widths of columns
const WIDEST = 32; // letters of a column; the rest of a longer text is in its title
const BADGE = 11; // letters that a state takes with its frame
const WITHIN = new Map([[true, "yes"], [false, "no"]]);
const hint = (name) => `filter: words, or ${name.length > 12 || /\s/.test(name) ? "time" : name}<0.3`;
const LABEL = "Trials; use the up and down keys to select one";

const size = (letters) => 0.55 * letters + 1.3; // rem of a column: its digits and its margins
const spacer = (width) => h("tr", { class: "spacer", "aria-hidden": "true" }, h("td", { colspan: width }));

export function table(context) {
  const { trials, pick } = context;
  const columns = columnsOf(trials);
  const wanted = { text: "", states: new Set(STATES), column: "number", descending: true };
  let [rows, sizes] = [[], ""];

  const about = { "aria-label": "Filter trials", placeholder: hint(trials.outputs[0].name) };
  const filter = filterControls(STATES, wanted, refresh, about, (state) => `state-${state}`);
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

  /** Filter and sort again; rows in view stay in view when others are inserted above them. */
  function refresh() {
    const before = scroller.scrollTop;
    const first = before > 0 ? rows[Math.floor(before / HEIGHT)] : undefined;
    const fits = matching(trials, wanted.text);
    const left = trials.order.filter((row) => wanted.states.has(trials.columns.state[row]) && fits(row));
    const { read } = columns.find(({ name }) => name === wanted.column);
    rows = left.sort(compared(read, wanted.descending, (p, q) => trials.number(p) - trials.number(q)));
    context.filter(rows.length === trials.length ? null : new Set(rows));
    grid.setAttribute("aria-rowcount", rows.length + 1);
    const all = counted(trials.length, "trial");
    say(said, rows.length === trials.length ? all : `${count(rows.length)} of ${all}`);
    heads.forEach(({ refresh }) => refresh());
    filter.offer(trials.columns.state);
    measure();
    scroller.style.height = `${Math.min(MOST, trials.length + 2) * HEIGHT}px`; // for any filter: nothing jumps
    drawRows();
    const place = first === undefined ? -1 : rows.indexOf(first);
    if (place >= 0) scroller.scrollTop = place * HEIGHT + (before % HEIGHT);
  }

  /** Fixed widths during scrolling, because a browser would use only the rows that exist. */
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
    const next = at < 0 ? 0 : clamp(at + step, 0, rows.length - 1);
    const [place, view] = [next * HEIGHT, scroller.clientHeight - 2 * HEIGHT];
    if (place < scroller.scrollTop) scroller.scrollTop = place;
    if (place > scroller.scrollTop + view) scroller.scrollTop = place - view;
    pick(trials.number(rows[next]));
  }

  return {
    element: panel("Trials", { wide: "full", controls: filter.controls }, said, scroller),
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

/** The columns of the table: {name, label, read(row), text(row)} each. */
function columnsOf(trials) {
  const made = (name, label, read, shown, more) => ({ name, label, read, text: (row) => shown(read(row)), ...more });
  const column = (name, label, shown, more) => made(name, label, (row) => trials.at(row, name), shown, more);
  const numeric = (name, label, shown) => column(name, label, shown, { numeric: true });
  const parameter = ({ name, kind }) => {
    const read = (row) => trials.param(row, name);
    const shown = (value) => part(value, 40);
    const first = trials.params[name].find((value) => value !== null); // if the kind does not determine the values
    const numeric = kind === "float" || kind === "int" || typeof first === "number";
    return made(`parameter ${name}`, visible(name, 24), read, shown, { numeric });
  };
  const onFront = (row) => (trials.onFront.has(trials.number(row)) ? 1 : 0);
  const output = ({ name }, place) => {
    const shown = (value) => number(value, place === 0 ? Math.min(trials.digits, 10) : 6);
    const key = trials.outputs.length === 1 ? "value" : `output ${name}`;
    return made(key, visible(name, 24), (row) => trials.told[place][row] ?? null, shown, { numeric: true });
  };
  const there = (name) => trials.columns[name].some((value) => value !== null); // the page is opened anew for others
  return [
    numeric("number", "trial", String),
    column("state", "state", (state) => state ?? "", { badge: true }),
    ...trials.outputs.map(output),
    ...(trials.limited ? [column("feasible", "feasible", (within) => WITHIN.get(within) ?? "")] : []),
    ...(trials.several ? [made("front", "front", onFront, (on) => (on ? "yes" : ""))] : []),
    ...trials.parameters.map(parameter),
    numeric("seconds", "time", duration),
    numeric("gap", "gap", percent),
    column("origin", "origin", (origin) => origin ?? ""),
    column("reason", "reason", (reason) => (reason ? visible(reason, 200) : "")),
    ...["worker", "note"].filter(there).map((name) => column(name, name, (said) => (said ? visible(said, 200) : ""))),
  ];
}

// ------------------------------------------------------------------ failures and pending trials

const FEW = 8; // trials with a button for each reason; the table has all of them
const SHOWN = 50; // pending trials in the list
const PARTS = 3; // parameters of a point beside a pending trial

const numberButton = (number, pick) =>
  h("button", { class: "number", "aria-label": `Trial ${number}`, onclick: () => pick(number) }, String(number));

export function failures({ trials, pick }) {
  const sentence = h("p", { class: "sentence" });
  const [table, body] = plainTable("Failures by reason", ["Reason", "Count", "Latest trials"]);
  const element = panel("Failures", { wide: "half" }, sentence, table);
  const line = ([reason, numbers]) => {
    const latest = numbers.slice(-FEW).reverse();
    const buttons = latest.map((number) => numberButton(number, pick));
    return h(
      "tr",
      {},
      h("td", { class: "text" }, visible(reason, 300)),
      h("td", { class: "number" }, count(numbers.length)),
      h("td", { class: "buttons" }, ...buttons, numbers.length > FEW ? "…" : null),
    );
  };
  return {
    element,
    update() {
      const failed = trials.failed.length;
      show(element, failed > 0);
      say(sentence, `${counted(failed, "trial")} of ${count(failed + trials.evaluated.length)} failed.`);
      const groups = [...byReason(trials)].sort(([, p], [, q]) => q.length - p.length);
      body.replaceChildren(...groups.map(line));
    },
  };
}

/** Failed trials by their reason. */
function byReason(trials) {
  const groups = new Map();
  for (const row of trials.failed) {
    const reason = trials.at(row, "reason") || "no reason given";
    if (!groups.has(reason)) groups.set(reason, []);
    groups.get(reason).push(trials.number(row));
  }
  return groups;
}

export function pending({ trials, pick }) {
  const sentence = h("p", { class: "sentence" });
  const [table, body] = plainTable("Pending trials", ["Trial", "For", "Point"]);
  const element = panel("Pending", { wide: "half" }, sentence, table);
  const clocks = new Map(); // row → the cell with the clock
  const tick = () => clocks.forEach((cell, row) => say(cell, waited(trials, row)));
  const line = (row) => {
    const clock = h("td");
    clocks.set(row, clock);
    const button = h("td", {}, numberButton(trials.number(row), pick));
    return h("tr", {}, button, clock, h("td", { class: "text" }, inShort(trials.point(row))));
  };
  return {
    element,
    tick,
    update() {
      const rows = trials.pending;
      show(element, rows.length > 0);
      say(sentence, `${counted(rows.length, "trial")} ${are(rows.length)} pending.`);
      clocks.clear();
      body.replaceChildren(...rows.slice(0, SHOWN).map(line));
      tick();
    },
  };
}

const inShort = (point) => {
  const parts = point.slice(0, PARTS).map(([name, value]) => `${visible(name, 20)} = ${part(value, 20)}`);
  return parts.join(", ") + (point.length > PARTS ? ", …" : "");
};

// ------------------------------------------------------------------ one trial

// The point, the result and the search of one trial: the selected one, or the best one if none is selected.

const COPIED = 1500; // milliseconds for the confirmation on the button
const NONE = "This panel has the best trial, or the one that you select in a chart or the table.";
const SEARCH = "These numbers describe the accuracy of the search, not the distance of the point from the optimum.";

const SHARES = new Set(["Relative gap", "Rank"]); // numbers that are shown in percent

export function detail(context) {
  const { id, trials, pick } = context;
  const button = (label, onclick, more = {}) => h("button", { type: "button", onclick, ...more }, label);
  const heading = h("h2", { id: "trial-heading" });
  const badges = h("span", { class: "badges" });
  const copy = button("Copy point", copyPoint, { hidden: !navigator.clipboard });
  const close = button("✕", () => pick(null), { "aria-label": "Close; show the best or recommended trial again" });
  const before = button("‹", () => walk(-1), { "aria-label": "Previous trial" });
  const after = button("›", () => walk(1), { "aria-label": "Next trial" });
  const controls = h("div", { class: "controls" }, before, after, copy, close);
  const head = h("div", { class: "panel-head" }, heading, badges, controls);
  const body = h("div", { class: "detail-body" });
  const element = h("aside", { class: "detail", "aria-labelledby": "trial-heading" }, head, body);
  let [shown, whole] = [null, null]; // the drawn trial and state, and the server's answer about them

  const current = () => context.selected() ?? (trials.use === null ? null : trials.number(trials.use));

  function walk(step) {
    const order = trials.order.map((row) => trials.number(row));
    const next = order[clamp(order.indexOf(current()) + step, 0, order.length - 1)];
    if (next !== undefined) pick(next);
  }

  async function copyPoint() {
    const row = trials.rows.get(current());
    if (row === undefined) return;
    await navigator.clipboard.writeText(JSON.stringify(Object.fromEntries(trials.point(row)), null, 2));
    say(copy, "Copied");
    setTimeout(() => say(copy, "Copy point"), COPIED);
  }

  function refresh() {
    const trial = current();
    const row = trials.rows.get(trial);
    show(close, context.selected() !== null);
    element.classList.toggle("chosen", context.selected() !== null);
    if (row === undefined) return drawNothing();
    const state = trials.at(row, "state");
    const key = [trial, state, trials.titles(row), trials.onFront.has(trial), trials.at(row, "note")].join(" ");
    if (key === shown) return;
    if (shown === null || Number(shown.split(" ")[0]) !== trial) [whole, element.scrollTop] = [null, 0];
    shown = key;
    say(heading, `Trial ${trial}`);
    const marks = [h("span", { class: `badge state-${state}` }, state)];
    for (const title of trials.titles(row)) marks.push(" ", h("span", { class: "badge best" }, title));
    if (row !== trials.best && trials.onFront.has(trial)) marks.push(" ", h("span", { class: "badge front" }, "on the front"));
    if (!trials.allowed(row)) marks.push(" ", h("span", { class: "badge infeasible" }, "infeasible"));
    badges.replaceChildren(...marks);
    draw(row);
    fetchWhole(trial, key);
  }

  function drawNothing() {
    shown = null;
    say(heading, "No trial yet");
    badges.replaceChildren();
    body.replaceChildren(h("p", { class: "empty" }, NONE));
  }

  async function fetchWhole(trial, key) {
    const answer = await ask(about(id, `/trials/${trial}`)).catch((error) => ({ trouble: error.message }));
    if (shown !== key) return; // another trial was selected meanwhile
    whole = answer;
    draw(trials.rows.get(trial));
  }

  function draw(row) {
    const top = element.scrollTop;
    const sections = [facts(trials, row, whole), point(trials, row, whole), searched(whole), trouble(whole)];
    body.replaceChildren(...sections.flat());
    element.scrollTop = top;
  }

  /** The clock of a pending trial. */
  function tick() {
    const row = trials.rows.get(current());
    const clock = body.querySelector(".clock");
    if (clock && row !== undefined) say(clock, waited(trials, row));
  }

  return { element, update: refresh, select: refresh, told: refresh, tick };
}

const list = (pairs) => h("dl", {}, ...pairs.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));

function facts(trials, row, whole) {
  const { state, seconds, reason, origin, cause } = trials.row(row);
  const [noise, expected, deviation] = [whole?.noise_var, whole?.predicted, whole?.predicted_sd];
  const plain = trials.outputs.length === 1;
  const pairs = [
    ...trials.outputs.flatMap((output, place) => told(output, trials.told[place][row] ?? null, whole, place)),
    Number.isFinite(noise) ? ["noise", `± ${number(Math.sqrt(noise), 3)}, the given standard deviation`] : null,
    plain && Number.isFinite(expected) ? ["model expected", expectation(expected, deviation)] : null,
    Number.isFinite(trials.timed ? trials.at(row, "begun") : null) ? ["began", moment(trials.at(row, "begun"))] : null,
    trials.at(row, "worker") ? ["worker", visible(trials.at(row, "worker"))] : null,
    state === "pending" ? ["pending for", h("span", { class: "clock" }, waited(trials, row))] : null,
    whole?.reports?.length ? ["last report", lastReport(whole.reports)] : null,
    seconds === null ? null : ["evaluation", duration(seconds)],
    ["origin", ORIGINS[origin] ?? origin ?? "unknown"],
    cause ? ["cause", visible(cause)] : null,
    reason ? ["reason", visible(reason, 400)] : null,
    whole?.note ? ["note", visible(whole.note, 2000)] : null,
    ...Object.entries(whole?.attributes ?? {}).map(([name, value]) => [visible(name, 60), part(value, 2000)]),
  ];
  const parts = [list(pairs.filter(Boolean))];
  if (whole?.traceback) {
    const text = h("pre", { tabindex: 0, "aria-label": "Traceback" }, whole.traceback);
    parts.push(h("details", {}, h("summary", {}, "Traceback"), text));
  }
  return parts;
}

/** An output: its value, its constraint, and with several outputs its prediction. */
function told({ name, said }, value, whole, place) {
  if (value === null) return [];
  const limit = said === null ? "" : `, required: ${said}`;
  const [mean, deviation] = whole?.expected?.[place] ?? [null, null];
  const expected = Number.isFinite(mean) ? [[`predicted ${visible(name, 40)}`, expectation(mean, deviation)]] : [];
  return [[visible(name, 60), [h("strong", {}, number(value, 12)), limit]], ...expected];
}

/** The last step and value that the evaluation reported. */
function lastReport(reports) {
  const [step, value] = reports.at(-1);
  const said = value === null ? "no number" : number(value, 6);
  return `${said} at step ${step}, the last of ${counted(reports.length, "report")}`;
}

/** The predicted value when the point was chosen, with digits according to its standard deviation. */
function expectation(mean, deviation) {
  if (!(deviation > 0)) return number(mean, 4);
  const decimals = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(deviation))));
  return `${mean.toFixed(decimals)} ± ${deviation.toFixed(decimals)}`;
}

/** The full point from the file, or from the charts until the server has answered. */
function point(trials, row, whole) {
  const known = whole?.point ? Object.entries(whole.point) : trials.point(row);
  const fixed = new Set(Object.keys(whole?.fixed ?? {}));
  const said = (name, value) => part(value, 2000) + (fixed.has(name) ? " (fixed)" : "");
  const pairs = known.map(([name, value]) => [visible(name, 60), said(name, value)]);
  return pairs.length ? [h("h3", {}, "Point"), list(pairs)] : [];
}

/** The report of the search: labelled numbers, each with its meaning. */
function searched(whole) {
  const report = whole?.solve;
  if (!report?.length) return [];
  const rows = report.map(({ label, value, meaning }) => {
    const said = typeof value !== "number" ? part(value, 200) : SHARES.has(label) ? percent(value) : number(value, 4);
    const head = h("div", { class: "fact-head" }, h("span", {}, label), h("strong", {}, said));
    return h("div", { class: "fact" }, head, meaning ? h("p", { class: "note" }, meaning) : null);
  });
  const accurate = report.find(({ label }) => label === "Accurate enough")?.value ?? null;
  const words = { yes: ": accurate enough", no: ": not accurate enough" }[accurate] ?? "";
  const head = h("summary", {}, `Search for this point${words}`);
  return [h("details", { open: accurate === "no" }, head, h("p", { class: "note" }, SEARCH), ...rows)];
}

function trouble(whole) {
  const notes = (whole?.notes ?? []).map((note) => h("p", { class: "note" }, sentence(note)));
  const problem = whole?.trouble ?? whole?.problem;
  return problem ? [...notes, h("p", { class: "note" }, `Further details are not available: ${problem}`)] : notes;
}
