// The page of one study: its panels in order, what they share (the selection, the log switch), and news for them.

import { accuracy } from "./accuracy.js";
import { convergence } from "./convergence.js";
import { detail } from "./detail.js";
import { h, once, panel } from "./dom.js";
import { duration, number, part, percent, visible } from "./format.js";
import { head } from "./header.js";
import { parameters } from "./parameters.js";
import { slices } from "./slices.js";
import { ask } from "./stream.js";
import { table } from "./table.js";
import { Trials } from "./trials.js";
import { failures, pending } from "./troubles.js";

const PULSE = 1000; // milliseconds between updates of clocks

// The panels in the order of reading. A front of several objectives would be one more, before the parameters.
const PANELS = [convergence, accuracy, parameters, slices, failures, pending, table, settings];

/** Fetch a study and show it; `announce` speaks to screen readers, `chosen` is told the selection, for the address. */
export async function openStudy(id, { trial = null, announce, chosen }) {
  const study = await ask(`api/studies/${encodeURIComponent(id)}`);
  return new StudyPage(id, study, { trial, announce, chosen });
}

class StudyPage {
  constructor(id, study, { trial, announce, chosen }) {
    Object.assign(this, { id, announce, chosen, revision: study.revision, summary: study.summary, selection: trial });
    this.trials = new Trials(study);
    this.view = { log: false, all: false };
    const context = {
      id,
      study,
      trials: this.trials,
      view: this.view,
      pick: (number) => this.select(number),
      tell: (number) => tell(this.trials, number),
      selected: () => this.selection,
      summary: () => this.summary,
      revision: () => this.revision,
      setView: (change) => {
        Object.assign(this.view, change);
        this.charts.forEach((chart) => chart.change());
      },
    };
    this.head = head(context);
    this.detail = detail(context);
    const made = PANELS.map((make) => make(context));
    this.parts = [this.head, ...made, this.detail];
    this.charts = this.parts.flatMap((part) => part.charts);
    const panels = h("div", { class: "panels" }, ...made.map(({ element }) => element));
    this.element = h("div", { class: "study" }, h("div", { class: "study-main" }, this.head.element, panels), this.detail.element);
    this.update = once(() => this.parts.forEach((part) => part.update()));
    this.parts.forEach((part) => part.update());
    this.clock = setInterval(() => this.parts.forEach((part) => part.tick?.()), PULSE);
    this.escape = (event) => event.key === "Escape" && this.selection !== null && this.select(null);
    document.addEventListener("keydown", this.escape);
    if (trial !== null) this.select(trial);
  }

  get title() {
    const { best } = this.trials;
    const name = visible(this.summary.name, 60);
    return best === null ? name : `${number(this.trials.at(best, "value"))} · ${name}`;
  }

  select(trial) {
    this.selection = trial !== null && this.trials.rows.has(trial) ? trial : null;
    this.charts.forEach((chart) => chart.select(this.selection));
    this.parts.forEach((part) => part.select?.());
    this.chosen(this.selection);
    if (this.selection !== null) this.announce(tell(this.trials, this.selection).join(", "));
  }

  /** Whether these news are about another study than the one that was opened: the file was replaced or is only now
   *  known to have these parameters. Then the page has to be made anew. */
  replaced({ reset, trials }) {
    return Boolean(reset) || Object.keys(trials.params ?? {}).some((name) => !(name in this.trials.params));
  }

  /** News: rows that changed since the last ones. */
  news({ revision, trials }) {
    if (older(revision, this.revision)) return; // an answer that was overtaken by the stream
    const before = this.trials.best === null ? null : this.trials.at(this.trials.best, "value");
    const settled = this.trials.merge(trials);
    this.revision = revision;
    this.update();
    if (!settled.length) return;
    const after = this.trials.best === null ? null : this.trials.at(this.trials.best, "value");
    const words = settled.length === 1 ? `Trial ${settled[0]} has ended` : `${settled.length} trials have ended`;
    this.announce(after === before ? `${words}.` : `${words}. The best value is now ${number(after)}.`);
  }

  /** What the list says of this study: its state, its problem, when it changed. */
  summarize(summary) {
    this.summary = summary;
    this.head.update();
  }

  /** After a break: what changed since the last row that came. */
  catchUp() {
    return ask(`api/studies/${encodeURIComponent(this.id)}/trials?since=${encodeURIComponent(this.revision)}`);
  }

  focus() {
    this.head.title.focus({ preventScroll: true });
  }

  close() {
    clearInterval(this.clock);
    document.removeEventListener("keydown", this.escape);
    this.charts.forEach((chart) => chart.close());
    this.parts.forEach((part) => part.close?.());
  }
}

/** Whether a revision, "file.count", is an earlier one of the same file. */
function older(one, other) {
  const [[file, count], [same, reached]] = [one, other].map((revision) => String(revision).split("."));
  return file === same && Number(count) < Number(reached);
}

/** A trial in a few lines: for a tip, or to be read out. */
function tell(trials, trial) {
  const row = trials.rows.get(trial);
  if (row === undefined) return [];
  const [state, value, gap, seconds, reason] = ["state", "value", "gap", "seconds", "reason"].map((name) => trials.at(row, name));
  return [
    `Trial ${trial}: ${value === null ? state : number(value, 7)}${row === trials.best ? " (best)" : ""}`,
    reason ? visible(reason, 60) : null,
    ...trials.point(row).slice(0, 6).map(([name, value]) => `${visible(name, 24)} = ${part(value, 30)}`),
    gap === null ? null : `gap of the search: ${percent(gap)}`,
    seconds === null ? null : `took ${duration(seconds)}`,
  ].filter(Boolean);
}

function settings({ study }) {
  const pairs = Object.entries(study.settings ?? {});
  const list = h("dl", {}, ...pairs.flatMap(([name, text]) => [h("dt", {}, visible(name)), h("dd", {}, visible(text, 2000))]));
  const ranges = study.parameters.map(({ name, kind, low, high, log, step, options, when }) => {
    const range = options?.length ? options.map((option) => visible(option, 40)).join(", ") : Number.isFinite(low) ? `${number(low)} to ${number(high)}` : kind;
    const more = [log ? "log" : "", step ? `step ${number(step)}` : "", when ? `when ${visible(when)}` : ""].filter(Boolean).join(", ");
    return h("tr", {}, h("th", { scope: "row" }, visible(name, 60)), h("td", {}, kind), h("td", { class: "text" }, range), h("td", { class: "text" }, more));
  });
  const names = ["Parameter", "Kind", "Range", ""].map((name) => h("th", { scope: "col" }, name));
  const table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Parameters" }, h("table", {}, h("thead", {}, h("tr", {}, ...names)), h("tbody", {}, ...ranges)));
  const fold = h("details", {}, h("summary", {}, "What was searched, and with which settings"), ranges.length ? table : null, list);
  return { element: panel("Settings", { wide: "full" }, fold), charts: [], update() {} };
}
