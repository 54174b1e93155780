// How the run goes: a mark for each value, a line for the best so far, crosses at the bottom for what failed, upright
// ones for what is beyond a limit. Of several objectives: how the hypervolume of their front grew.

import { Chart, legend } from "./chart.js";
import { h, panel, s, say, show, toggle } from "./dom.js";
import { counted, number, visible } from "./format.js";
import { marks, star, steps } from "./marks.js";
import { limits, linear, suitsLog, vertical } from "./scale.js";

const MANY = 400; // values: beyond, marks are smaller
const BELOW = 0.14; // of the range, below the values: room for marks of failures
const LOOKS = [
  ["design", "ring", "orange", "initial"],
  ["given", "ring", "orange", null],
  ["model", "dot", "blue", "by the model"],
  ["foreign", "square", "grey", "told from elsewhere"],
];

export function convergence(context) {
  return context.trials.several ? growth(context) : values(context);
}

function values(context) {
  const { trials, view } = context;
  const words = h("div");
  const beyond = h("p", { class: "note", hidden: true });
  const chart = new Chart({
    label: "Values of all trials and the best so far.",
    height: 320,
    paint: (drawing) => {
      words.replaceChildren(legend(entries(trials, view)));
      paint(drawing, context, beyond);
    },
    pick: context.pick,
    tell: context.tell,
  });
  const log = toggle("log scale", view.log, (on) => context.setView({ log: on }));
  const all = toggle("all values", view.all, (on) => context.setView({ all: on }));
  const element = panel("Convergence", { wide: "two-thirds", controls: [all, log] }, words, chart.element, beyond);
  return {
    element,
    charts: [chart],
    update() {
      show(log, suitsLog(trials.values));
      show(all, limits(trials.values, { larger: trials.larger }).cut > 0);
      chart.change();
    },
  };
}

function entries(trials, view) {
  const there = new Set(trials.done.filter((row) => trials.allowed(row)).map((row) => trials.at(row, "origin")));
  if (there.has("given")) there.add("design"); // they look alike
  const found = LOOKS.filter(([origin, , , text]) => text && there.has(origin));
  return [
    ...found.map(([, shape, look, text]) => [shape, look, text]),
    ...(trials.best !== null ? [["line", "strong", "best so far"], ["star", "strong", "best"]] : []),
    ...(trials.infeasible.length ? [["plus", "grey", "infeasible"]] : []),
    ...(trials.failed.length ? [["cross", "vermilion", "failed"]] : []),
    ...(trials.pending.length ? [["tick", "grey", "pending"]] : []),
    ...(view.kept === null ? [] : [["dot", "pale", "left out by the filter of the table"]]),
  ];
}

/** The vertical axis that all views of an output share. */
export function outputAxis(trials, view, drawing, { below = 0.06, output = 0 } = {}) {
  const rows = trials.having(output);
  const [every, within] = [rows, rows.filter((row) => trials.allowed(row))].map((some) =>
    some.map((row) => trials.value(row, output)),
  );
  const logarithmic = view.log && suitsLog(every);
  const deciding = within.length ? within : every; // what is beyond a limit may be far away
  const shown = limits(deciding, { larger: trials.outputs[output].larger, logarithmic, all: view.all });
  const y = vertical(shown, { height: drawing.bottom, top: drawing.top, logarithmic, below });
  const place = (value) => y.place(Math.max(shown.low, Math.min(shown.high, value)));
  const outside = (value) => value < shown.low || value > shown.high;
  return { y, place, outside, shown };
}

