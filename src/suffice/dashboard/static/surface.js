// The model's prediction along each parameter, and over two of them. The other parameters are those of the recommended
// point, or of the knee of a front.

import { band, Chart, legend, limits, line, marks, ofParameter, radius, star, vertical } from "./chart.js";
import { choice, h, panel, s, say, show } from "./dom.js";
import { clamp, number, part, sentence, visible } from "./format.js";
import { Question } from "./model.js";
import { multiple, withAxis } from "./parameters.js";
import { windowOf } from "./progress.js";
import { about } from "./stream.js";

const SINGLE = 16; // integers: each has its own mark, with nothing between them
const BAND = "The line is the predicted median, and the band holds 95 %. Far from all trials both can be wrong.";

// ------------------------------------------------------------------ along each parameter

export function slices({ trials }) {
  const state = h("p", { class: "empty", role: "status" }, "Fitting the model …");
  const grid = h("div", { class: "multiples" });
  const charts = [];
  const beyond = h("p", { class: "note", hidden: true });
  const element = panel("Prediction along each parameter", { wide: "full", note: BAND }, state, grid, beyond);
  let [all, found] = [[], []];

  /** The slices of the selected output, or of the first one with slices. */
  function draw() {
    const own = all.filter(({ output }) => output === trials.output);
    const named = new Map(withAxis(trials).map((parameter) => [parameter.name, parameter]));
    found = (own.length ? own : all.filter(({ output }) => output === 0)).filter(({ name }) => named.has(name));
    if (charts.map(({ parameter }) => parameter.name).join("\n") !== found.map(({ name }) => name).join("\n")) {
      charts.splice(0).forEach(({ chart }) => chart.close());
      for (const { name } of found) charts.push(sliceChart(named.get(name), () => found, trials));
      grid.replaceChildren(...charts.map(({ cell }) => cell));
    }
    charts.forEach(({ chart }) => chart.change());
    const { cut, end } = found.length ? rangeOf(found, trials) : { cut: false };
    show(beyond, cut);
    if (cut) say(beyond, `Predictions worse than ${number(end, 3)} are drawn at the edge.`);
  }

  return {
    element,
    update: () => trials.several && draw(),
    told({ slices: cuts = [], problem, note, wait }) {
      if (cuts.length) all = cuts;
      const none = wait ? state.textContent : "There are none.";
      const words = problem ? sentence(problem) : all.length ? (note ?? "") : none;
      show(state, words !== "");
      say(state, words);
      draw();
    },
    close: () => charts.forEach(({ chart }) => chart.close()),
  };
}

function sliceChart(parameter, found, trials) {
  const at = h("span", { class: "aside" });
  return multiple(parameter, at, {
    label: `The predicted median and band along ${visible(parameter.name)}.`,
    height: 150,
    paint(drawing) {
      const slice = found().find(({ name }) => name === parameter.name);
      at.textContent = slice.at === null ? "inactive" : part(slice.at, 24);
      at.title = slice.at === null ? `here: ${slice.through}` : slice.through;
      paintSlice(drawing, parameter, slice, rangeOf(found(), trials));
    },
  });
}

/** One axis for all slices, so that important parameters are visible. With one objective it ends where that of the
 *  convergence ends, if some medians are worse; on a front, they may be good. A band may be far wider than the range of
 *  the medians, so it is shown only up to that range beyond them. */
function rangeOf(slices, trials) {
  const ends = (pick) => limits(slices.flatMap(pick).filter((value) => value !== null), { larger: false, all: true });
  const medians = ends(({ median }) => median);
  const { larger } = trials.outputs[slices[0].output];
  const run = windowOf(trials, { larger }, slices[0].output);
  const end = larger ? run.low : run.high;
  const cut = !trials.several && medians.low < end && end < medians.high;
  if (cut) medians[larger ? "low" : "high"] = end;
  const all = ends(({ low, high }) => [...low, ...high]);
  const room = medians.high - medians.low;
  const [low, high] = [Math.max(all.low, medians.low - room), Math.min(all.high, medians.high + room)];
  return { low: cut && larger ? end : low, high: cut && !larger ? end : high, cut, end };
}

