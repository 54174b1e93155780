// The progress of the run: the values and the best so far, or the hypervolume of several objectives and their front;
// and the accuracy of the searches.

import { Chart, chartPanel, corners, ending, legend, limits, linear, log, marks, otherEntries } from "./chart.js";
import { plainAxis, radius, star, steps, suitsLog, vertical } from "./chart.js";
import { choice, h, panel, s, say, show } from "./dom.js";
import { are, clamp, count, counted, median, number, percent, visible } from "./format.js";

// ------------------------------------------------------------------ values

// A mark for each value, a line for the best so far, crosses at the bottom for failed trials, upright ones for
// infeasible trials. With noise, a star and a band for the recommended point.

// The axes of values: without values that would leave the end of the run no room, with all values, and logarithms of
// the values or of their distance to the best.
export const [VALUES, ALL, LOG, GAP] = [0, 1, 2, 3];
const AXES = [[VALUES, "values"], [ALL, "all values"], [LOG, "values, log"], [GAP, "distance to the best, log"]];

const BELOW = 0.14; // of the range, below the values: room for marks of failures
const LOOKS = [
  ["design", "ring", "orange", "initial"],
  ["given", "ring", "orange", null],
  ["model", "dot", "blue", "by the model"],
  ["polish", "dot", "blue", null],
  ["foreign", "square", "grey", "observed elsewhere"],
];

export function convergence(context) {
  return context.trials.several ? growth(context) : values(context);
}

function values(context) {
  const { trials, view } = context;
  const beyond = h("p", { class: "note", hidden: true });
  const field = choice("Axis", AXES, view.axis, (axis) => context.setView({ axis }));
  const offered = [
    () => true,
    () => windowOf(trials, { larger: trials.larger }).cut > 0,
    () => suitsLog(trials.values),
    () => trials.improvements.length > 2,
  ];
  return chartPanel("Convergence", context, {
    label: "Values of all trials and the best so far.",
    height: 320,
    wide: "two-thirds",
    controls: [field.parentNode],
    after: [beyond],
    entries: () => valueEntries(trials, view),
    paint: (drawing) => paintValues(drawing, context, beyond),
    refresh: () => [...field.options].forEach((option, i) => show(option, offered[i]())),
  });
}

const starEntry = ({ best, recommended }) =>
  recommended ? [["star", "recommended", "recommended, with its 95 % interval"]] : best === null ? [] : [["star", "strong", "best"]];

/** The range of the feasible values of an output, or of all values if none is feasible, because infeasible ones may be
 *  far away. The end of the run stays visible. */
export function windowOf(trials, words, output = 0, along = true) {
  const rows = trials.having(output);
  const within = rows.filter((row) => trials.allowed(row));
  const deciding = new Set(within.length ? within : rows);
  const values = [...deciding].map((row) => trials.value(row, output));
  if (!along) return limits(values, words);
  return ending(values, trials.bestSoFar.filter((_, i) => deciding.has(rows[i])), words);
}

function valueEntries(trials, view) {
  const there = new Set(trials.done.filter((row) => trials.allowed(row)).map((row) => trials.at(row, "origin")));
  if (there.has("given")) there.add("design"); // they have the same mark
  const found = LOOKS.filter(([origin, , , text]) => text && there.has(origin));
  return [
    ...found.map(([, shape, look, text]) => [shape, look, text]),
    ...(trials.best !== null ? [["line", "strong", "best so far"]] : []),
    ...starEntry(trials),
    ...otherEntries(trials),
    ...(view.kept === null ? [] : [["dot", "pale", "hidden by the filter of the table"]]),
  ];
}

/** The vertical axis that all views of an output share. */
export function outputAxis(trials, view, drawing, { below = 0.06, output = 0, along = false } = {}) {
  if (view.axis === GAP && output === 0 && trials.improvements.length > 2) return gapAxis(trials, drawing, below);
  const { larger } = trials.outputs[output];
  const logarithmic = view.axis === LOG && suitsLog(trials.having(output).map((row) => trials.value(row, output)));
  const shown = windowOf(trials, { larger, logarithmic, all: view.axis === ALL }, output, along);
  const y = vertical(shown, { height: drawing.bottom, top: drawing.top, logarithmic, below });
  const place = (value) => y.place(clamp(value, shown.low, shown.high));
  const outside = (value) => value < shown.low || value > shown.high;
  return { y, place, outside, shown, name: `${trials.label(output)} (${larger ? "larger" : "smaller"} is better)` };
}

