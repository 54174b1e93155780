// Each parameter against the objective as small multiples: later trials are darker, which shows the course of the
// search.

import { Chart, legend, marks, ofParameter, otherEntries, radius, star } from "./chart.js";
import { choice, h, panel, show } from "./dom.js";
import { counted, number, visible } from "./format.js";
import { outputAxis } from "./progress.js";

const SHADES = 4; // from the first quarter of the trials to the last one
const FEW = 12; // charts at first; the user can request more
const OPTIONS = 20; // up to so many texts have their own positions on an axis

/** The parameters with an axis: a range of numbers, or options. If nothing is known about one, as in a pool, its values
 *  so far decide. */
export function withAxis(trials) {
  const found = trials.parameters.map((one) => (one.kind === "other" ? guessed(one, trials) : one));
  return found.filter(({ kind, options, low, high }) => kind !== "constant" && (options?.length > 1 || high > low));
}

function guessed(parameter, trials) {
  const values = [...new Set(trials.params[parameter.name].filter((value) => value !== null))];
  if (values.every((value) => typeof value === "number"))
    return { ...parameter, kind: "float", low: Math.min(...values), high: Math.max(...values) };
  return { ...parameter, options: values.length <= OPTIONS ? values.map(String).sort() : [] };
}

export function parameters(context) {
  const { trials } = context;
  const shown = withAxis(trials);
  const charts = shown.map((parameter) => trialChart(parameter, context));
  const cells = charts.map(({ cell }) => cell);
  const more = h("button", { type: "button", onclick: unfold }, `Show all ${counted(shown.length, "parameter")}`);
  const grid = h("div", { class: "multiples" }, ...cells.slice(0, FEW));
  const none = h("p", { class: "empty" }, "This study has no parameter with a range or options.");
  const words = h("div");
  function unfold() {
    grid.append(...cells.slice(FEW));
    more.remove();
  }
  const several = trials.outputs.length > 1;
  const outputs = trials.outputs.map((_, place) => [place, trials.label(place)]);
  const field = choice("Output", outputs, trials.output, (place) => context.choose(place));
  const controls = several && shown.length ? [field.parentNode] : [];
  const title = several ? "An output against each parameter" : "Value against each parameter";
  const entries = () => words.replaceChildren(legend(shadeEntries(trials)));
  const body = shown.length ? [words, grid, shown.length > FEW ? more : null] : [none];
  return {
    element: panel(title, { wide: "full", controls }, ...body),
    charts: charts.map(({ chart }) => chart),
    update() {
      entries();
      charts.forEach(({ chart, absent, parameter }) => {
        const missing = trials.evaluated.filter((row) => trials.param(row, parameter.name) === null).length;
        show(absent, missing > 0);
        absent.textContent = `inactive in ${counted(missing, "trial")}`;
        chart.change();
      });
    },
    told: entries,
  };
}

const shadeEntries = (trials) => [
  ["dot", "blue shade-1", "early"],
  ["dot", "blue shade-4", "late"],
  ...otherEntries(trials, false),
  ["star", trials.useName === "recommended" ? "recommended" : "strong", trials.useName],
];

/** The small chart of a parameter with its name, and words beside the name. */
export function multiple(parameter, aside, more) {
  const chart = new Chart({ margins: { left: 50, top: 8, right: 8, bottom: 24 }, ...more });
  const title = h("h3", { title: parameter.name }, visible(parameter.name, 40), " ", aside);
  return { parameter, chart, cell: h("div", { class: "multiple" }, title, chart.element) };
}

function trialChart(parameter, context) {
  const words = [parameter.log ? "log" : "", parameter.when ? `when ${visible(parameter.when)}` : ""].filter(Boolean);
  const made = multiple(parameter, h("span", { class: "aside" }, words.join(", ")), {
    label: `Parameter ${visible(parameter.name)} against the value.`,
    height: 168,
    paint: (drawing) => paintTrials(drawing, parameter, context),
    pick: context.pick,
    tell: context.tell,
  });
  const absent = h("span", { class: "aside", hidden: true });
  made.cell.append(absent);
  return { ...made, absent };
}

function paintTrials(drawing, parameter, { trials, view }) {
  const x = ofParameter(parameter, drawing.left, drawing.right);
  const failing = trials.failed.length + trials.pruned.length > 0;
  const { output } = trials;
  const { y, place } = outputAxis(trials, view, drawing, { below: failing ? 0.14 : 0.06, output });
  const rows = trials.having(output);
  const across = (row) => {
    const value = trials.param(row, parameter.name);
    return value === null ? NaN : x.place(value, x.separate ? trials.number(row) : undefined);
  };
  const [shades, pale, beyond] = [Array.from({ length: SHADES }, () => []), [], []];
  rows.forEach((row, i) => {
    const spot = [across(row), place(trials.value(row, output))];
    if (view.kept !== null && !view.kept.has(row)) pale.push(spot);
    else if (!trials.allowed(row)) beyond.push(spot);
    else shades[Math.floor((SHADES * i) / rows.length)].push(spot);
    drawing.spot(...spot, trials.number(row));
  });
  const r = radius(rows.length, 2.5);
  drawing.add(marks(pale, "dot", "pale", r));
  shades.forEach((spots, i) => drawing.add(marks(spots, "dot", `blue shade-${i + 1}`, r)));
  drawing.add(marks(beyond, "plus", "grey", 3));
  drawing.mark(trials, trials.failed, (row) => [across(row), drawing.bottom - 6], "cross", "vermilion", 2.5);
  drawing.mark(trials, trials.pruned, (row) => [across(row), drawing.bottom - 6], "diamond", "green", 2.5);
  const { use } = trials;
  if (use !== null) {
    const spot = [across(use), place(trials.value(use, output) ?? NaN)];
    if (spot.every(Number.isFinite)) drawing.add(star(...spot, 7, trials.useName));
  }
  drawing.axes(x, y, { xTicks: 4, yTicks: 3 });
}

/** The range of a parameter, or its options. */
export function rangeText({ kind, low, high, options }) {
  if (options?.length) return options.map((option) => visible(option, 40)).join(", ");
  return Number.isFinite(low) ? `${number(low)} to ${number(high)}` : kind;
}
