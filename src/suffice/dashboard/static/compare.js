// Several studies side by side: the best so far against evaluations, a line for each, and a table of their results and
// of the settings that differ.

import { chartPanel, ending, linear, log, marks, steps, vertical } from "./chart.js";
import { choice, h, paced, panel, plainTable, s, say, show, stateBadge } from "./dom.js";
import { clamp, count, counted, duration, number, visible } from "./format.js";
import { rangeText } from "./parameters.js";
import { about, ask } from "./stream.js";
import { Trials } from "./trials.js";

const SENSES = "These studies have different objectives or senses, so their values cannot share an axis.";
const POINTS =
  "Their hypervolumes have different reference points, so they cannot share an axis. Give all studies " +
  "the same reference=.";
const SPACE = "Parameters"; // a row besides those of the settings
const [VALUES, GAP] = [0, 1];
const AXES = [[VALUES, "values"], [GAP, "distance to the best, log"]];
const LOOKS = 8; // different lines; the ninth looks like the first one
const WIDE = 100; // times the smallest distance to the best: beyond, the logarithm is the initial view

/** Fetch these studies and compare them; those that cannot be fetched are left out with a note. */
export async function openComparison(ids) {
  const found = await Promise.all(ids.map((id) => ask(about(id)).then((study) => ({ id, ...study }), () => null)));
  return new Comparison(found.filter(Boolean), found.filter((study) => study === null).length);
}

class Comparison {
  constructor(studies, missing) {
    const amount = (number) => counted(number, "study", "studies");
    this.several = studies.map((study, i) => new Compared(study, i % LOOKS));
    this.title = `Comparison of ${amount(studies.length)}`;
    this.axis = !studies.length || this.several[0].trials.several || !this.#isWide() ? VALUES : GAP;
    this.head = h("h1", { class: "title", tabindex: -1 }, this.title);
    const lost = missing ? h("p", { class: "problem" }, `${amount(missing)} could not be read.`) : null;
    const reason = reasonAgainst(this.several);
    const best = reason ? panel("Best so far", { wide: "full" }, h("p", { class: "sentence" }, reason)) : this.#chart();
    const [table, body] = plainTable("Studies side by side", this.#headings());
    const panels = [best, panel("Studies", { wide: "full" }, table), differences(this.several)];
    this.body = body;
    this.element = h("div", { class: "comparison" }, this.head, lost, h("div", { class: "panels" }, ...panels));
    this.update = paced(() => this.draw());
    this.draw();
  }

  #chart() {
    const field = choice("Axis", AXES, this.axis, (axis) => {
      this.axis = axis;
      this.draw();
    });
    this.panel = chartPanel("Best so far", { trials: null }, {
      label: "The best so far of each study against its evaluations.",
      height: 380,
      wide: "full",
      controls: [field.parentNode],
      entries: () => this.several.map(({ look, name }) => ["line", `study-${look}`, visible(name, 60)]),
      paint: (drawing) => this.#paint(drawing),
      refresh: () => show(field.parentNode, !this.several[0].trials.several),
    });
    return this.panel.element;
  }

  /** The distance of a value from the best of all, and the distances of the bests so far. */
  #gaps() {
    const { larger } = this.several[0];
    const values = this.several.flatMap(({ path }) => path.map(([, value]) => value));
    const best = values.reduce((p, q) => (p > q === larger ? p : q), larger ? -Infinity : Infinity);
    const apart = (value) => (larger ? best - value : value - best);
    return { apart, gaps: values.map(apart).filter((gap) => gap > 0) };
  }

  #isWide() {
    const { gaps } = this.#gaps();
    return gaps.length > 2 && Math.max(...gaps) > WIDE * Math.min(...gaps);
  }

  #paint(drawing) {
    const { larger, label } = this.several[0];
    const known = this.several.filter(({ path }) => path.length);
    const most = Math.max(2, ...known.map(({ evaluations }) => evaluations));
    const x = linear(1 - 0.015 * most, most * 1.015, drawing.left, drawing.right, { whole: true });
    const { apart, gaps } = this.#gaps();
    const gapped = this.axis === GAP && gaps.length > 1;
    const ends = known.map(({ series }) => ending(series, series, { larger }));
    const [low, high] = gapped
      ? [Math.min(...gaps), Math.max(...gaps)]
      : [Math.min(...ends.map((end) => end.low)), Math.max(...ends.map((end) => end.high))];
    if (!known.length) return;
    const { bottom: height, top } = drawing;
    const y = gapped ? distances(low, high, height, top) : vertical({ low, high }, { height, top });
    const place = (value) => y.place(gapped ? apart(value) : clamp(value, low, high));
    for (const { path, evaluations, look } of known) {
      const spots = path.map(([at, value]) => [x.place(at), place(value)]);
      drawing.add(s("path", { class: `line study-${look}`, d: steps(spots, x.place(evaluations)) }));
      drawing.add(marks([[x.place(evaluations), spots.at(-1)[1]]], "dot", `study-${look}`, 3));
    }
    const sense = `${label} (${larger ? "larger" : "smaller"} is better)`;
    drawing.axes(x, y, { xLabel: "evaluations", yLabel: gapped ? `distance of ${label} to the best of all` : sense });
  }

  #headings() {
    const fewest = Math.min(...this.several.map(({ evaluations }) => evaluations).filter((n) => n > 0));
    this.fewest = Number.isFinite(fewest) ? fewest : 0;
    const best = this.several[0]?.trials.several ? "Hypervolume" : "Best value";
    const after = `After ${counted(this.fewest, "evaluation")}`;
    return ["Study", "State", best, after, "Found by trial", "Evaluations", "Pruned", "Failed", "Evaluation time"];
  }

  draw() {
    this.panel?.charts.forEach((chart) => chart.change());
    this.panel?.update();
    this.body.replaceChildren(...this.several.map((study) => study.line(this.fewest)));
  }

  /** Fetch the news of a study after its summary changed. */
  async summarize(summary) {
    const study = this.several.find(({ id }) => id === summary.id);
    if (!study) return;
    await study.follow(summary).catch(() => {}); // the next change tries again
    this.update();
  }

  focus() {
    this.head.focus({ preventScroll: true });
  }

  close() {
    this.panel?.charts.forEach((chart) => chart.close());
  }
}

