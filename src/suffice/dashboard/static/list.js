// The list of studies with their state, progress and best value; the filter and the order stay during updates.

import { steps } from "./chart.js";
import { filterControls, h, once, prose, s, say, show, SIGNS, sortHead, stateBadge } from "./dom.js";
import { ago, clamp, compared, count, counted, number, sentence, visible } from "./format.js";

const STATES = Object.keys(SIGNS);
const COLUMNS = [
  { name: "chosen", label: "" },
  { name: "name", label: "Study", key: (study) => study.name.toLowerCase() },
  { name: "state", label: "State", key: (study) => STATES.indexOf(study.state) },
  { name: "best", label: "Best value", key: (study) => study.best, numeric: true },
  { name: "spark", label: "Best so far" },
  { name: "done", label: "Done", key: (study) => study.done, numeric: true },
  { name: "pruned", label: "Pruned", key: (study) => study.pruned, numeric: true },
  { name: "failed", label: "Failed", key: (study) => study.failed, numeric: true },
  { name: "pending", label: "Pending", key: (study) => study.pending, numeric: true },
  { name: "changed", label: "Last change", key: (study) => study.changed },
];
const NONE = "There are no studies here yet. Stored studies appear automatically:";
const EXAMPLE = 'sf.minimize(f, space, n_trials=50, storage="run.db")';

export class StudyList {
  constructor() {
    this.studies = new Map();
    this.searching = true;
    this.rows = new Map(); // id → its elements
    // Not by the last change, because then running studies would change places all the time.
    this.wanted = { text: "", states: new Set(STATES), column: "state", descending: false };
    this.update = once(() => this.draw());
    const about = { "aria-label": "Filter studies", placeholder: "filter by name" };
    this.filter = filterControls(STATES, this.wanted, this.update, about);
    this.chosen = new Set(); // ids of studies to be compared
    this.compare = h("a", { class: "button", hidden: true });
    this.said = h("p", { class: "sentence", role: "status" });
    this.note = h("p", { class: "note", hidden: true });
    this.heads = COLUMNS.map((column) => this.#head(column));
    this.body = h("tbody");
    const head = h("thead", {}, h("tr", {}, ...this.heads.map(({ cell }) => cell)));
    this.table = h("table", { class: "studies", "aria-label": "Studies" }, head, this.body);
    this.none = h("div", { class: "empty", hidden: true });
    this.title = h("h1", { tabindex: -1 }, "Studies");
    const controls = h("div", { class: "controls" }, this.compare, ...this.filter.controls);
    const top = h("div", { class: "title" }, this.title, controls);
    this.element = h("div", { class: "list" }, top, this.said, this.note, this.none, this.table);
  }

  #head(column) {
    if (!column.key) return { cell: h("th", { scope: "col" }, column.label), refresh() {} };
    const head = sortHead(column, this.wanted, this.update, column.name === "changed");
    head.cell.classList.add(`column-${column.name}`);
    return head;
  }

  /** Show all studies, after the first fetch or after an interruption. */
  replace({ studies, searching = false, note = null }) {
    this.studies = new Map(studies.map((study) => [study.id, study]));
    this.searching = searching;
    show(this.note, Boolean(note));
    say(this.note, note ?? "");
    this.update();
  }

  /** Update changed studies, and remove those that no longer exist. */
  news({ studies = [], removed = [] }) {
    for (const study of studies) this.studies.set(study.id, study);
    for (const id of removed) this.studies.delete(id);
    this.update();
  }

  draw() {
    const { wanted } = this;
    const all = [...this.studies.values()];
    const text = wanted.text.trim().toLowerCase();
    const fits = all.filter(({ state, name }) => wanted.states.has(state) && name.toLowerCase().includes(text));
    const { key } = COLUMNS.find(({ name }) => name === wanted.column);
    const shown = fits.sort(compared(key, wanted.descending, (p, q) => p.name.localeCompare(q.name)));
    this.heads.forEach(({ refresh }) => refresh());
    this.table.classList.toggle("unpruned", !all.some(({ pruned }) => pruned));
    this.#offer();
    this.filter.offer(all.map(({ state }) => state));
    this.#say(all, shown.length);
    this.#place(shown.map((study) => this.#row(study)));
    this.tick();
  }

