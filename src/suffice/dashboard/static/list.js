// The list of studies: what runs, how far it is, how good; with a filter and an order that stay while news come in.

import { h, once, prose, say, show, sortHead, stateSwitches } from "./dom.js";
import { ago, count, counted, number, sentence, visible } from "./format.js";
import { SIGNS, stateBadge } from "./header.js";
import { spark } from "./spark.js";

const STATES = Object.keys(SIGNS);
const COLUMNS = [
  { name: "name", label: "Study", key: (study) => study.name.toLowerCase() },
  { name: "state", label: "State", key: (study) => STATES.indexOf(study.state) },
  { name: "best", label: "Best value", key: (study) => study.best, numeric: true },
  { name: "spark", label: "Best so far" },
  { name: "done", label: "Done", key: (study) => study.done, numeric: true },
  { name: "failed", label: "Failed", key: (study) => study.failed, numeric: true },
  { name: "pending", label: "Pending", key: (study) => study.pending, numeric: true },
  { name: "changed", label: "Last change", key: (study) => study.changed },
];
const HINT = "filter by name";
const NONE = "There is no study here yet. One that is stored appears by itself:";
const EXAMPLE = 'sf.minimize(f, space, n_trials=50, store="run.db")';

export class StudyList {
  constructor() {
    this.studies = new Map();
    this.searching = true;
    this.rows = new Map(); // id → what is drawn of it
    // Not by the last change, for then studies that run side by side would change places all the time.
    this.wanted = { text: "", states: new Set(STATES), column: "state", descending: false };
    this.update = once(() => this.draw());
    const search = h("input", { type: "search", "aria-label": "Filter studies", placeholder: HINT, size: 24 });
    search.addEventListener("input", () => {
      this.wanted.text = search.value;
      this.update();
    });
    this.states = stateSwitches(STATES, this.wanted.states, this.update);
    this.said = h("p", { class: "sentence", role: "status" });
    this.note = h("p", { class: "note", hidden: true });
    this.heads = COLUMNS.map((column) => this.#head(column));
    this.body = h("tbody");
    const head = h("thead", {}, h("tr", {}, ...this.heads.map(({ cell }) => cell)));
    this.table = h("table", { class: "studies", "aria-label": "Studies" }, head, this.body);
    this.none = h("div", { class: "empty", hidden: true });
    this.title = h("h1", { tabindex: -1 }, "Studies");
    const controls = h("div", { class: "controls" }, search, ...this.states);
    const top = h("div", { class: "title" }, this.title, controls);
    this.element = h("div", { class: "list" }, top, this.said, this.note, this.none, this.table);
  }

  #head(column) {
    if (!column.key) return { cell: h("th", { scope: "col" }, column.label), refresh() {} };
    return sortHead(column, this.wanted, this.update, column.name === "changed");
  }

  /** All of them, as first fetched or after a break. */
  replace({ studies, searching = false, note = null }) {
    this.studies = new Map(studies.map((study) => [study.id, study]));
    this.searching = searching;
    show(this.note, Boolean(note));
    say(this.note, note ?? "");
    this.update();
  }

  /** Those that changed, and those that are no longer there. */
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
    const shown = this.#sorted(fits);
    this.heads.forEach(({ refresh }) => refresh());
    const there = new Set(all.map(({ state }) => state));
    this.states.forEach((button, i) => show(button, there.has(STATES[i]) || !wanted.states.has(STATES[i])));
    this.#say(all, shown.length);
    this.#place(shown.map((study) => this.#row(study)));
    this.tick();
  }

  #say(all, shown) {
    const total = counted(all.length, "study", "studies");
    const running = all.filter(({ state }) => state === "running").length;
    const words = shown === all.length ? total : `${count(shown)} of ${total}`;
    say(this.said, all.length ? words + (running ? `, ${count(running)} running` : "") : "");
    show(this.table, shown > 0);
    show(this.none, !shown);
    if (shown) return;
    const empty = this.searching ? "Studies are being looked for …" : NONE;
    const text = h("p", {}, all.length ? "No study fits the filter." : empty);
    this.none.replaceChildren(text, ...(all.length || this.searching ? [] : [h("pre", {}, EXAMPLE)]));
  }

  /** Rows are moved only if the order has changed: a link that has the focus keeps it. */
  #place(rows) {
    const { children } = this.body;
    if (rows.length === children.length && rows.every((row, i) => row === children[i])) return;
    const focused = document.activeElement;
    this.body.replaceChildren(...rows);
    if (this.body.contains(focused)) focused.focus({ preventScroll: true });
  }

  #sorted(studies) {
    const { key } = COLUMNS.find(({ name }) => name === this.wanted.column);
    const sign = this.wanted.descending ? -1 : 1;
    return studies.sort((p, q) => {
      const [a, b] = [key(p) ?? null, key(q) ?? null];
      if (a === null || b === null) return (a === null) - (b === null) || p.name.localeCompare(q.name);
      return sign * (typeof a === "number" ? a - b : a.localeCompare(b)) || p.name.localeCompare(q.name);
    });
  }

  #row(study) {
    const href = `#/study/${study.id}`;
    const fresh = () => ({ row: h("tr"), link: h("a", { href }), changed: h("td", { "data-label": "last change" }) });
    const known = this.rows.get(study.id) ?? fresh();
    this.rows.set(study.id, known);
    if (known.study === study) return known.row;
    known.study = study;
    say(known.link, visible(study.name, 120));
    const text = sentence(study.problem ?? "");
    const problem = text ? h("div", { class: "problem", title: text }, ...prose(shortened(text, study.name))) : null;
    const amount = (name) =>
      h("td", { class: `number ${study[name] ? name : "zero"}`, "data-label": name }, count(study[name]));
    known.row.replaceChildren(
      h("th", { scope: "row" }, known.link, problem),
      h("td", {}, stateBadge(study.state)),
      h("td", { class: "number best", "data-label": "best", title: study.aims }, best(study), sense(study)),
      h("td", { class: "spark" }, spark(study)),
      ...["done", "failed", "pending"].map(amount),
      known.changed,
    );
    return known.row;
  }

  tick() {
    for (const { study, changed } of this.rows.values()) say(changed, ago(study.changed));
  }

  focus() {
    this.title.focus({ preventScroll: true });
  }
}

/** A sentence without the folders before a name: the line has room for what is wrong, and the study's page for all. */
function shortened(text, name) {
  const words = text.split(" ").map((word) => (word.endsWith(`/${name}`) ? name : word));
  return words.join(" ");
}

/** The best value, or how many trials are on the front; a dash where nothing is within all limits. */
const best = ({ best, front }) => (front === null ? number(best) : front ? `front of ${count(front)}` : number(null));

const sense = (study) =>
  study.best === null ? null : h("span", { class: "aside" }, study.sense === "maximize" ? " max" : " min");
