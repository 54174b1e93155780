// How exact the searches for the next point were: the relative gap of each, on a logarithmic axis.

import { Chart, legend } from "./chart.js";
import { h, panel, say, show } from "./dom.js";
import { count, counted, percent } from "./format.js";
import { marks } from "./marks.js";
import { linear, log } from "./scale.js";

const FLOOR = 1e-6; // smaller gaps are rounding errors, and drawn here, where the axis says so
const RECENT = 20; // searches that the sentence is about
const ABOUT =
  "Before each trial the model is searched for the point to try next. The gap is the share of the scores' spread " +
  "that this search missed: 0 is a perfect search. It does not say how far the best value is from the optimum.";

export function accuracy(context) {
  const { trials } = context;
  const sentence = h("p", { class: "sentence" });
  const none = h("p", { class: "empty" }, "No trial has been chosen by the model yet, so there is no search to judge.");
  const words = h("div");
  const chart = new Chart({
    label: "Relative gap of the search for each trial.",
    height: 250,
    margins: { left: 76 },
    paint: (drawing) => paint(drawing, trials),
    pick: context.pick,
    tell: context.tell,
  });
  const about = h("p", { class: "note" }, ABOUT);
  const element = panel("Accuracy of the search", { wide: "third" }, sentence, none, words, chart.element, about);
  return {
    element,
    charts: [chart],
    update() {
      const rows = judged(trials);
      show(none, !rows.length);
      for (const part of [sentence, words, chart.element]) show(part, rows.length > 0);
      if (!rows.length) return;
      say(sentence, verdict(trials, rows));
      words.replaceChildren(legend(entries(trials, rows)));
      chart.change();
    },
  };
}

const judged = (trials) => trials.order.filter((row) => Number.isFinite(trials.at(row, "gap")));

/** The median gap of the latest searches, or null. */
export function recentGap(trials) {
  const gaps = judged(trials).slice(-RECENT).map((row) => trials.at(row, "gap")).sort((p, q) => p - q);
  return gaps.length ? gaps[Math.floor(gaps.length / 2)] : null;
}

function verdict(trials, rows) {
  const short = rows.filter((row) => trials.at(row, "enough") === false).length;
  const recent = Math.min(RECENT, rows.length);
  const searches = (amount) => counted(amount, "search", "searches");
  const middle = `The median gap of the last ${searches(recent)} is ${percent(recentGap(trials))}.`;
  if (!short) return `${middle} Every search was exact enough.`;
  const were = short === 1 ? "was" : "were";
  return `${middle} ${searches(short)} of ${count(rows.length)} ${were} less exact than wanted.`;
}

const kinds = (trials, rows) => ({
  enough: rows.filter((row) => trials.at(row, "enough") !== false && !trials.at(row, "looked_elsewhere")),
  elsewhere: rows.filter((row) => trials.at(row, "enough") !== false && trials.at(row, "looked_elsewhere")),
  short: rows.filter((row) => trials.at(row, "enough") === false),
});

const LOOKS = [
  ["enough", "dot", "blue", "exact enough"],
  ["elsewhere", "ring", "green", "looked elsewhere"],
  ["short", "square", "vermilion", "less exact than wanted"],
];

function entries(trials, rows) {
  const found = kinds(trials, rows);
  return LOOKS.filter(([kind]) => found[kind].length).map(([, shape, look, text]) => [shape, look, text]);
}

function paint(drawing, trials) {
  const rows = judged(trials);
  const low = trials.number(trials.order[0]);
  const high = Math.max(trials.last, low + 1);
  const room = 0.02 * (high - low);
  const x = linear(low - room, high + room, drawing.left, drawing.right, { whole: true });
  const y = log(FLOOR / 2, 2, drawing.bottom, drawing.top);
  const powers = [-6, -4, -2, 0].map((power) => ({ at: 10 ** power, text: axisPercent(power) }));
  const found = kinds(trials, rows);
  for (const [kind, shape, look] of LOOKS) {
    const spots = found[kind].map((row) => [
      x.place(trials.number(row)),
      y.place(Math.min(1, Math.max(FLOOR, trials.at(row, "gap")))),
    ]);
    spots.forEach((spot, i) => drawing.spot(...spot, trials.number(found[kind][i])));
    drawing.add(marks(spots, shape, look, rows.length > 400 ? 1.75 : 2.5));
  }
  drawing.axes(x, { ...y, ticks: () => powers }, { xLabel: "trial", yLabel: "relative gap" });
}

const axisPercent = (power) => (power === -6 ? "≤ " : "") + `${Number((100 * 10 ** power).toPrecision(1))}\u202f%`;