  /** The link to a comparison, if there are studies to compare. */
  #offer() {
    const ids = [...this.chosen].filter((id) => this.studies.has(id));
    show(this.compare, ids.length > 1);
    say(this.compare, `Compare ${count(ids.length)} studies`);
    this.compare.href = `#/compare/${ids.join(",")}`;
  }

  #say(all, shown) {
    const total = counted(all.length, "study", "studies");
    const running = all.filter(({ state }) => state === "running").length;
    const words = shown === all.length ? total : `${count(shown)} of ${total}`;
    say(this.said, all.length ? words + (running ? `, ${count(running)} running` : "") : "");
    show(this.table, shown > 0);
    show(this.none, !shown);
    if (shown) return;
    const empty = this.searching ? "Searching for studies …" : NONE;
    const text = h("p", {}, all.length ? "No study matches the filter." : empty);
    this.none.replaceChildren(text, ...(all.length || this.searching ? [] : [h("pre", {}, EXAMPLE)]));
  }

  /** Move rows only if the order has changed, so that a link keeps the focus. */
  #place(rows) {
    const { children } = this.body;
    if (rows.length === children.length && rows.every((row, i) => row === children[i])) return;
    const focused = document.activeElement;
    this.body.replaceChildren(...rows);
    if (this.body.contains(focused)) focused.focus({ preventScroll: true });
  }

  #row(study) {
    const href = `#/study/${study.id}`;
    const fresh = () => ({
      row: h("tr"),
      box: this.#box(study),
      link: h("a", { href }),
      changed: h("td", { "data-label": "last change" }),
    });
    const known = this.rows.get(study.id) ?? fresh();
    this.rows.set(study.id, known);
    if (known.study === study) return known.row;
    known.study = study;
    say(known.link, visible(study.name, 120));
    const text = sentence(study.problem ?? "");
    const problem = text ? h("div", { class: "problem", title: text }, ...prose(shortened(text, study.name))) : null;
    const amount = (name) =>
      h("td", { class: `number column-${name} ${study[name] ? name : "zero"}`, "data-label": name }, count(study[name]));
    known.row.replaceChildren(
      h("td", { class: "chosen" }, known.box),
      h("th", { scope: "row" }, known.link, problem),
      h("td", {}, stateBadge(study.state)),
      h("td", { class: "number best", "data-label": "best", title: study.aims }, best(study), sense(study)),
      h("td", { class: "spark" }, spark(study)),
      ...["done", "pruned", "failed", "pending"].map(amount),
      known.changed,
    );
    return known.row;
  }

  #box({ id, name }) {
    const box = h("input", { type: "checkbox", "aria-label": `Compare ${visible(name, 120)}` });
    box.addEventListener("change", () => {
      this.chosen[box.checked ? "add" : "delete"](id);
      this.#offer();
    });
    return box;
  }

  tick() {
    for (const { study, changed } of this.rows.values()) say(changed, ago(study.changed));
  }

  focus() {
    this.title.focus({ preventScroll: true });
  }
}

/** A message without the folders before a name, to fit the line; the study's page has the whole. */
function shortened(text, name) {
  const words = text.split(" ").map((word) => (word.endsWith(`/${name}`) ? name : word));
  return words.join(" ");
}

/** The best value, or the number of trials on the front; a dash if nothing is feasible. */
const best = ({ best, front }) => (front === null ? number(best) : front ? `front of ${count(front)}` : number(null));

const sense = (study) =>
  study.best === null ? null : h("span", { class: "aside" }, study.direction === "maximize" ? " max" : " min");

// ------------------------------------------------------------------ the best so far as a small line

const [WIDTH, HEIGHT, ROOM] = [120, 28, 4]; // pixels
const DECIDING = 0.9; // of the values, from the best, decide the range, because the first one may be far away

function spark({ spark: values, direction, name, front }) {
  const known = (values ?? []).filter(Number.isFinite);
  const size = { width: WIDTH, height: HEIGHT };
  if (known.length < 2) return s("svg", { ...size, "aria-hidden": "true" });
  const [first, last] = [known[0], known.at(-1)]; // the last one is the best
  const [low, high] = sparkRange(known, last, direction === "maximize" || front !== null);
  const place = (value) => {
    const share = (clamp(value, low, high) / 2 - low / 2) / (high / 2 - low / 2 || 1); // as in chart.js
    return HEIGHT - ROOM - share * (HEIGHT - 2 * ROOM);
  };
  const points = known.map((value, i) => [2 + (i * (WIDTH - 4)) / (known.length - 1), place(value)]);
  const what = front === null ? "Best" : "Hypervolume";
  const label = `${what} so far of ${visible(name, 40)}: from ${number(first, 4)} to ${number(last, 4)}`;
  const path = s("path", { class: "line blue", d: steps(points, WIDTH - 2) });
  return s("svg", { ...size, role: "img" }, s("title", {}, label), path);
}

function sparkRange(values, best, larger) {
  const sorted = values.slice().sort((p, q) => p - q);
  const edge = sorted[Math.floor((sorted.length - 1) * (larger ? 1 - DECIDING : DECIDING))];
  const other = edge === best ? sorted[larger ? 0 : sorted.length - 1] : edge;
  return [Math.min(other, best), Math.max(other, best)];
}