/** One of the studies, with the course of its best value, [[evaluation, value], …]. */
class Compared {
  constructor(study, look) {
    const { id, revision, summary, settings } = study;
    Object.assign(this, { id, look, revision, summary, settings });
    this.trials = new Trials(study);
    this.#fold();
  }

  get name() {
    return this.summary.name;
  }

  #fold() {
    const { trials } = this;
    const { ended } = trials;
    const place = new Map(ended.map((row, i) => [trials.number(row), i + 1]));
    const improved = trials.improvements.map((row) => [trials.number(row), trials.value(row)]);
    const grown = trials.several ? (trials.front.growth ?? []) : improved;
    this.evaluations = ended.length;
    this.path = grown.map(([number, value]) => [place.get(number) ?? 1, value]);
    this.found = grown.at(-1)?.[0] ?? null;
    this.larger = trials.several || trials.larger;
    this.label = trials.several ? "hypervolume" : trials.label();
    this.series = ended.map((_, i) => this.after(i + 1) ?? NaN);
  }

  /** The best after so many evaluations, or null. */
  after(evaluations) {
    return this.path.findLast(([at]) => at <= evaluations)?.[1] ?? null;
  }

  async follow(summary) {
    const news = await ask(about(this.id, `/trials?since=${encodeURIComponent(this.revision)}`));
    if (news.reset) this.trials.clear();
    this.trials.merge(news.trials, news.front);
    Object.assign(this, { summary, revision: news.revision });
    this.#fold();
  }

  /** A row of the table. */
  line(fewest) {
    const { trials, summary } = this;
    const seconds = trials.evaluated.map((row) => trials.at(row, "seconds")).filter(Number.isFinite);
    const stroke = s("path", { class: `line study-${this.look}`, d: "M0 6H18" });
    const swatch = s("svg", { width: 18, height: 12, "aria-hidden": "true" }, stroke);
    const amount = (text) => h("td", { class: "number" }, text);
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, swatch, " ", h("a", { href: `#/study/${this.id}` }, visible(summary.name, 80))),
      h("td", {}, stateBadge(summary.state)),
      amount(number(this.path.at(-1)?.[1] ?? null, trials.digits)),
      amount(number(this.after(fewest), trials.digits)),
      amount(this.found === null ? "–" : String(this.found)),
      amount(count(this.evaluations)),
      amount(count(trials.pruned.length)),
      amount(count(trials.failed.length)),
      amount(seconds.length ? duration(seconds.reduce((sum, one) => sum + one, 0)) : "–"),
    );
  }
}

/** The axis of distances to the best of all: logarithmic, with the best itself at the bottom. */
function distances(smallest, largest, from, to) {
  const best = smallest / 10;
  const axis = log(best / 1.2, largest * 1.2, from, to);
  const ticks = (about) => [{ at: 0, text: "best" }, ...axis.ticks(about).filter(({ at }) => at >= smallest / 2)];
  return { ...axis, ticks, place: (gap) => axis.place(Math.max(gap, best)) };
}

/** Why the studies cannot share an axis; "" if they can. */
function reasonAgainst(several) {
  if (!several.length) return "None of these studies can be read: their files may have been deleted.";
  const aims = ({ trials }) =>
    JSON.stringify(trials.objectives.map((at) => [trials.several && trials.label(at), trials.outputs[at].larger]));
  if (new Set(several.map(aims)).size > 1) return SENSES;
  if (!several[0]?.trials.several) return "";
  const references = several.map(({ trials }) => trials.front.reference).filter(Boolean);
  return new Set(references.map((reference) => JSON.stringify(reference))).size > 1 ? POINTS : "";
}

/** The settings that are not the same in all of them. */
function differences(several) {
  const labels = [SPACE, ...new Set(several.flatMap(({ settings }) => Object.keys(settings ?? {})))];
  const searched = ({ name, log, ...range }) => `${name}: ${rangeText(range)}${log ? ", log" : ""}`;
  const spaces = new Map(several.map((study) => [study, study.trials.parameters.map(searched).join("; ")]));
  const said = (study, label) => (label === SPACE ? spaces.get(study) : (study.settings?.[label] ?? "–"));
  const differing = labels.filter((label) => new Set(several.map((study) => said(study, label))).size > 1);
  const [table, body] = plainTable("Differing settings", ["Setting", ...several.map(({ name }) => visible(name, 30))]);
  const line = (label) => h("tr", {}, h("th", { scope: "row" }, visible(label)),
    ...several.map((study) => h("td", { class: "text" }, visible(said(study, label), 200))));
  body.append(...differing.map(line));
  const none = h("p", { class: "sentence" });
  say(none, differing.length ? "" : "All settings are the same.");
  return panel("Settings that differ", { wide: "full" }, differing.length ? table : none);
}
