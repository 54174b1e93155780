// The list of studies: what runs, how far it is, how good; with a filter and an order that stay while news come in.

import { h, once, prose, s, say, show, toggle } from "./dom.js";
import { ago, count, counted, number, visible } from "./format.js";
import { stateBadge, STATES } from "./header.js";
import { line } from "./marks.js";

const [WIDTH, HEIGHT] = [120, 28]; // pixels of a sparkline
const ORDER = Object.keys(STATES);
const COLUMNS = [
  ["name", "Study", (study) => study.name.toLowerCase()],
  ["state", "State", (study) => ORDER.indexOf(study.state)],
  ["best", "Best value", (study) => study.best],
  ["spark", "Best so far", null],
  ["done", "Done", (study) => study.done],
  ["failed", "Failed", (study) => study.failed],
  ["pending", "Pending", (study) => study.pending],
  ["changed", "Last change", (study) => study.changed],
];

export class StudyList {
  constructor(place) {
    this.place = place; // of the studies, in words
    this.studies = new Map();
    this.rows = new Map(); // id → {row, key, changed}
    this.wanted = { text: "", states: new Set(ORDER), column: "changed", descending: true };
    const { wanted } = this;
    const search = h("input", { type: "search", "aria-label": "Filter studies", placeholder: "filter by name", size: 24 });
    search.addEventListener("input", () => { wanted.text = search.value; this.update(); });
    this.states = ORDER.map((state) => toggle(STATES[state][1], true, (on) => { wanted.states[on ? "add" : "delete"](state); this.update(); }));
    this.said = h("p", { class: "sentence", role: "status" });
    this.heads = COLUMNS.map((column) => this.#head(column));
    this.body = h("tbody");
    this.table = h("table", { class: "studies", "aria-label": "Studies" }, h("thead", {}, h("tr", {}, ...this.heads.map(({ cell }) => cell))), this.body);
    this.none = h("div", { class: "empty", hidden: true });
    this.title = h("h1", { tabindex: -1 }, "Studies");
    this.element = h("div", { class: "list" }, h("div", { class: "title" }, this.title, h("div", { class: "controls" }, search, ...this.states)), this.said, this.none, this.table);
    this.update = once(() => this.draw());
  }

  #head([name, label, key]) {
    if (!key) return { cell: h("th", { scope: "col" }, label), refresh() {} };
    const arrow = h("span", { class: "arrow", "aria-hidden": "true" });
    const { wanted } = this;
    const sort = () => {
      wanted.descending = wanted.column === name ? !wanted.descending : name === "changed";
      wanted.column = name;
      this.update();
    };
    const cell = h("th", { scope: "col", class: numeric(name) ? "number" : "" }, h("button", { type: "button", onclick: sort }, label, arrow));
    const refresh = () => {
      const on = wanted.column === name;
      cell.setAttribute("aria-sort", on ? (wanted.descending ? "descending" : "ascending") : "none");
      say(arrow, on ? (wanted.descending ? " ▾" : " ▴") : "");
    };
    return { cell, refresh };
  }

  /** All of them, as first fetched or after a break. */
  replace(studies) {
    this.studies = new Map(studies.map((study) => [study.id, study]));
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
    const fits = all.filter((study) => wanted.states.has(study.state) && study.name.toLowerCase().includes(text));
    const shown = this.#sorted(fits);
    this.heads.forEach(({ refresh }) => refresh());
    this.states.forEach((button, i) => show(button, all.some(({ state }) => state === ORDER[i]) || !wanted.states.has(ORDER[i])));
    const running = all.filter(({ state }) => state === "running").length;
    say(this.said, all.length ? (shown.length === all.length ? counted(all.length, "study", "studies") : `${count(shown.length)} of ${counted(all.length, "study", "studies")}`) + (running ? `, ${count(running)} running` : "") : "");
    this.#empty(all, shown);
    const rows = shown.map((study) => this.#row(study));
    // Rows are moved only if the order has changed: a link that has the focus keeps it.
    if (rows.length !== this.body.children.length || rows.some((row, i) => row !== this.body.children[i])) {
      const focused = document.activeElement;
      this.body.replaceChildren(...rows);
      if (this.body.contains(focused)) focused.focus({ preventScroll: true });
    }
    this.tick();
  }

  #empty(all, shown) {
    show(this.table, shown.length > 0);
    show(this.none, !shown.length);
    if (shown.length) return;
    const words = all.length
      ? [h("p", {}, "No study fits the filter.")]
      : [h("p", {}, "There is no study here yet. One that is stored appears by itself:"), h("pre", {}, 'sf.minimize(f, space, n_trials=50, store="run.db")')];
    this.none.replaceChildren(...words);
  }