/** The distance of values from the best on a logarithmic axis, with the best at the bottom. */
function gapAxis(trials, drawing, below) {
  const [best, sign] = [trials.value(trials.best), trials.larger ? -1 : 1];
  const gaps = trials.improvements.slice(0, -1).map((row) => sign * (trials.value(row) - best));
  const [low, high] = [Math.min(...gaps), Math.max(...trials.values.map((value) => sign * (value - best)))];
  const room = { height: drawing.bottom, top: drawing.top, logarithmic: true, below: below + 0.04 };
  const [y, name] = [vertical({ low, high }, room), `distance to the best ${trials.label()}`];
  const place = (value) => {
    const gap = sign * (value - best);
    return gap > 0 ? y.place(Math.max(gap, low)) : y.place(low) + 8;
  };
  return { y, place, outside: () => false, shown: { low, high, cut: 0 }, name };
}

function paintValues(drawing, { trials, view }, beyond) {
  const x = trialAxis(trials, drawing);
  const absent = trials.infeasible.filter((row) => trials.value(row) === null);
  const spare = [trials.failed, trials.pruned, trials.pending, absent].some((rows) => rows.length);
  const { y, place, outside, shown, name } = outputAxis(trials, view, drawing, {
    below: spare ? BELOW : 0.06,
    along: true,
  });
  const { recommended } = trials;
  if (recommended) drawing.add(...interval(drawing, recommended, place));
  const r = radius(trials.done.length);
  const edge = trials.larger ? "down" : "up";
  const groups = new Map();
  for (const row of trials.done) {
    const value = trials.value(row);
    const spot = [x.place(trials.number(row)), place(value)];
    const pale = view.kept !== null && !view.kept.has(row);
    const within = trials.allowed(row);
    const key = pale ? "pale" : !within ? "infeasible" : outside(value) ? `beyond ${trials.at(row, "origin")}` : trials.at(row, "origin");
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(spot);
    drawing.spot(...spot, trials.number(row));
  }
  drawing.add(marks(groups.get("pale") ?? [], "dot", "pale", r));
  for (const [origin, shape, look] of LOOKS) {
    drawing.add(marks(groups.get(origin) ?? [], shape, look, shape === "dot" ? r : Math.max(r - 0.25, 2)));
    drawing.add(marks(groups.get(`beyond ${origin}`) ?? [], edge, look, 3));
  }
  drawing.add(marks(groups.get("infeasible") ?? [], "plus", "grey", 3.5));
  atTheBottom(drawing, trials, x, absent);
  const path = trials.improvements.map((row) => [x.place(trials.number(row)), place(trials.value(row))]);
  drawing.add(s("path", { class: "line strong", d: steps(path, x.place(trials.last)) }));
  if (recommended) drawing.add(star(x.place(recommended.number), place(recommended.value), 7, "recommended"));
  else if (path.length) drawing.add(star(...path.at(-1)));
  drawing.axes(x, y, { xLabel: "trial", yLabel: name });
  show(beyond, shown.cut > 0);
  const caret = edge === "up" ? "▲" : "▼";
  say(beyond, `${counted(shown.cut, "value")} beyond the axis ${are(shown.cut)} drawn at its edge as ${caret}.`);
}

/** The band of the recommended value, as far as the axis goes, and its middle. */
function interval(drawing, { value, low, high }, place) {
  const [top, bottom] = [high ?? value, low ?? value].map(place).sort((p, q) => p - q);
  const { left, right } = drawing;
  return [
    s("path", { class: "band", d: `M${left} ${top}H${right}V${bottom}H${left}Z` }),
    s("path", { class: "rule", d: `M${left} ${place(value)}H${right}` }),
  ];
}

