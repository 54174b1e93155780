// The page of one study: its panels in order, what they share (the selection, the log switch), and news for them.

import { accuracy } from "./accuracy.js";
import { convergence } from "./convergence.js";
import { detail } from "./detail.js";
import { h, paced } from "./dom.js";
import { duration, number, part, percent, visible } from "./format.js";
import { front, valuesOf } from "./front.js";
import { head } from "./header.js";
import { parameters } from "./parameters.js";
import { settings } from "./settings.js";
import { slices } from "./slices.js";
import { about, ask } from "./stream.js";
import { table } from "./table.js";
import { Trials } from "./trials.js";
import { failures, pending } from "./troubles.js";

const PULSE = 1000; // milliseconds between updates of clocks
const NONE = "This study has no trial yet. Trials appear here by themselves as soon as they are asked for.";
const GONE = "The file is gone: it was deleted or moved. What was read of it is still shown.";

// The panels in the order of reading.
const PANELS = [convergence, accuracy, front, parameters, slices, failures, pending, table, settings];

/** Fetch a study and show it; `announce` speaks to screen readers, `chosen` is told the selection, for the address. */
export async function openStudy(id, { trial = null, announce, chosen }) {
  const study = await ask(about(id));
  return new StudyPage(id, study, { trial, announce, chosen });
}

class StudyPage {
  constructor(id, study, { trial, announce, chosen }) {
    Object.assign(this, { id, announce, chosen, revision: study.revision, summary: study.summary, selection: null });
    this.trials = new Trials(study);
    this.view = { log: false, all: false, kept: null }; // kept: the rows that the table's filter leaves, null: all
    const context = this.#context(study);
    this.head = head(context);
    const made = PANELS.map((make) => make(context));
    const aside = detail(context);
    this.parts = [this.head, ...made, aside];
    this.charts = this.parts.flatMap((part) => part.charts);
    const panels = h("div", { class: "panels" }, ...made.map(({ element }) => element));
    const none = h("p", { class: "empty none" }, NONE);
    const column = h("div", { class: "study-main" }, this.head.element, none, panels);
    this.element = h("div", { class: "study" }, column, aside.element);
    this.update = paced(() => this.draw());
    this.draw();
    this.clock = setInterval(() => this.parts.forEach((part) => part.tick?.()), PULSE);
    this.escape = (event) => event.key === "Escape" && this.selection !== null && this.select(null);
    document.addEventListener("keydown", this.escape);
    if (trial !== null) this.select(trial);
  }

  /** What every panel gets. */
  #context(study) {
    return {
      id: this.id,
      study,
      trials: this.trials,
      view: this.view,
      pick: (number) => this.select(number),
      tell: (number) => tell(this.trials, number),
      selected: () => this.selection,
      summary: () => this.summary,
      revision: () => this.revision,
      filter: (kept) => {
        if (kept === null && this.view.kept === null) return;
        this.setView({ kept });
      },
      setView: (change) => this.setView(change),
      choose: (output) => {
        this.trials.choose(output);
        this.draw();
      },
    };
  }

  /** Change what all charts share. */
  setView(change) {
    Object.assign(this.view, change);
    this.charts.forEach((chart) => chart.change());
  }

  draw() {
    this.element.classList.toggle("no-trials", this.trials.length === 0); // then most panels have nothing to say
    this.parts.forEach((part) => part.update());
  }

  get title() {
    const { best } = this.trials;
    const name = visible(this.summary.name, 60);
    if (this.trials.several) return this.trials.onFront.size ? `front of ${this.trials.onFront.size} · ${name}` : name;
    return best === null ? name : `${number(this.trials.value(best), this.trials.digits)} · ${name}`;
  }

  select(trial) {
    this.selection = trial !== null && this.trials.rows.has(trial) ? trial : null;
    this.charts.forEach((chart) => chart.select(this.selection));
    this.parts.forEach((part) => part.select?.());
    this.chosen(this.selection);
    if (this.selection !== null) this.announce(tell(this.trials, this.selection).join(", "));
  }

  /** Whether these news follow on what is shown: else the file was replaced, or is only now known to have these
   *  parameters, or the server is another one. */
  continues({ reset, trials }) {
    return !reset && Object.keys(trials.params ?? {}).every((name) => name in this.trials.params);
  }

  /** Show this study in place of the one before, if its parameters are the same; whether they are. */
  renew({ summary, parameters, outputs, front, revision, trials }) {
    const known = JSON.stringify([this.trials.parameters, this.trials.outputs]);
    if (JSON.stringify([parameters, outputs]) !== known) return false;
    this.trials.clear();
    this.trials.merge(trials, front);
    Object.assign(this, { summary, revision });
    this.draw();
    this.select(this.selection);
    return true;
  }

  /** News: rows that changed since the last ones. */
  news({ revision, trials, front }) {
    const { several } = this.trials;
    const row = () => this.trials.best;
    const value = () => (several ? this.trials.volume : row() === null ? null : this.trials.value(row()));
    const before = value();
    const settled = this.trials.merge(trials, front);
    this.revision = revision;
    this.update();
    if (!settled.length) return;
    const words = settled.length === 1 ? `Trial ${settled[0]} has ended` : `${settled.length} trials have ended`;
    const what = several ? "hypervolume" : "best value";
    const best = `The ${what} is now ${number(value(), several ? 6 : this.trials.digits)}.`;
    this.announce(value() === before ? `${words}.` : `${words}. ${best}`);
  }

  /** What the list says of this study: its state, its problem, when it changed. */
  summarize(summary) {
    this.summary = summary;
    this.head.update();
  }

  gone() {
    this.summarize({ ...this.summary, state: "gone", problem: GONE });
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

/** A trial in a few lines: for a tip, or to be read out. */
function tell(trials, trial) {
  const row = trials.rows.get(trial);
  if (row === undefined) return [];
  const { state, gap, seconds, reason } = trials.row(row);
  const value = trials.value(row);
  const plain = trials.outputs.length === 1;
  const said = !plain || value === null ? state : number(value, trials.digits);
  const marks = [row === trials.best ? trials.bestName : "", trials.allowed(row) ? "" : "infeasible"].filter(Boolean);
  return [
    `Trial ${trial}: ${said}${marks.length ? ` (${marks.join(", ")})` : ""}`,
    ...(plain || state !== "done" ? [] : valuesOf(trials, row)),
    reason ? visible(reason, 60) : null,
    ...trials.point(row).slice(0, 6).map(([name, value]) => `${visible(name, 24)} = ${part(value, 30)}`),
    gap === null ? null : `gap of the search: ${percent(gap)}`,
    seconds === null ? null : `took ${duration(seconds)}`,
  ].filter(Boolean);
}
