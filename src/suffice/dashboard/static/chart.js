// One chart. It draws itself at its width once it is on screen or printed, finds the mark under the pointer, and
// supports the arrow keys. `paint` fills in the drawing. The scales of axes, in pixels, and the marks follow below.

import { h, once, panel, s, show } from "./dom.js";
import { clamp, number, visible } from "./format.js";

const REACH = 24; // pixels from the pointer: marks farther away are ignored

const onScreen = new IntersectionObserver(
  (entries) => entries.forEach(({ target, isIntersecting }) => target.chart.appear(isIntersecting)),
  { rootMargin: "200px" },
);
const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => target.chart.change()));

// Print every chart, also those that were never on screen.
const drawAll = () => document.querySelectorAll(".chart").forEach(({ chart }) => chart.stale && chart.draw());
window.addEventListener("beforeprint", drawAll);
matchMedia("print").addEventListener("change", ({ matches }) => matches && drawAll());

/** A drawing for `paint`: the plot's box, layers of elements, and the positions of trials for the pointer. */
class Drawing {
  constructor(width, height, margins) {
    Object.assign(this, { width, height, ...margins });
    this.right = width - margins.right;
    this.bottom = height - margins.bottom;
    this.layers = [];
    this.spots = []; // [x, y, trial number]
  }

  add(...elements) {
    this.layers.push(...elements.filter(Boolean));
  }

  /** Record the position of a trial, to find and highlight it. */
  spot(x, y, trial) {
    if (Number.isFinite(x) && Number.isFinite(y)) this.spots.push([x, y, trial]);
  }

  /** Draw a mark for each of some rows, which the pointer finds; `place` returns its pixels. */
  mark(trials, rows, place, shape, look, r) {
    const points = rows.map(place);
    points.forEach(([x, y], i) => this.spot(x, y, trials.number(rows[i])));
    this.add(marks(points, shape, look, r));
  }

  /** Grid lines, ticks and labels of both axes. */
  axes(x, y, { xLabel = "", yLabel = "", xTicks = null, yTicks = null } = {}) {
    const across = x.ticks(xTicks ?? Math.max(2, Math.floor((this.right - this.left) / 80)));
    const upwards = y.ticks(yTicks ?? Math.max(2, Math.floor((this.bottom - this.top) / 42)));
    const group = s("g", { class: "axes" });
    for (const { at, text } of upwards) {
      const place = y.place(at);
      group.append(s("line", { class: "grid", x1: this.left, x2: this.right, y1: place, y2: place }));
      group.append(s("text", { x: this.left - 6, y: place + 3.5, "text-anchor": "end" }, text));
    }
    for (const { at, text, full } of across) {
      const place = x.place(at);
      if (!x.separate) group.append(s("line", { class: "grid", x1: place, x2: place, y1: this.top, y2: this.bottom }));
      const label = s("text", { x: place, y: this.bottom + 15, "text-anchor": "middle" }, text);
      if (full && full !== text) label.append(s("title", {}, full));
      group.append(label);
    }
    group.append(s("path", { class: "frame", d: `M${this.left} ${this.top}V${this.bottom}H${this.right}` }));
    const middle = (this.left + this.right) / 2;
    const name = (text, place) => text && group.append(s("text", { class: "name", ...place }, text));
    name(xLabel, { x: middle, y: this.height - 4, "text-anchor": "middle" });
    name(yLabel, { x: 2, y: 10 });
    this.layers.unshift(group);
  }
}

/** chart({label, height, paint, pick, tell}).element goes into a page; `change()` draws it again. `marked` is called
 *  when a trial is selected, for charts that show it by more than a ring. */
export class Chart {
  constructor({ label, height = 240, margins = {}, paint, pick = null, tell = () => "", marked = null }) {
    Object.assign(this, { paint, pick, tell, marked, seen: false, stale: true, spots: [] });
    [this.selected, this.pointed] = [null, null];
    this.margins = { left: 58, right: 14, top: 20, bottom: 36, ...margins };
    this.title = s("title", {}, label);
    this.content = s("g");
    this.ring = s("circle", { class: "selected", r: 7, visibility: "hidden" });
    this.hover = s("circle", { class: "hover", r: 7, visibility: "hidden" });
    this.svg = s("svg", { role: "img" }, this.title, this.content, this.ring, this.hover);
    this.tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    this.element = h("div", { class: "chart" }, this.svg, this.tip);
    this.element.style.minHeight = `${height}px`; // and more if the panel beside it is higher
    this.element.chart = this;
    if (pick) this.#listen(label);
    this.change = once(() => {
      this.stale = true;
      if (this.seen) this.draw();
    });
    onScreen.observe(this.element);
    resized.observe(this.element);
  }