function paintSlice(drawing, parameter, slice, range) {
  const x = ofParameter(parameter, drawing.left, drawing.right);
  const y = vertical(range, { height: drawing.bottom, top: drawing.top });
  const place = (value) => (value === null ? NaN : y.place(clamp(value, range.low, range.high)));
  const xs = slice.x.map((value) => x.place(value));
  const [low, middle, high] = [slice.low, slice.median, slice.high].map((values) => values.map(place));
  if (x.separate || (parameter.kind === "int" && xs.length <= SINGLE)) {
    const known = xs.flatMap((at, i) => (Number.isFinite(at + low[i] + high[i]) ? [[at, low[i], high[i]]] : []));
    known.forEach(([at, from, to]) => drawing.add(s("path", { class: "whisker", d: `M${at} ${from}V${to}` })));
    drawing.add(marks(xs.map((at, i) => [at, middle[i]]), "dot", "blue", 3.5));
  } else {
    drawing.add(s("path", { class: "band", d: band(xs, low, high) }));
    drawing.add(s("path", { class: "line blue", d: line(xs.map((at, i) => [at, middle[i]])) }));
  }
  drawing.axes(x, y, { xTicks: 4, yTicks: 3 });
  if (slice.at === null) return; // inactive at the recommended point
  const at = x.place(slice.at);
  if (!x.separate) drawing.add(s("path", { class: "rule", d: `M${at} ${drawing.top}V${drawing.bottom}` }));
  if (Number.isFinite(at + place(slice.height))) drawing.add(star(at, place(slice.height), 6));
}

// ------------------------------------------------------------------ over two parameters

/** Shades of the predicted median, with the trials as rings. The server reports if there are too many options. */
export function contour(context) {
  const { id, trials } = context;
  const shown = withAxis(trials).filter(({ kind }) => kind !== "other");
  if (shown.length < 2) return { element: h("span", { hidden: true }) };
  const names = shown.map(({ name }, place) => [place, visible(name, 24)]);
  const fields = ["Across", "Upwards"].map((word) => choice(word, names, -1, choose));
  const state = h("p", { class: "empty", role: "status" }, "Fitting the model …");
  const words = h("div");
  const chart = new Chart({
    label: "The predicted median over two parameters.",
    height: 330,
    pick: context.pick,
    tell: context.tell,
    paint: (drawing) => found && paintContour(drawing, context, found, shown),
  });
  let [found, output] = [null, 0]; // the drawn field; the requested output
  const asked = new Question(address(), context.revision, told);

  function address() {
    output = trials.objectives.includes(trials.output) ? trials.output : 0;
    const [x, y] = fields.map(({ value }) => (value === "" ? "" : shown[Number(value)].name));
    return about(id, `/contour?${new URLSearchParams({ x, y, output })}`);
  }

  function choose() {
    if (fields.every(({ value }) => value !== "") && fields[0].value !== fields[1].value) asked.change(address());
  }

  function told({ contour: field, problem, note, wait }) {
    if (field) {
      found = field;
      [field.x, field.y].forEach(({ name }, i) => (fields[i].value = shown.findIndex((one) => one.name === name)));
      const marked = ["star", "strong", field.through.replace(/^the /, "")];
      const ring = trials.length ? [["ring", "strong", "trials"]] : [];
      const unlikely = field.unlikely?.flat().includes(true) ? [["square", "grey", "probably infeasible"]] : [];
      words.replaceChildren(scale(field, trials.outputs[output].larger), legend([...ring, ...unlikely, marked]));
    }
    const text = problem ? sentence(problem) : found ? (note ?? "") : wait ? state.textContent : "There is none.";
    show(state, text !== "");
    say(state, text);
    for (const part of [words, chart.element]) show(part, found !== null);
    chart.change();
  }

  for (const part of [words, chart.element]) show(part, false);
  const controls = fields.map((field) => field.parentNode);
  return {
    element: panel("Prediction over two parameters", { wide: "two-thirds", controls }, state, words, chart.element),
    charts: [chart],
    update() {
      if (trials.several && trials.objectives.includes(trials.output) && trials.output !== output) {
        asked.change(address());
      } else if (trials.done.length > 1) asked.want();
      chart.change();
    },
    close: () => asked.close(),
  };
}