/** The horizontal axis: the numbers of all trials. */
function trialAxis(trials, drawing) {
  const low = trials.order.length ? trials.number(trials.order[0]) : 0;
  const high = Math.max(trials.last ?? 1, low + 1);
  const room = 0.015 * (high - low);
  return linear(low - room, high + room, drawing.left, drawing.right, { whole: true });
}

/** Trials without a value: failed, pruned, pending and infeasible ones. */
function atTheBottom(drawing, trials, x, infeasible) {
  for (const [rows, shape, look] of [
    [infeasible, "plus", "grey"],
    [trials.failed, "cross", "vermilion"],
    [trials.pruned, "diamond", "green"],
    [trials.pending, "tick", "grey"],
  ]) {
    drawing.mark(trials, rows, (row) => [x.place(trials.number(row)), drawing.bottom - 9], shape, look, 3);
  }
}

// ------------------------------------------------------------------ several objectives

const TOO_MANY = "Computing the hypervolume of so many trials takes too long here. A report has it.";

function growth(context) {
  const { trials } = context;
  const sentence = h("p", { class: "sentence" });
  return chartPanel("Hypervolume of the front", context, {
    label: "Hypervolume of the front after each trial.",
    height: 320,
    wide: "two-thirds",
    before: [sentence],
    entries: grown,
    paint: (drawing) => paintGrowth(drawing, trials),
    refresh: () => say(sentence, trials.front.growth === null ? TOO_MANY : measured(trials)),
  });
}

const grown = (trials) => [
  ["line", "strong", "the front so far"],
  ["dot", "blue", "raised it"],
  ...otherEntries(trials),
];

/** A sentence about the hypervolume and its reference point. */
function measured(trials) {
  if (trials.volume === null) return "No trial is on a front yet.";
  const { reference } = trials.front;
  const from = trials.objectives.map((place, i) => `${trials.label(place)} ${number(reference[i], 4)}`);
  return `The hypervolume is ${number(trials.volume, 6)}, measured from the reference point ${from.join(", ")}.`;
}

/** The hypervolume after each evaluation, twice, because values and the best so far are the same here. */
function volumes(trials) {
  const grown = new Map(trials.front.growth ?? []);
  let volume = 0;
  const each = trials.ended.map((row) => (volume = grown.get(trials.number(row)) ?? volume));
  return [each, each];
}

function paintGrowth(drawing, trials) {
  const x = trialAxis(trials, drawing);
  const grownAt = trials.front.growth ?? [];
  const { low, high } = ending(...volumes(trials), { larger: true });
  const y = vertical({ low, high }, { height: drawing.bottom, top: drawing.top, below: BELOW });
  const spots = grownAt.map(([trial, volume]) => [x.place(trial), y.place(Math.max(volume, low))]);
  if (spots.length) drawing.add(s("path", { class: "line strong", d: steps(spots, x.place(trials.last)) }));
  drawing.add(marks(spots, "dot", "blue", 3));
  spots.forEach((spot, i) => drawing.spot(...spot, grownAt[i][0]));
  atTheBottom(drawing, trials, x, trials.infeasible);
  drawing.axes(x, y, { xLabel: "trial", yLabel: "hypervolume (larger is better)" });
}

// ------------------------------------------------------------------ the front

// Every trial by its values of two objectives, with the front as stairs. With more than two objectives, the user
// selects two. The front is that of all objectives, and the stairs are those of the two.

const NEAR = 0.5; // of the range of feasible values: infeasible ones beyond are left out

export function front(context) {
  const { trials } = context;
  if (!trials.several) return { element: h("span", { hidden: true }) };
  const shown = trials.objectives.slice(0, 2); // the indices of the outputs on the horizontal and the vertical axis
  const [sentence, beyond] = [h("p", { class: "sentence" }), h("p", { class: "note" })];
  const names = trials.objectives.map((place) => [place, trials.label(place)]);
  const pick = (axis) => (place) => {
    if (shown[1 - axis] === place) shown[1 - axis] = shown[axis]; // exchange the two
    shown[axis] = place;
    controls.forEach((control, i) => (control.value = shown[i]));
    made.charts[0].change();
  };
  const words = names.length > 2 ? ["Across", "Upwards"] : []; // with two there is nothing to choose
  const controls = words.map((word, axis) => choice(word, names, shown[axis], pick(axis)));
  const made = chartPanel("The front", context, {
    label: "Trials by two objectives, with the front.",
    height: 360,
    wide: "full",
    controls: controls.map((control) => control.parentNode),
    before: [sentence],
    after: [beyond],
    entries: frontEntries,
    paint: (drawing) => paintFront(drawing, context, shown, beyond),
    refresh: () => say(sentence, frontSentence(trials)),
  });
  return made;
}

