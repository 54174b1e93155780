// The page of one study: its panels in order, their shared state (the selection, the axis of values), and updates.

import { h, paced, panel, plainTable, prose, say, show, stateBadge } from "./dom.js";
import { ago, count, counted, duration, median, number, part, percent, sentence, visible } from "./format.js";
import { lines } from "./lines.js";
import { importance, modelOf, summary } from "./model.js";
import { parameters, rangeText } from "./parameters.js";
import { accuracy, convergence, front, valuesOf, VALUES } from "./progress.js";
import { about, ask } from "./stream.js";
import { contour, slices } from "./surface.js";
import { detail, failures, pending, table } from "./table.js";
import { timeline } from "./timeline.js";
import { STATES, Trials } from "./trials.js";

const PULSE = 1000; // milliseconds between updates of clocks
const NONE = "This study has no trial yet. New trials appear here automatically.";
const GONE = "The file was deleted or moved. This page still has the data that were read before.";

// The panels in the order of reading.
const PANELS = [
  ...[convergence, summary, front, importance, contour, lines, parameters, slices, timeline, accuracy],
  ...[failures, pending, table, settings],
];

/** Fetch a study and show it; `announce` informs screen readers, `chosen` puts the selection in the address. */
export async function openStudy(id, { trial = null, announce, chosen }) {
  const study = await ask(about(id));
  return new StudyPage(id, study, { trial, announce, chosen });
}

class StudyPage {
  constructor(id, study, { trial, announce, chosen }) {
    Object.assign(this, { id, announce, chosen, revision: study.revision, summary: study.summary, selection: null });
    this.trials = new Trials(study);
    this.view = { axis: VALUES, kept: null }; // kept: the rows that pass the table's filter, null: all
    const context = this.#context(study);
    this.head = head(context);
    const made = PANELS.map((make) => make(context));
    const aside = detail(context);
    this.parts = [this.head, ...made, aside];
    this.charts = this.parts.flatMap((part) => part.charts ?? []);
    const panels = h("div", { class: "panels" }, ...made.map(({ element }) => element));
    const none = h("p", { class: "empty none" }, NONE);
    const column = h("div", { class: "study-main" }, this.head.element, none, panels);
    this.element = h("div", { class: "study" }, column, aside.element);
    this.model = modelOf(id, () => this.revision, (answer) => this.told(answer));
    this.update = paced(() => this.draw());
    this.draw();
    this.clock = setInterval(() => this.parts.forEach((part) => part.tick?.()), PULSE);
    this.escape = (event) => event.key === "Escape" && this.selection !== null && this.select(null);
    document.addEventListener("keydown", this.escape);
    if (trial !== null) this.select(trial);
  }

  /** The context of every panel. */
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

  /** Change the shared state of all charts. */
  setView(change) {
    Object.assign(this.view, change);
    this.charts.forEach((chart) => chart.change());
  }

  draw() {
    this.element.classList.toggle("no-trials", this.trials.length === 0); // then most panels are empty
    this.parts.forEach((part) => part.update?.());
    if (this.trials.length) this.model.want();
  }

  /** Show an answer of the model. */
  told(answer) {
    this.trials.recommended = answer.recommended ?? null;
    this.parts.forEach((part) => part.told?.(answer));
    this.charts.forEach((chart) => chart.change());
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

  /** Whether these news continue the shown data; if not, the file was replaced, has new parameters, or the server is
   *  another one. */
  continues({ reset, trials }) {
    return !reset && Object.keys(trials.params ?? {}).every((name) => name in this.trials.params);
  }

  /** Show this study in place of the previous one if the parameters are the same; whether they are. */
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

  /** Update the state, the problem and the time of the last change from the list. */
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
    this.model.close();
    document.removeEventListener("keydown", this.escape);
    this.charts.forEach((chart) => chart.close());
    this.parts.forEach((part) => part.close?.());
  }
}

/** A trial in a few lines, for a tip or a screen reader. */
function tell(trials, trial) {
  const row = trials.rows.get(trial);
  if (row === undefined) return [];
  const { state, gap, seconds, reason } = trials.row(row);
  const value = trials.value(row);
  const plain = trials.outputs.length === 1;
  const said = !plain || value === null ? state : number(value, trials.digits);
  const marks = [...trials.titles(row), ...(trials.allowed(row) ? [] : ["infeasible"])];
  return [
    `Trial ${trial}: ${said}${marks.length ? ` (${marks.join(", ")})` : ""}`,
    ...(plain || state !== "done" ? [] : valuesOf(trials, row)),
    reason ? visible(reason, 60) : null,
    ...trials.point(row).slice(0, 6).map(([name, value]) => `${visible(name, 24)} = ${part(value, 30)}`),
    gap === null ? null : `relative gap: ${percent(gap)}`,
    seconds === null ? null : `took ${duration(seconds)}`,
  ].filter(Boolean);
}

// ------------------------------------------------------------------ the head: state, best point, counts as tiles

function tile(name) {
  const [value, about] = [h("div", { class: "tile-value" }), h("div", { class: "tile-about" })];
  return { element: h("div", { class: "tile" }, h("div", { class: "tile-name" }, name), value, about), value, about };
}

