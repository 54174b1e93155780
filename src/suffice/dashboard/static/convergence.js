// How the run goes: a mark for each value, a line for the best so far, crosses at the bottom for what failed.

import { Chart, legend } from "./chart.js";
import { h, panel, s, say, show, toggle } from "./dom.js";
import { counted } from "./format.js";
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
  const there = new Set(trials.done.map((row) => trials.at(row, "origin")));
  if (there.has("given")) there.add("design"); // they look alike
  const found = LOOKS.filter(([origin, , , text]) => text && there.has(origin));
  return [
    ...found.map(([, shape, look, text]) => [shape, look, text]),
    ...(trials.done.length ? [["line", "strong", "best so far"], ["star", "strong", "best"]] : []),
    ...(trials.failed.length ? [["cross", "vermilion", "failed"]] : []),
    ...(trials.pending.length ? [["tick", "grey", "pending"]] : []),
    ...(view.kept === null ? [] : [["dot", "pale", "left out by the filter of the table"]]),
  ];
}

/** The vertical axis that all views of the objective share. */
export function objectiveAxis(trials, view, drawing, below = 0.06) {
  const logarithmic = view.log && suitsLog(trials.values);
  const shown = limits(trials.values, { larger: trials.larger, logarithmic, all: view.all });
  const y = vertical(shown, { height: drawing.bottom, top: drawing.top, logarithmic, below });
  const place = (value) => y.place(Math.max(shown.low, Math.min(shown.high, value)));
  const outside = (value) => value < shown.low || value > shown.high;
  return { y, place, outside, shown };
}

function paint(drawing, { trials, view }, beyond) {
  const low = trials.order.length ? trials.number(trials.order[0]) : 0;
  const high = Math.max(trials.last ?? 1, low + 1);
  const room = 0.015 * (high - low);
  const x = linear(low - room, high + room, drawing.left, drawing.right, { whole: true });
  const spare = trials.failed.length || trials.pending.length;
  const { y, place, outside, shown } = objectiveAxis(trials, view, drawing, spare ? BELOW : 0.06);
  const r = trials.done.length > MANY ? 1.75 : 3;
  const edge = trials.larger ? "down" : "up";
  const groups = new Map();
  for (const row of trials.done) {
    const value = trials.at(row, "value");
    const spot = [x.place(trials.number(row)), place(value)];
    const pale = view.kept !== null && !view.kept.has(row);
    const key = pale ? "pale" : outside(value) ? "outside" : trials.at(row, "origin");
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(spot);
    drawing.spot(...spot, trials.number(row));
  }
  drawing.add(marks(groups.get("pale") ?? [], "dot", "pale", r));
  for (const [origin, shape, look] of LOOKS)
    drawing.add(marks(groups.get(origin) ?? [], shape, look, shape === "dot" ? r : Math.max(r - 0.25, 2)));
  drawing.add(marks(groups.get("outside") ?? [], edge, "blue", 3));
  atTheBottom(drawing, trials, x);
  const path = trials.improvements.map((row) => [x.place(trials.number(row)), place(trials.at(row, "value"))]);
  drawing.add(s("path", { class: "line strong", d: steps(path, x.place(trials.last)) }));
  if (path.length) drawing.add(star(...path[path.length - 1]));
  drawing.axes(x, y, { xLabel: "trial", yLabel: `value (${trials.larger ? "larger" : "smaller"} is better)` });
  show(beyond, shown.cut > 0);
  const [are, caret] = [shown.cut === 1 ? "is" : "are", edge === "up" ? "▲" : "▼"];
  say(beyond, `${counted(shown.cut, "value")} beyond the axis ${are} drawn at its edge as ${caret}.`);
}

function atTheBottom(drawing, trials, x) {
  for (const [rows, shape, look] of [
    [trials.failed, "cross", "vermilion"],
    [trials.pending, "tick", "grey"],
  ]) {
    const spots = rows.map((row) => [x.place(trials.number(row)), drawing.bottom - 9]);
    spots.forEach((spot, i) => drawing.spot(...spot, trials.number(rows[i])));
    drawing.add(marks(spots, shape, look, 3));
  }
}