function paint(drawing, { trials, view }, beyond) {
  const x = trialAxis(trials, drawing);
  const absent = trials.infeasible.filter((row) => trials.value(row) === null);
  const spare = trials.failed.length || trials.pending.length || absent.length;
  const { y, place, outside, shown } = outputAxis(trials, view, drawing, { below: spare ? BELOW : 0.06 });
  const r = trials.done.length > MANY ? 1.75 : 3;
  const edge = trials.larger ? "down" : "up";
  const groups = new Map();
  for (const row of trials.done) {
    const value = trials.value(row);
    const spot = [x.place(trials.number(row)), place(value)];
    const pale = view.kept !== null && !view.kept.has(row);
    const within = trials.allowed(row);
    const key = pale ? "pale" : !within ? "infeasible" : outside(value) ? "outside" : trials.at(row, "origin");
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(spot);
    drawing.spot(...spot, trials.number(row));
  }
  drawing.add(marks(groups.get("pale") ?? [], "dot", "pale", r));
  for (const [origin, shape, look] of LOOKS)
    drawing.add(marks(groups.get(origin) ?? [], shape, look, shape === "dot" ? r : Math.max(r - 0.25, 2)));
  drawing.add(marks(groups.get("outside") ?? [], edge, "blue", 3));
  drawing.add(marks(groups.get("infeasible") ?? [], "plus", "grey", 3.5));
  atTheBottom(drawing, trials, x, absent);
  const path = trials.improvements.map((row) => [x.place(trials.number(row)), place(trials.value(row))]);
  drawing.add(s("path", { class: "line strong", d: steps(path, x.place(trials.last)) }));
  if (path.length) drawing.add(star(...path[path.length - 1]));
  const name = visible(trials.outputs[0].name, 40);
  drawing.axes(x, y, { xLabel: "trial", yLabel: `${name} (${trials.larger ? "larger" : "smaller"} is better)` });
  show(beyond, shown.cut > 0);
  const [are, caret] = [shown.cut === 1 ? "is" : "are", edge === "up" ? "▲" : "▼"];
  say(beyond, `${counted(shown.cut, "value")} beyond the axis ${are} drawn at its edge as ${caret}.`);
}

/** The horizontal axis: the numbers of all trials. */
function trialAxis(trials, drawing) {
  const low = trials.order.length ? trials.number(trials.order[0]) : 0;
  const high = Math.max(trials.last ?? 1, low + 1);
  const room = 0.015 * (high - low);
  return linear(low - room, high + room, drawing.left, drawing.right, { whole: true });
}

/** What has no height of its own: failed, pending, and beyond a limit without a value. */
function atTheBottom(drawing, trials, x, infeasible) {
  for (const [rows, shape, look] of [
    [infeasible, "plus", "grey"],
    [trials.failed, "cross", "vermilion"],
    [trials.pending, "tick", "grey"],
  ]) {
    const spots = rows.map((row) => [x.place(trials.number(row)), drawing.bottom - 9]);
    spots.forEach((spot, i) => drawing.spot(...spot, trials.number(rows[i])));
    drawing.add(marks(spots, shape, look, 3));
  }
}

// ------------------------------------------------------------------ several objectives

const TOO_MANY = "The hypervolume of so many trials takes too long to be followed here; a report has it.";

function growth(context) {
  const { trials } = context;
  const words = h("div");
  const sentence = h("p", { class: "sentence" });
  const chart = new Chart({
    label: "Hypervolume of the front after each trial.",
    height: 320,
    paint: (drawing) => paintGrowth(drawing, trials),
    pick: context.pick,
    tell: context.tell,
  });
  const element = panel("Hypervolume of the front", { wide: "two-thirds" }, sentence, words, chart.element);
  return {
    element,
    charts: [chart],
    update() {
      words.replaceChildren(legend(grown(trials)));
      say(sentence, trials.front.growth === null ? TOO_MANY : measured(trials));
      chart.change();
    },
  };
}

const grown = (trials) => [
  ["line", "strong", "the front so far"],
  ["dot", "blue", "raised it"],
  ...(trials.infeasible.length ? [["plus", "grey", "infeasible"]] : []),
  ...(trials.failed.length ? [["cross", "vermilion", "failed"]] : []),
  ...(trials.pending.length ? [["tick", "grey", "pending"]] : []),
];

/** Where the volume is measured from, in a sentence. */
function measured(trials) {
  if (trials.volume === null) return "No trial is on a front yet.";
  const from = trials.objectives.map((place, i) => {
    return `${visible(trials.outputs[place].name, 40)} ${number(trials.front.reference[i], 4)}`;
  });
  return `The hypervolume is ${number(trials.volume, 6)}, measured from the reference point ${from.join(", ")}.`;
}

function paintGrowth(drawing, trials) {
  const x = trialAxis(trials, drawing);
  const grownAt = trials.front.growth ?? [];
  const high = trials.volume ?? 1;
  const y = vertical({ low: 0, high }, { height: drawing.bottom, top: drawing.top, below: BELOW });
  const spots = grownAt.map(([trial, volume]) => [x.place(trial), y.place(volume)]);
  if (spots.length) drawing.add(s("path", { class: "line strong", d: steps(spots, x.place(trials.last)) }));
  drawing.add(marks(spots, "dot", "blue", 3));
  spots.forEach((spot, i) => drawing.spot(...spot, grownAt[i][0]));
  atTheBottom(drawing, trials, x, trials.infeasible);
  drawing.axes(x, y, { xLabel: "trial", yLabel: "hypervolume (larger is better)" });
}