function head({ trials, pick, summary }) {
  const title = h("h1", { tabindex: -1 });
  const [badge, changed] = [h("span"), h("span", { class: "aside" })];
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const tiles = {
    best: tile(trials.several ? "Trials on the front" : `Best value (${trials.larger ? "largest" : "smallest"})`),
    use: tile("Recommended (noisy values)"),
    done: tile("Trials"),
    within: tile("Feasible"),
    last: tile("Last improvement"),
    time: tile("Evaluation"),
  };
  const use = h("button", { type: "button", class: "plain", onclick: () => pick(trials.recommended.number) });
  tiles.use.about.append(use);
  tiles.best.element.classList.add("main");
  tiles.use.element.classList.add("wide");
  const best = h("button", { type: "button", class: "plain", onclick: () => pick(trials.number(trials.best)) });
  tiles.best.about.append(best);
  const lengths = STATES.map((state) => h("span", { class: `state-${state}` }));
  const bar = h("div", { class: "bar", "aria-hidden": "true" }, ...lengths);
  tiles.done.element.append(bar);
  const point = h("dl", { class: "chips" });
  let said = null; // the problem that is shown

  function update() {
    const { name, state, problem: trouble } = summary();
    say(title, visible(name, 120));
    badge.replaceChildren(stateBadge(state));
    show(problem, Boolean(trouble));
    if (trouble !== said) problem.replaceChildren(...prose(sentence(trouble ?? ""))); // else it is read out again
    said = trouble;
    updateBest();
    updateCounts();
    updateWithin();
    updateLast();
    updateTime();
    tick();
  }

  function updateBest() {
    const row = trials.best;
    show(best, row !== null);
    const value = row === null ? "–" : number(trials.value(row), trials.digits);
    say(tiles.best.value, trials.several ? count(trials.onFront.size) : value);
    if (row !== null) say(best, `${trials.several ? "knee: " : ""}trial ${trials.number(row)}`);
    const { recommended } = trials;
    show(tiles.use.element, recommended !== null);
    if (recommended !== null) {
      say(tiles.use.value, recommended.said);
      say(use, `trial ${recommended.number}; ± one standard deviation`);
    }
    const parts = trials.use === null ? [] : trials.point(trials.use);
    const named = trials.several ? "Knee of the front" : recommended === null ? "Best point" : "Recommended point";
    point.setAttribute("aria-label", named);
    show(point, parts.length > 0);
    const chip = ([name, value]) => h("div", {}, h("dt", {}, visible(name, 40)), h("dd", {}, part(value, 60)));
    point.replaceChildren(h("span", { class: "aside" }, named), ...parts.map(chip));
  }

  function updateCounts() {
    const all = STATES.map((state) => trials.of[state].length);
    const others = STATES.flatMap((state, i) => (i && all[i] ? [`${count(all[i])} ${state}`] : []));
    say(tiles.done.value, count(all[0]));
    say(tiles.done.about, ["done", ...others].join(" · "));
    lengths.forEach((part, i) => (part.style.flexGrow = all[i]));
  }

  function updateWithin() {
    show(tiles.within.element, trials.limited);
    if (!trials.limited) return;
    const [within, all] = [trials.evaluated.length - trials.infeasible.length, trials.evaluated.length];
    say(tiles.within.value, all ? percent(within / all) : "–");
    say(tiles.within.about, `${count(within)} of ${counted(all, "trial")}`);
  }

  function updateLast() {
    const { several, volume } = trials;
    const grown = trials.rows.get(trials.front.growth?.at(-1)?.[0]) ?? null;
    const row = several ? grown : trials.best;
    const after = row === null ? null : trials.ended.length - 1 - trials.ended.indexOf(row);
    say(tiles.last.value, after === null ? "–" : after === 0 ? "now" : `${counted(after, "trial")} ago`);
    const found = volume === null ? "" : `hypervolume ${number(volume, 4)}`;
    say(tiles.last.about, several ? found : counted(trials.improvements.length, "improvement"));
  }

  function updateTime() {
    const known = trials.evaluated.map((row) => trials.at(row, "seconds")).filter(Number.isFinite);
    show(tiles.time.element, known.length > 0);
    if (!known.length) return;
    say(tiles.time.value, duration(median(known)));
    say(tiles.time.about, `median; ${duration(known.reduce((sum, one) => sum + one, 0))} in all`);
  }

  function tick() {
    const at = summary().changed;
    say(changed, at === null ? "" : `last change ${ago(at)}`);
  }

  const row = h("div", { class: "tiles" }, ...Object.values(tiles).map(({ element }) => element));
  const line = h("div", { class: "title" }, title, badge, changed);
  return { element: h("header", { class: "study-head" }, line, problem, row, point), update, tick, title, told: updateBest };
}

// ------------------------------------------------------------------ settings: the space and the parts

function settings({ study }) {
  const [head, body] = plainTable("Parameters", ["Parameter", "Kind", "Range", "More"]);
  body.append(...study.parameters.map(parameterRow));
  const pairs = Object.entries(study.settings ?? {});
  const list = h(
    "dl",
    {},
    ...pairs.flatMap(([name, text]) => [h("dt", {}, visible(name)), h("dd", {}, visible(text, 2000))]),
  );
  const summary = h("summary", {}, "The search space and the settings");
  const fold = h("details", {}, summary, study.parameters.length ? head : null, list);
  return { element: panel("Settings", { wide: "full" }, fold) };
}

function parameterRow(parameter) {
  const { name, kind, log, step, when } = parameter;
  const more = [log ? "log" : "", step ? `step ${number(step)}` : "", when ? `when ${visible(when)}` : ""];
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, visible(name, 60)),
    h("td", {}, kind),
    h("td", { class: "text" }, rangeText(parameter)),
    h("td", { class: "text" }, more.filter(Boolean).join(", ")),
  );
}