function frontSentence(trials) {
  const n = trials.front.trials.length;
  if (!n) return "No trial with all objectives is feasible yet, so there is no front.";
  const knee = trials.best === null ? "" : ` The star, trial ${trials.number(trials.best)}, is its knee: a compromise.`;
  return `${counted(n, "trial")} ${are(n)} on the front: no other trial beats them.${knee}`;
}

const frontEntries = (trials) => [
  ["dot", "blue", "front"],
  ["star", "strong", "knee"],
  ["dot", "grey", "other trials"],
  ...(trials.infeasible.length ? [["plus", "grey", "infeasible"]] : []),
  ...(trials.front.reference ? [["square", "grey", "reference point"]] : []),
];

function paintFront(drawing, { trials, view }, shown, beyond) {
  const axes = shown.map((place) => trials.outputs[place]);
  const signs = axes.map(({ larger }) => (larger ? 1 : -1));
  const [across, upwards] = shown.map((place) => trials.told[place]);
  const known = trials.evaluated.filter((row) => Number.isFinite(across[row]) && Number.isFinite(upwards[row]));
  const best = known.filter((row) => trials.onFront.has(trials.number(row)));
  const reference = trials.front.reference && shown.map((place) => referenceOf(trials, place));
  const ranges = [across, upwards].map((column, i) => shownRange(trials, known, best, column, axes[i], reference?.[i]));
  const x = plainAxis(ranges[0], drawing.left, drawing.right);
  const y = plainAxis(ranges[1], drawing.bottom, drawing.top);
  const place = (row) => [x.place(across[row]), y.place(upwards[row])];
  const inside = (row) => within(ranges[0], across[row]) && within(ranges[1], upwards[row]);
  const visibleRows = known.filter(inside);
  const r = radius(known.length);
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
  const points = best.map((row) => [signs[0] * across[row], signs[1] * upwards[row]]);
  const stairs = corners(points).map(([p, q]) => [x.place(signs[0] * p), y.place(signs[1] * q)]);
  if (stairs.length) drawing.add(s("path", { class: "line blue", d: outline(stairs, edge, drawing) }));
  drawing.add(marks(groups.front, "dot", "blue", r + 0.75));
  if (reference && within(ranges[0], reference[0]) && within(ranges[1], reference[1]))
    drawing.add(marks([edge], "square", "grey", 3));
  if (trials.best !== null && known.includes(trials.best)) drawing.add(star(...place(trials.best)));
  const name = ({ name, direction }) => `${visible(name, 40)} (${direction})`;
  drawing.axes(x, y, { xLabel: name(axes[0]), yLabel: name(axes[1]) });
  const out = known.length - visibleRows.length;
  say(beyond, out ? `${counted(out, "trial")} beyond the axes ${are(out)} left out.` : "");
}

/** The reference point in one objective. */
const referenceOf = (trials, place) => trials.front.reference[trials.objectives.indexOf(place)];

const within = ({ low, high }, value) => value >= low && value <= high;

