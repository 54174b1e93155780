// What two objectives cost each other: every trial by its values of both, the front as stairs. Of more than two
// objectives, two are chosen; the front is that of all of them, the stairs are those of the two alone.

import { Chart, legend } from "./chart.js";
import { choice, h, panel, s, say } from "./dom.js";
import { counted, number, visible } from "./format.js";
import { corners, marks, star } from "./marks.js";
import { limits, plainAxis } from "./scale.js";

const MANY = 400; // trials: beyond, marks are smaller
const NEAR = 0.5; // of the range of feasible values: infeasible ones that are farther away are left out

export function front(context) {
  const { trials } = context;
  if (!trials.several) return { element: h("span", { hidden: true }), charts: [], update() {} };
  const shown = { x: trials.objectives[0], y: trials.objectives[1] };
  const [sentence, words, beyond] = [h("p", { class: "sentence" }), h("div"), h("p", { class: "note" })];
  const chart = new Chart({
    label: "Trials by two objectives, with the front.",
    height: 360,
    paint: (drawing) => paint(drawing, context, shown, beyond),
    pick: context.pick,
    tell: context.tell,
  });
  const names = trials.objectives.map((place) => [place, visible(trials.outputs[place].name, 40)]);
  const pick = (axis, other) => (place) => {
    if (shown[other] === place) shown[other] = shown[axis]; // the two change places
    shown[axis] = place;
    controls.forEach((control, i) => (control.value = shown["xy"[i]]));
    chart.change();
  };
  const controls = [
    choice("Across", names, shown.x, pick("x", "y")),
    choice("Upwards", names, shown.y, pick("y", "x")),
  ].slice(0, names.length > 2 ? 2 : 0);
  const labelled = controls.map((control) => control.parentNode);
  const element = panel("The front", { wide: "full", controls: labelled }, sentence, words, chart.element, beyond);
  return {
    element,
    charts: [chart],
    update() {
      say(sentence, said(trials));
      words.replaceChildren(legend(entries(trials)));
      chart.change();
    },
  };
}

function said(trials) {
  const n = trials.front.trials.length;
  if (!n) return "No trial with all objectives is within all limits yet, so that there is no front.";
  const knee = trials.best === null ? "" : ` The star, trial ${trials.number(trials.best)}, is its knee: a compromise.`;
  return `${counted(n, "trial")} ${n === 1 ? "is" : "are"} on the front: no other one beats them.${knee}`;
}

const entries = (trials) => [
  ["dot", "blue", "front"],
  ["star", "strong", "knee"],
  ["dot", "grey", "other trials"],
  ...(trials.infeasible.length ? [["plus", "grey", "infeasible"]] : []),
  ...(trials.front.reference ? [["square", "grey", "reference point"]] : []),
];

function paint(drawing, { trials, view }, shown, beyond) {
  const axes = ["x", "y"].map((axis) => trials.outputs[shown[axis]]);
  const [across, upwards] = ["x", "y"].map((axis) => trials.told[shown[axis]]);
  const known = trials.evaluated.filter((row) => Number.isFinite(across[row]) && Number.isFinite(upwards[row]));
  const best = known.filter((row) => trials.onFront.has(trials.number(row)));
  const reference = trials.front.reference && ["x", "y"].map((axis) => referenceOf(trials, shown[axis]));
  const ranges = [across, upwards].map((column, i) => range(trials, known, best, column, axes[i], reference?.[i]));
  const x = plainAxis(ranges[0], drawing.left, drawing.right);
  const y = plainAxis(ranges[1], drawing.bottom, drawing.top);
  const place = (row) => [x.place(across[row]), y.place(upwards[row])];
  const inside = (row) => within(ranges[0], across[row]) && within(ranges[1], upwards[row]);
  const visibleRows = known.filter(inside);
  const r = known.length > MANY ? 1.75 : 3;
  const groups = { others: [], infeasible: [], front: [], pale: [] };
  for (const row of visibleRows) {
    const kept = view.kept === null || view.kept.has(row);
    const kind = !kept ? "pale" : trials.onFront.has(trials.number(row)) ? "front" : "others";
    groups[trials.allowed(row) || !kept ? kind : "infeasible"].push(place(row));
    drawing.spot(...place(row), trials.number(row));
  }
  drawing.add(marks(groups.pale, "dot", "pale", r), marks(groups.others, "dot", "grey", r - 0.5));
  drawing.add(marks(groups.infeasible, "plus", "grey", r + 0.5));
  const edge = reference ? [x.place(reference[0]), y.place(reference[1])] : [drawing.right, drawing.bottom];
  const points = best.map((row) => [axes[0].larger ? 1 : -1, axes[1].larger ? 1 : -1].map((sign, i) => {
    return sign * [across, upwards][i][row];
  }));
  const stairs = corners(points).map(([p, q]) => [
    x.place(axes[0].larger ? p : -p),
    y.place(axes[1].larger ? q : -q),
  ]);
  if (stairs.length) drawing.add(s("path", { class: "line blue", d: outline(stairs, edge, drawing) }));
  drawing.add(marks(groups.front, "dot", "blue", r + 0.75));
  if (reference && within(ranges[0], reference[0]) && within(ranges[1], reference[1]))
    drawing.add(marks([edge], "square", "grey", 3));
  if (trials.best !== null && known.includes(trials.best)) drawing.add(star(...place(trials.best)));
  const name = ({ name, sense }) => `${visible(name, 40)} (${sense})`;
  drawing.axes(x, y, { xLabel: name(axes[0]), yLabel: name(axes[1]) });
  const out = known.length - visibleRows.length;
  say(beyond, out ? `${counted(out, "trial")} beyond the axes ${out === 1 ? "is" : "are"} left out.` : "");
}

/** The reference point in one objective. */
const referenceOf = (trials, place) => trials.front.reference[trials.objectives.indexOf(place)];

const within = ({ low, high }, value) => value >= low && value <= high;

/** What an axis shows: feasible values but for a few bad ones, the front, and others that are not far from these. */
function range(trials, known, best, column, { larger }, reference) {
  const feasible = known.filter((row) => trials.allowed(row));
  const values = (feasible.length ? feasible : known).map((row) => column[row]);
  const shown = limits(values, { larger });
  let [low, high] = [shown.low, shown.high];
  const include = (value) => ([low, high] = [Math.min(low, value), Math.max(high, value)]);
  best.forEach((row) => include(column[row]));
  const room = NEAR * (high - low);
  const [least, most] = [low - (larger ? 0 : room), high + (larger ? room : 0)];
  for (const row of known) if (column[row] >= least && column[row] <= most) include(column[row]);
  if (Number.isFinite(reference) && reference >= low - 6 * room && reference <= high + 6 * room) include(reference);
  return { low, high };
}

/** The edge of what the front dominates: from the worse end of one axis to that of the other. */
function outline(stairs, [ex, ey], drawing) {
  const clip = (value, low, high) => Math.max(low, Math.min(high, value));
  const [endX, endY] = [clip(ex, drawing.left, drawing.right), clip(ey, drawing.top, drawing.bottom)];
  let path = `M${endX} ${stairs[0][1]}H${stairs[0][0]}`;
  for (const [x, y] of stairs.slice(1)) path += `V${y}H${x}`;
  return `${path}V${endY}`;
}

/** Numbers of an objective for a tip. */
export const valuesOf = (trials, row) =>
  trials.outputs.map(({ name }, place) => `${visible(name, 24)} = ${number(trials.told[place][row])}`);