  #listen(label) {
    Object.entries({ tabindex: 0, role: "group", "aria-label": `${label} Use the arrow keys to move between trials.` }).forEach(
      ([name, value]) => this.element.setAttribute(name, value),
    );
    this.svg.addEventListener("pointermove", (event) => this.#point(this.#near(event)));
    this.svg.addEventListener("pointerleave", () => this.#point(null));
    this.svg.addEventListener("click", (event) => {
      const spot = this.#near(event);
      if (spot) this.pick(spot[2]);
    });
    this.element.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey || !this.spots.length) return; // Alt: back
      event.preventDefault();
      this.#walk(step);
    });
  }

  appear(seen) {
    this.seen = seen;
    if (seen && this.stale) this.draw();
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width) return;
    this.stale = false;
    const drawing = new Drawing(width, height, this.margins);
    const size = { width, height, viewBox: `0 0 ${width} ${height}` };
    for (const [name, value] of Object.entries(size)) this.svg.setAttribute(name, value);
    this.paint(drawing);
    this.content.replaceChildren(...drawing.layers);
    this.spots = drawing.spots;
    this.#point(this.#spot(this.pointed)); // keep the tip under the pointer after an update
    this.select(this.selected);
  }

  /** Highlight this trial, if it is drawn here. */
  select(trial) {
    this.selected = trial;
    if (this.marked) return this.marked(this, trial);
    this.#place(this.ring, this.#spot(trial));
  }

  #spot(trial) {
    return trial === null ? null : this.spots.find((spot) => spot[2] === trial);
  }

  #place(circle, spot) {
    circle.setAttribute("visibility", spot ? "visible" : "hidden");
    if (spot) [circle.cx.baseVal.value, circle.cy.baseVal.value] = spot;
  }

  #near(event) {
    const box = this.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [least, found] = [REACH ** 2, null];
    for (const spot of this.spots) {
      const distance = (spot[0] - x) ** 2 + (spot[1] - y) ** 2;
      if (distance < least) [least, found] = [distance, spot];
    }
    return found;
  }

  #point(spot) {
    this.pointed = spot ? spot[2] : null;
    this.#place(this.hover, spot);
    this.tip.hidden = !spot;
    this.svg.classList.toggle("over", Boolean(spot));
    if (!spot) return;
    this.tip.replaceChildren(...this.tell(spot[2]).map((line) => h("div", {}, line)));
    const room = this.element.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(room, spot[0] + 12))}px`;
    this.tip.style.top = `${Math.max(0, spot[1] - this.tip.offsetHeight - 10)}px`;
  }

  #walk(step) {
    const order = this.spots.map((spot) => spot[2]).sort((p, q) => p - q);
    const at = order.indexOf(this.selected);
    const next = at < 0 ? (step > 0 ? 0 : order.length - 1) : clamp(at + step, 0, order.length - 1);
    this.pick(order[next]);
  }

  /** Stop observing it, so that a removed chart can be freed. */
  close() {
    onScreen.unobserve(this.element);
    resized.unobserve(this.element);
  }
}

/** A panel with one chart: `entries` makes its legend, `before` and `after` are above and below it, and `refresh` is
 *  called before it is drawn again; it returns false if there is nothing to draw. */
export function chartPanel(title, context, { wide, controls, before = [], after = [], entries, refresh, ...more }) {
  const words = h("div");
  const paint = (drawing) => {
    words.replaceChildren(legend(entries(context.trials)));
    more.paint(drawing);
  };
  const chart = new Chart({ pick: context.pick, tell: context.tell, ...more, paint });
  return {
    element: panel(title, { wide, controls }, ...before, words, chart.element, ...after),
    charts: [chart],
    update() {
      const drawn = refresh() ?? true;
      for (const part of [words, chart.element]) show(part, drawn);
      if (drawn) chart.change();
    },
  };
}

/** The legend entries of trials without a value, if there are any. */
export const otherEntries = (trials, pending = true) => [
  ...(trials.infeasible.length ? [["plus", "grey", "infeasible"]] : []),
  ...(trials.failed.length ? [["cross", "vermilion", "failed"]] : []),
  ...(trials.pruned.length ? [["diamond", "green", "pruned"]] : []),
  ...(pending && trials.pending.length ? [["tick", "grey", "pending"]] : []),
];

/** Entries of a legend: [[shape, look, text], …] with the same marks as in the chart. */
export function legend(entries) {
  return h(
    "ul",
    { class: "legend" },
    ...entries.map(([shape, look, text]) => {
      const icon = s("svg", { width: 18, height: 12, "aria-hidden": "true" });
      if (shape === "line") icon.append(s("path", { class: `line ${look}`, d: "M0 6H18" }));
      else icon.append(shape === "star" ? star(9, 6, 6, look) : marks([[9, 6]], shape, look, 3));
      return h("li", {}, icon, text);
    }),
  );
}

// ------------------------------------------------------------------ scales

// Positions of a quantity along an axis, in pixels: linear, logarithmic, or options side by side; and the range of
// values that an axis shows.

const MOST = 0.9; // of the values, from the best: they decide the range if the others are far away
const START = 0.4; // of a run: later values should be visible
const FAR = 3; // times the range of these: values beyond are drawn at the edge
// An offset for each evaluation, modulo 1, beside an option: its multiples are evenly spread, which separates equal
// ones.
const EVEN = 0.7548776662466927;

const nice = (rough) => {
  const power = 10 ** Math.floor(Math.log10(rough));
  const share = rough / power;
  return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
};

/** A linear axis; low and high are at the pixels `from` and `to`. */
export function linear(low, high, from, to, { whole = false } = {}) {
  const width = high / 2 - low / 2 || 1; // halves, so that the range of the largest floats is finite
  const ticks = (about) => {
    let [step, found] = [Math.max(nice(width / (Math.max(about, 1) / 2)), whole ? 1 : 0), []];
    const fill = () => {
      const [from, to] = [Math.ceil(low / step), Math.min(Math.floor(high / step + 1e-9), Math.ceil(low / step) + 50)];
      found = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => (from + i) * step);
    };
    fill();
    if (found.length < 2 && !(whole && step <= 1)) { // an axis with one number shows no distances
      step = nice(step / 4);
      fill();
    }
    const digits = Math.max(1, Math.ceil(Math.log10(Math.max(...found.map(Math.abs), step) / step)) + 1);
    return found.map((at) => ({ at, text: number(Math.abs(at) < step * 1e-6 ? 0 : at, Math.min(digits, 12)) }));
  };
  return { place: (value) => from + ((value / 2 - low / 2) / width) * (to - from), ticks, low, high, log: false };
}

/** A logarithmic axis with positive ends. */
export function log(low, high, from, to) {
  const [a, b] = [Math.log10(low), Math.log10(high)];
  const ticks = (about) => {
    const decades = b - a;
    if (decades < 0.7) return linear(low, high, from, to).ticks(about);
    const every = Math.max(1, Math.ceil(decades / Math.max(about, 1)));
    const heads = decades < 2 ? [1, 2, 5] : [1];
    const found = [];
    for (let power = Math.floor(a); power <= b; power++)
      if (power % every === 0)
        for (const head of heads) {
          const at = head * 10 ** power;
          if (at >= low * 0.999 && at <= high * 1.001) found.push({ at, text: number(at, 2) });
        }
    return found;
  };
  const place = (value) => from + ((Math.log10(value) - a) / (b - a || 1)) * (to - from);
  return { place, ticks, low, high, log: true };
}

/** Options side by side; `place` takes an option's text, and the trial's number to separate equal ones. */
function options(names, from, to) {
  const width = (to - from) / Math.max(names.length, 1);
  const index = new Map(names.map((name, i) => [name, i]));
  const place = (name, trial = null) => {
    const i = index.get(String(name));
    if (i === undefined) return NaN;
    return from + width * (i + 0.5 + (trial === null ? 0 : 0.6 * (((trial * EVEN) % 1) - 0.5)));
  };
  const ticks = () => {
    const letters = Math.max(3, Math.floor(Math.abs(width) / 6.2));
    const every = Math.ceil(26 / Math.abs(width)); // pixels for a label of a few letters
    return names.flatMap((name, i) => (i % every ? [] : [{ at: name, text: visible(name, letters), full: name }]));
  };
  return { place, ticks, separate: true, width, log: false };
}

/** The scale of a parameter: its range, logarithmic if the search is. */
export function ofParameter(parameter, from, to) {
  if (parameter.options?.length) return options(parameter.options, from, to);
  const { low, high } = parameter;
  if (!(high > low)) return linear(low - 1, low + 1, from, to);
  const room = 0.03; // of the axis, beyond its ends: half of a marker
  if (parameter.log && low > 0) return log(...wider(low, high, room, room, true), from, to);
  return linear(...wider(low, high, room, room), from, to, { whole: parameter.kind === "int" });
}

/** Ends that are some fractions of the range farther apart, and still finite floats. */
function wider(low, high, below, above, logarithmic = false) {
  if (logarithmic) {
    const decades = Math.log10(high) - Math.log10(low);
    const [first, last] = [low / 10 ** (below * decades), high * 10 ** (above * decades)];
    return [Math.max(first, Number.MIN_VALUE), Math.min(last, Number.MAX_VALUE)];
  }
  const half = high / 2 - low / 2;
  const [first, last] = [low - 2 * below * half, high + 2 * above * half];
  return [Math.max(first, -Number.MAX_VALUE), Math.min(last, Number.MAX_VALUE)];
}

/** The range of values to show: all, or the best MOST of them if the others would leave these no room; as in the
 *  figures of a report (suffice.plot.axes.window). */
export function limits(values, { larger, logarithmic = false, all = false }) {
  const seen = values.filter((value) => Number.isFinite(value) && !(logarithmic && value <= 0)).sort((p, q) => p - q);
  if (!seen.length) return { low: logarithmic ? 1 : 0, high: logarithmic ? 10 : 1, cut: 0 };
  const at = logarithmic ? Math.log : (value) => value;
  const [worst, best] = larger ? [seen[0], seen.at(-1)] : [seen.at(-1), seen[0]];
  const usual = quantile(seen.map(at), larger ? 1 - MOST : MOST);
  const near = FAR * Math.abs(usual - at(best));
  const cuts = !all && near > 0 && near < Math.abs(at(worst) - at(best));
  const end = cuts ? (logarithmic ? Math.exp(usual) : usual) : worst;
  let [low, high] = [Math.min(best, end), Math.max(best, end)];
  if (low === high) {
    const room = Math.abs(low) / 10 || 1;
    [low, high] = logarithmic ? [low / Math.E, high * Math.E] : [low - room, high + room];
  }
  const cut = seen.filter((value) => value < low || value > high).length;
  return { low, high, cut };
}

/** The same for a run in the order of its trials, with a visible end; `best` has the best so far, as in the figures
 *  (suffice.plot.axes.ending). */
export function ending(values, best, { larger, logarithmic = false, all = false }) {
  const [whole, first] = [limits(values, { larger, logarithmic, all }), Math.floor(START * values.length)];
  const positive = (value) => Number.isFinite(value) && !(logarithmic && value <= 0);
  const later = values.slice(first).filter(positive).sort((p, q) => p - q);
  if (all || !later.length) return whole;
  const at = logarithmic ? Math.log : (value) => value / 2;
  const [low, high] = [at(whole.low), at(whole.high)];
  const top = larger ? high : low;
  const marked = [quantile(later, 0.5), ...best.slice(first, first + 1).filter(positive)];
  const reach = 2 * Math.max(...marked.map((mark) => Math.abs(at(mark) - top)));
  if (!(reach > 0 && reach < (high - low) / 2)) return whole;
  const edge = larger ? top - reach : top + reach;
  const end = logarithmic ? Math.exp(edge) : 2 * edge;
  const shown = larger ? { low: end, high: whole.high } : { low: whole.low, high: end };
  const beyond = (value) => positive(value) && (value < shown.low || value > shown.high);
  return { ...shown, cut: values.filter(beyond).length };
}

/** A quantile of sorted values, with linear interpolation. */
function quantile(sorted, share) {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  return below * (1 - (place % 1)) + sorted[Math.ceil(place)] * (place % 1);
}

/** The vertical axis of these limits, with room at the bottom for marks of failures. */
export function vertical({ low, high }, { height, top, logarithmic = false, below = 0.06 }) {
  return (logarithmic ? log : linear)(...wider(low, high, below, 0.06, logarithmic), height, top);
}

/** A linear axis with these limits, with room for a marker at both ends. */
export function plainAxis({ low, high }, from, to) {
  const [first, last] = low < high ? [low, high] : [low - (Math.abs(low) || 1) / 10, high + (Math.abs(low) || 1) / 10];
  return linear(...wider(first, last, 0.05, 0.05), from, to);
}

/** Whether a logarithmic axis is useful: all values are positive, and they span more than a decade. */
export function suitsLog(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return low > 0 && high > 10 * low;
}

// ------------------------------------------------------------------ marks

// Thousands of marks as one path: a dot is a line of no length with a round cap, so the browser lays out one element.
// Marks within half a pixel of another one are left out, because they would be invisible.

const FINE = 2; // positions per pixel: marks at the same one are drawn once
const near = (value) => Math.round(value * FINE) / FINE;

function thinned(points) {
  const seen = new Set();
  const kept = [];
  for (const [x, y] of points) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    const key = near(x) * 100000 + near(y);
    if (seen.has(key)) continue;
    seen.add(key);
    kept.push([near(x), near(y)]);
  }
  return kept;
}

const SHAPES = {
  dot: ([x, y]) => `M${x} ${y}h0`,
  ring: ([x, y], r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  square: ([x, y], r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  cross: ([x, y], r) => `M${x - r} ${y - r}l${2 * r} ${2 * r}m${-2 * r} 0l${2 * r} ${-2 * r}`,
  diamond: ([x, y], r) => `M${x - r} ${y}l${r} ${-r}l${r} ${r}l${-r} ${r}z`,
  plus: ([x, y], r) => `M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}`,
  up: ([x, y], r) => `M${x - r} ${y + r}l${r} ${-2 * r}l${r} ${2 * r}z`,
  down: ([x, y], r) => `M${x - r} ${y - r}l${r} ${2 * r}l${r} ${-2 * r}z`,
  tick: ([x, y], r) => `M${x} ${y - r}v${2 * r}`,
  run: ([x, y], r) => `M${x - 2 * r} ${y - r}h${4 * r}v${2 * r}h${-4 * r}z`,
};

/** The radius of a mark in pixels: smaller if there are many. */
export const radius = (count, usual = 3) => (count > 400 ? 1.75 : usual);

/** Marks of one shape at `points`, [[x, y], …] in pixels, as one path with a class; null if there is none. */
export function marks(points, shape, look, r = 3) {
  const kept = thinned(points);
  if (!kept.length) return null;
  const draw = SHAPES[shape];
  const path = s("path", { class: `mark ${shape} ${look}`, d: kept.map((point) => draw(point, r)).join("") });
  if (shape === "dot") path.setAttribute("stroke-width", 2 * r);
  return path;
}

/** A line of steps through [[x, y], …]: horizontal until the next point, then up or down; on to `end`. */
export function steps(points, end) {
  if (!points.length) return "";
  const corners = points.slice(1).map(([x, y]) => `H${near(x)}V${near(y)}`);
  return `M${near(points[0][0])} ${near(points[0][1])}${corners.join("")}H${near(end)}`;
}

/** The points that no other one beats, if both numbers should be large, ascending in the first number and descending in
 *  the second. */
export function corners(points) {
  const order = points.slice().sort(([a, b], [p, q]) => p - a || q - b);
  let best = -Infinity;
  const kept = order.filter(([, second]) => second > best && ((best = second), true));
  return kept.reverse();
}

/** A line through points, interrupted at missing ones. */
export function line(points) {
  let down = false;
  const parts = points.map(([x, y]) => {
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      down = false;
      return "";
    }
    const verb = down ? "L" : "M";
    down = true;
    return `${verb}${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  return parts.join("");
}

/** The area between two lines over the same positions. */
export function band(xs, low, high) {
  const there = xs.map((x, i) => [x, low[i], high[i]]).filter((point) => point.every(Number.isFinite));
  if (!there.length) return "";
  const back = there.slice().reverse();
  return `${line(there.map(([x, , y]) => [x, y]))}L${line(back.map(([x, y]) => [x, y])).slice(1)}Z`;
}

/** The best point, as in the figures of a report. */
export function star(x, y, r = 7, look = "") {
  const corners = Array.from({ length: 10 }, (_, i) => {
    const [angle, reach] = [(Math.PI * i) / 5 - Math.PI / 2, i % 2 ? 0.45 * r : r];
    return `${(x + reach * Math.cos(angle)).toFixed(1)} ${(y + reach * Math.sin(angle)).toFixed(1)}`;
  });
  return s("path", { class: `star ${look}`, d: `M${corners.join("L")}Z` });
}