/** The range of an axis: feasible values except a few bad ones, the front, and others near these. */
function shownRange(trials, known, best, column, { larger }, reference) {
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

/** The border of the region that the front dominates, from the worse end of one axis to that of the other. */
function outline(stairs, [ex, ey], drawing) {
  const [endX, endY] = [clamp(ex, drawing.left, drawing.right), clamp(ey, drawing.top, drawing.bottom)];
  let path = `M${endX} ${stairs[0][1]}H${stairs[0][0]}`;
  for (const [x, y] of stairs.slice(1)) path += `V${y}H${x}`;
  return `${path}V${endY}`;
}

/** Numbers of an objective for a tip. */
export const valuesOf = (trials, row) =>
  trials.outputs.map((_, place) => `${trials.label(place, 24)} = ${number(trials.told[place][row])}`);

// ------------------------------------------------------------------ accuracy of the searches

const FLOOR = 1e-6; // smaller gaps are rounding errors and drawn here, with a label at the axis
const RECENT = 20; // searches in the sentence
const WORTH = 0.1; // of the searches: unfold it only if more are not accurate enough
const ABOUT =
  "Each point maximizes the model's acquisition function. The gap is the fraction of its spread that the search " +
  "missed: 0 is an exact search. It does not measure the distance of the best value from the optimum.";

/** Folded, unless many searches were not accurate enough. */
export function accuracy(context) {
  const { trials } = context;
  const [sentence, words] = [h("summary"), h("div")];
  const chart = new Chart({
    label: "Relative gap of the search for each trial.",
    height: 220,
    margins: { left: 76 },
    pick: context.pick,
    tell: context.tell,
    paint: (drawing) => paintGaps(drawing, trials),
  });
  const fold = h("details", {}, sentence, h("p", { class: "note" }, ABOUT), words, chart.element);
  const element = panel("Accuracy of the search", { wide: "full" }, fold);
  let warned = false;
  return {
    element,
    charts: [chart],
    update() {
      const rows = judged(trials);
      show(element, rows.length > 0);
      if (!rows.length) return;
      say(sentence, verdict(trials, rows));
      const wrong = kinds(trials, rows).short.length > WORTH * rows.length;
      if (wrong && !warned) fold.open = warned = true;
      words.replaceChildren(legend(gapEntries(trials, rows)));
      chart.change();
    },
  };
}

const judged = (trials) => trials.order.filter((row) => Number.isFinite(trials.at(row, "gap")));

/** The median gap of the latest searches, or null. */
function recentGap(trials) {
  return median(judged(trials).slice(-RECENT).map((row) => trials.at(row, "gap")));
}

function verdict(trials, rows) {
  const short = rows.filter((row) => trials.at(row, "enough") === false).length;
  const recent = Math.min(RECENT, rows.length);
  const searches = (amount) => counted(amount, "search", "searches");
  const middle = `The median gap of the last ${searches(recent)} is ${percent(recentGap(trials))}.`;
  if (!short) return `${middle} Every search was accurate enough.`;
  const were = short === 1 ? "was" : "were";
  return `${middle} ${searches(short)} of ${count(rows.length)} ${were} not accurate enough.`;
}

const kinds = (trials, rows) => ({
  enough: rows.filter((row) => trials.at(row, "enough") !== false && !trials.at(row, "looked_elsewhere")),
  elsewhere: rows.filter((row) => trials.at(row, "enough") !== false && trials.at(row, "looked_elsewhere")),
  short: rows.filter((row) => trials.at(row, "enough") === false),
});

const GAP_LOOKS = [
  ["enough", "dot", "blue", "accurate enough"],
  ["elsewhere", "ring", "green", "exploration step"],
  ["short", "square", "vermilion", "not accurate enough"],
];

function gapEntries(trials, rows) {
  const found = kinds(trials, rows);
  return GAP_LOOKS.filter(([kind]) => found[kind].length).map(([, shape, look, text]) => [shape, look, text]);
}

function paintGaps(drawing, trials) {
  const rows = judged(trials);
  const x = trialAxis(trials, drawing);
  const y = log(FLOOR / 2, 2, drawing.bottom, drawing.top);
  const powers = [-6, -4, -2, 0].map((power) => ({ at: 10 ** power, text: axisPercent(power) }));
  const found = kinds(trials, rows);
  const place = (row) => [x.place(trials.number(row)), y.place(clamp(trials.at(row, "gap"), FLOOR, 1))];
  for (const [kind, shape, look] of GAP_LOOKS)
    drawing.mark(trials, found[kind], place, shape, look, radius(rows.length, 2.5));
  drawing.axes(x, { ...y, ticks: () => powers }, { xLabel: "trial", yLabel: "relative gap" });
}

const axisPercent = (power) => (power === -6 ? "≤ " : "") + `${Number((100 * 10 ** power).toPrecision(1))}\u202f%`;
