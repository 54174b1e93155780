// How a quantity lies along an axis, in pixels: plain, logarithmic, or options side by side; and what part of the
// values an axis shows.

import { number, visible } from "./format.js";

const MOST = 0.85; // of the values, from the best: they decide what is shown where the rest is far away
const FAR = 3; // times the range of these: what is beyond is drawn at the edge
// What is added for each evaluation, modulo 1, beside an option: multiples lie evenly, so equal ones are seen apart.
const EVEN = 0.7548776662466927;

const nice = (rough) => {
  const power = 10 ** Math.floor(Math.log10(rough));
  const share = rough / power;
  return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
};

/** A plain axis; low and high lie at the pixels `from` and `to`. */
export function linear(low, high, from, to, { whole = false } = {}) {
  const width = high / 2 - low / 2 || 1; // halves: the largest of floats have a finite range
  const ticks = (about) => {
    let [step, found] = [Math.max(nice(width / (Math.max(about, 1) / 2)), whole ? 1 : 0), []];
    const fill = () => {
      const [from, to] = [Math.ceil(low / step), Math.min(Math.floor(high / step + 1e-9), Math.ceil(low / step) + 50)];
      found = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => (from + i) * step);
    };
    fill();
    if (found.length < 2 && !(whole && step <= 1)) { // an axis with one number says nothing about distances
      step = nice(step / 4);
      fill();
    }
    const digits = Math.max(1, Math.ceil(Math.log10(Math.max(...found.map(Math.abs), step) / step)) + 1);
    return found.map((at) => ({ at, text: number(Math.abs(at) < step * 1e-6 ? 0 : at, Math.min(digits, 12)) }));
  };
  return { place: (value) => from + ((value / 2 - low / 2) / width) * (to - from), ticks, low, high, log: false };
}

/** A logarithmic axis, of positive ends. */
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

/** Options side by side; `place` takes an option's text, and the trial's number to set equal ones apart. */
export function options(names, from, to) {
  const width = (to - from) / Math.max(names.length, 1);
  const index = new Map(names.map((name, i) => [name, i]));
  const place = (name, trial = null) => {
    const i = index.get(String(name));
    if (i === undefined) return NaN;
    return from + width * (i + 0.5 + (trial === null ? 0 : 0.6 * (((trial * EVEN) % 1) - 0.5)));
  };
  const ticks = () => {
    const letters = Math.max(3, Math.floor(Math.abs(width) / 6.2));
    const every = Math.ceil(26 / Math.abs(width)); // pixels that a label of a few letters needs
    return names.flatMap((name, i) => (i % every ? [] : [{ at: name, text: visible(name, letters), full: name }]));
  };
  return { place, ticks, separate: true, width, log: false };
}

/** The scale of a parameter: its own range, logarithmic as it is searched. */
export function ofParameter(parameter, from, to) {
  if (parameter.options?.length) return options(parameter.options, from, to);
  const { low, high } = parameter;
  if (!(high > low)) return linear(low - 1, low + 1, from, to);
  const room = 0.03; // of the axis, beyond its ends: half of a marker
  if (parameter.log && low > 0) return log(...wider(low, high, room, room, true), from, to);
  return linear(...wider(low, high, room, room), from, to, { whole: parameter.kind === "int" });
}

/** Ends that are some shares of the range farther apart, and still floats: an axis without an end has no last tick. */
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

/** What of the values is shown: all, or the best MOST of them where the rest would leave these no room; as in the
 *  figures of a report (suffice.figures.limits). */
export function limits(values, { larger, logarithmic = false, all = false }) {
  const seen = values.filter((value) => Number.isFinite(value) && !(logarithmic && value <= 0)).sort((p, q) => p - q);
  if (!seen.length) return { low: logarithmic ? 1 : 0, high: logarithmic ? 10 : 1, cut: 0 };
  const at = logarithmic ? Math.log : (value) => value;
  const best = larger ? seen[seen.length - 1] : seen[0];
  const worst = larger ? seen[0] : seen[seen.length - 1];
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

/** Of sorted values, between two of them in proportion. */
function quantile(sorted, share) {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  return below * (1 - (place % 1)) + sorted[Math.ceil(place)] * (place % 1);
}

/** The vertical axis of these limits, with room at the bottom for marks of failures. */
export function vertical({ low, high }, { height, top, logarithmic = false, below = 0.06 }) {
  return (logarithmic ? log : linear)(...wider(low, high, below, 0.06, logarithmic), height, top);
}

/** A plain axis of these limits, with room for a marker at both ends. */
export function plainAxis({ low, high }, from, to) {
  const [first, last] = low < high ? [low, high] : [low - (Math.abs(low) || 1) / 10, high + (Math.abs(low) || 1) / 10];
  return linear(...wider(first, last, 0.05, 0.05), from, to);
}

/** Whether a logarithmic axis is of use: all values are positive, and they span more than a decade. */
export function suitsLog(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return low > 0 && high > 10 * low;
}