const shade = (level) => ({ class: "cells", "fill-opacity": 0.03 + 0.08 * level });

/** The shades from the worst to the best, with the values at both ends. */
function scale({ ends, cut }, larger) {
  const [worst, best] = larger ? [ends[0], ends.at(-1)] : [ends.at(-1), ends[0]];
  const steps = ends.slice(1).map((_, i) => s("path", { ...shade(i), d: `M${10 * i} 0h10v10h-10z` }));
  const shades = s("svg", { width: 10 * steps.length, height: 10, "aria-hidden": "true" }, ...steps);
  return h("p", { class: "note" }, `${number(worst, 3)}${cut ? " or worse" : ""} `, shades, ` ${number(best, 3)}, the best predicted`);
}

function paintContour(drawing, { trials, view }, { x: across, y: upwards, shades, unlikely, number }, shown) {
  const [first, second] = [across, upwards].map(({ name }) => shown.find((one) => one.name === name));
  const x = ofParameter(first, drawing.left, drawing.right);
  const y = ofParameter(second, drawing.bottom, drawing.top);
  const [xs, ys] = [edges(across.places, x), edges(upwards.places, y)];
  const cells = new Map(); // shade → path; null: what is probably infeasible
  const cell = (i, j) => `M${xs[j]} ${ys[i]}H${xs[j + 1]}V${ys[i + 1]}H${xs[j]}Z`;
  const fill = (level, i, j) => cells.set(level, (cells.get(level) ?? "") + cell(i, j));
  shades.forEach((row, i) => row.forEach((level, j) => level !== null && fill(level, i, j)));
  unlikely?.forEach((row, i) => row.forEach((bad, j) => bad && fill(null, i, j)));
  const look = (level) => (level === null ? { class: "cells unlikely" } : shade(level));
  for (const [level, d] of cells) drawing.add(s("path", { ...look(level), d })); // null comes last
  const place = (row) => {
    const [p, q] = [trials.param(row, first.name), trials.param(row, second.name)];
    const trial = trials.number(row);
    if (p === null || q === null) return [NaN, NaN];
    return [x.place(p, x.separate ? trial : undefined), y.place(q, y.separate ? trial + 1 : undefined)];
  };
  const kept = (rows) => rows.filter((row) => view.kept === null || view.kept.has(row));
  const within = trials.evaluated.filter((row) => trials.allowed(row));
  drawing.mark(trials, kept(within), place, "ring", "strong", radius(within.length, 2.5));
  drawing.mark(trials, kept(trials.infeasible), place, "plus", "grey", 3);
  drawing.mark(trials, kept(trials.failed), place, "cross", "vermilion", 2.5);
  const here = trials.rows.get(number); // where its ring is
  drawing.add(here === undefined ? star(x.place(across.at), y.place(upwards.at)) : star(...place(here)));
  const name = ({ name }) => visible(name, 40);
  drawing.axes(x, y, { xLabel: name(first), yLabel: name(second) });
}

/** The borders of the cells around positions, in pixels: half way to the next position. */
function edges(places, axis) {
  const at = places.map((place) => axis.place(place));
  const half = (i) => (at.length > 1 ? (at[i + 1] - at[i]) / 2 : axis.width / 2 || 10);
  const inner = at.slice(1).map((place, i) => place - half(i));
  return [at[0] - half(0), ...inner, at.at(-1) + half(Math.max(0, at.length - 2))].map((place) => place.toFixed(1));
}