  #sorted(studies) {
    const key = COLUMNS.find(([name]) => name === this.wanted.column)[2];
    const sign = this.wanted.descending ? -1 : 1;
    return studies.sort((p, q) => {
      const [a, b] = [key(p) ?? null, key(q) ?? null];
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (typeof a === "number" ? a - b : a.localeCompare(b)) || p.name.localeCompare(q.name);
    });
  }

  #row(study) {
    const known = this.rows.get(study.id) ?? { row: h("tr"), key: null, changed: h("td", { "data-label": "Last change" }) };
    this.rows.set(study.id, known);
    const key = JSON.stringify(study);
    if (key === known.key) return known.row;
    known.key = key;
    known.study = study;
    const link = known.link ?? h("a", { href: `#/study/${encodeURIComponent(study.id)}` });
    known.link = link;
    say(link, visible(study.name, 120));
    const amount = (name) => h("td", { class: `number ${study[name] ? name : "zero"}`, "data-label": name }, count(study[name]));
    known.row.replaceChildren(
      h("th", { scope: "row" }, link, study.problem ? h("div", { class: "problem" }, ...prose(study.problem)) : null),
      h("td", {}, stateBadge(study.state)),
      h("td", { class: "number best", "data-label": study.sense === "maximize" ? "largest" : "smallest" }, number(study.best), h("span", { class: "aside" }, study.best === null ? "" : study.sense === "maximize" ? " max" : " min")),
      h("td", { class: "spark" }, spark(study)),
      amount("done"), amount("failed"), amount("pending"),
      known.changed,
    );
    return known.row;
  }

  tick() {
    for (const { study, changed } of this.rows.values()) if (study) say(changed, ago(study.changed));
  }

  focus() {
    this.title.focus({ preventScroll: true });
  }
}

const numeric = (name) => ["best", "done", "failed", "pending"].includes(name);

/** The best so far as a line; an outlier at the start is cut off, since the rest would be flat. */
function spark({ spark: values, sense, name }) {
  const known = (values ?? []).filter(Number.isFinite);
  if (known.length < 2) return s("svg", { width: WIDTH, height: HEIGHT, "aria-hidden": "true" });
  const sorted = known.slice().sort((p, q) => p - q);
  const edge = sorted[Math.floor((sorted.length - 1) * (sense === "maximize" ? 0.1 : 0.9))];
  const best = sense === "maximize" ? sorted[sorted.length - 1] : sorted[0];
  const [low, high] = edge === best ? [sorted[0], sorted[sorted.length - 1]] : [Math.min(edge, best), Math.max(edge, best)];
  const place = (value) => HEIGHT - 4 - ((Math.min(high, Math.max(low, value)) - low) / (high - low || 1)) * (HEIGHT - 8);
  const points = known.map((value, i) => [2 + (i * (WIDTH - 4)) / (known.length - 1), place(value)]);
  const label = `Best so far of ${visible(name, 40)}: from ${number(known[0], 4)} to ${number(known[known.length - 1], 4)}`;
  return s("svg", { width: WIDTH, height: HEIGHT, role: "img" }, s("title", {}, label), s("path", { class: "line blue", d: line(points) }));
}
