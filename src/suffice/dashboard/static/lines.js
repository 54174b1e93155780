// Parallel coordinates: every trial is a line across one axis for each parameter, stronger for better values. With
// several objectives the front is coloured, and the objectives come first, as in the figure with the same name.

import { Chart, legend, limits, line, linear, ofParameter, radius } from "./chart.js";
import { h, panel, s, say, show } from "./dom.js";
import { are, clamp, count, counted, number, visible } from "./format.js";
import { withAxis } from "./parameters.js";

const SHADES = 5;
const MOST = 500; // lines: with more trials the better half of these, and others spread evenly
const ROOM = 62; // pixels between two axes at least
const LETTER = 6.2; // pixels

export function lines(context) {
  const { trials } = context;
  const known = withAxis(trials).filter(({ options }) => !options || options.length < 60);
  const words = h("p", { class: "note" });
  let ranked = null; // names, the most important first
  const chart = new Chart({
    label: "Every trial as a line across the parameters.",
    height: 280,
    margins: { left: 30, right: 46, top: 14, bottom: 30 },
    pick: context.pick,
    tell: context.tell,
    marked: (chart, trial) => trial !== chart.drawn && chart.change(),
    paint(drawing) {
      chart.drawn = context.selected();
      const fit = Math.max(2, 1 + Math.floor((drawing.right - drawing.left) / ROOM));
      const first = trials.several ? trials.objectives : [];
      const order = ranked ? known.slice().sort((p, q) => rank(p) - rank(q)) : known;
      const taken = new Set(order.slice(0, Math.max(1, fit - first.length)));
      const rows = chosen(trials);
      const which = ranked ? "the most important" : "the first";
      const [n, all] = [rows.length, trials.done.length];
      const axes = `${taken.size} of ${counted(known.length, "parameter")}, ${which}. `;
      const left = trials.ended.length - all;
      const without = left ? ` ${counted(left, "trial")} without a value ${are(left)} not drawn.` : "";
      say(words, (taken.size < known.length ? axes : "") + (n < all ? `${count(n)} of ${count(all)} trials.` : "") + without);
      const shown = known.filter((one) => taken.has(one)).map((one) => parameterAxis(trials, one, drawing));
      paintLines(drawing, context, [...first.map((at) => outputAxis(trials, at, drawing)), ...shown], rows);
    },
  });
  const rank = ({ name }) => (ranked.includes(name) ? ranked.indexOf(name) : Infinity);
  const entries = () => [["line", "blue shade-1", "worse"], ["line", "blue", "better"], ["line", "strong", trials.useName]];
  const above = h("div", {}, legend(entries()));
  const element = panel("Parallel coordinates", { wide: "full" }, above, chart.element, words);
  return {
    element,
    charts: [chart],
    update() {
      show(element, known.length > 1 && trials.done.length > 1);
      chart.change();
    },
    told({ importance = [] }) {
      if (importance.length) ranked = importance[0].names;
      above.replaceChildren(legend(entries()));
    },
  };
}

/** The rows that are drawn, the best first. */
function chosen(trials) {
  const sign = trials.larger ? -1 : 1;
  const merit = (row) => (trials.onFront.has(trials.number(row)) ? 0 : trials.allowed(row) ? 1 : 2);
  const order = trials.done.slice().sort((p, q) => merit(p) - merit(q) || sign * (trials.value(p) - trials.value(q)));
  if (order.length <= MOST) return order;
  const half = MOST / 2;
  const every = (order.length - half) / half;
  return [...order.slice(0, half), ...Array.from({ length: half }, (_, i) => order[Math.floor(half + i * every)])];
}

const parameterAxis = (trials, parameter, drawing) => {
  const scale = ofParameter(parameter, drawing.bottom, drawing.top);
  const place = (row) => {
    const value = trials.param(row, parameter.name);
    return value === null ? NaN : scale.place(value, scale.separate ? trials.number(row) : undefined);
  };
  const { name, low, high } = parameter;
  const ends = scale.separate ? scale.ticks() : [low, high].map((at) => ({ at, text: number(at, 3) }));
  return { name, place, ends: ends.map(({ at, text }) => [scale.place(at), text]) };
};

function outputAxis(trials, place, drawing) {
  const front = trials.done.filter((row) => trials.onFront.has(trials.number(row)));
  const values = (front.length ? front : trials.done).map((row) => trials.value(row, place));
  const { low, high } = limits(values, { larger: trials.outputs[place].larger, all: true });
  const scale = linear(low, high, drawing.bottom, drawing.top);
  const at = (row) => {
    const value = trials.value(row, place);
    return value === null ? NaN : scale.place(clamp(value, low, high));
  };
  return { name: trials.label(place), place: at, ends: [low, high].map((end) => [scale.place(end), number(end, 3)]) };
}

function paintLines(drawing, { trials, view, selected }, axes, rows) {
  const step = (drawing.right - drawing.left) / Math.max(1, axes.length - 1);
  const across = (i) => drawing.left + i * step;
  const levels = Array.from({ length: SHADES }, () => []);
  const faint = [];
  const seen = rows.filter((row) => trials.allowed(row)).map((row) => trials.value(row));
  const { low, high } = limits(seen, { larger: trials.larger });
  const path = (row) => {
    const spots = axes.map(({ place }, i) => [across(i), place(row)]);
    spots.forEach(([x, y]) => drawing.spot(x, y, trials.number(row)));
    return dashed(spots);
  };
  for (const row of rows) {
    const coloured = trials.several ? trials.onFront.has(trials.number(row)) : trials.allowed(row);
    const left = view.kept !== null && !view.kept.has(row);
    const share = clamp((trials.value(row) - low) / (high - low || 1), 0, 1);
    const merit = trials.several ? 1 : trials.larger ? share : 1 - share;
    (left || !coloured ? faint : levels[Math.min(SHADES - 1, Math.floor(SHADES * merit))]).push(path(row));
  }
  const width = { "stroke-width": radius(rows.length, 2.4) / 2 };
  drawing.add(s("path", { class: "line pale", d: faint.join(""), ...width }));
  levels.forEach((some, i) => drawing.add(s("path", { class: `line blue shade-${i}`, d: some.join(""), ...width })));
  const chosen = trials.rows.get(selected());
  for (const [row, look] of [[trials.use, "line strong"], [chosen ?? null, "line vermilion"]])
    if (row !== null && trials.value(row) !== null) drawing.add(s("path", { class: `${look} thick`, d: path(row) }));
  drawing.add(frame(drawing, axes, across, step));
}

/** A line through spots; a spot without neighbours is a dash. */
const dashed = (spots) =>
  line(spots).replace(/M([\d.-]+) ([\d.-]+)(?=M|$)/g, (_, x, y) => `M${Number(x) - 5} ${y}h10`);

function frame(drawing, axes, across, step) {
  const group = s("g", { class: "axes" });
  const letters = Math.max(4, Math.floor((step - 8) / LETTER));
  axes.forEach(({ name, ends }, i) => {
    const x = across(i);
    group.append(s("path", { class: "frame", d: `M${x} ${drawing.top}V${drawing.bottom}` }));
    for (const [y, text] of ends)
      group.append(s("text", { x: x + 4, y: y + 3.5, class: "end" }, visible(text, Math.max(3, letters - 1))));
    const place = { x: i ? x : 2, y: drawing.height - 8, "text-anchor": i ? "middle" : "start" };
    group.append(s("text", { class: "name", ...place }, visible(name, letters), s("title", {}, name)));
  });
  return group;
}
