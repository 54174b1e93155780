// Thousands of marks as one path: a dot is a line of no length with a round cap, so the browser lays out one element.
// Marks that would lie within half a pixel of another one are left out, since nobody would see them.

import { s } from "./dom.js";

const FINE = 2; // places for each pixel: marks in the same one are drawn once
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
  plus: ([x, y], r) => `M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}`,
  up: ([x, y], r) => `M${x - r} ${y + r}l${r} ${-2 * r}l${r} ${2 * r}z`,
  down: ([x, y], r) => `M${x - r} ${y - r}l${r} ${2 * r}l${r} ${-2 * r}z`,
  tick: ([x, y], r) => `M${x} ${y - r}v${2 * r}`,
};

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

/** Of points of which both numbers are to be large, those that no other one beats, by the first number, ascending: the
 *  second descends. */
export function corners(points) {
  const order = points.slice().sort(([a, b], [p, q]) => p - a || q - b);
  let best = -Infinity;
  const kept = order.filter(([, second]) => second > best && ((best = second), true));
  return kept.reverse();
}

/** A line through points; it is interrupted where one is missing. */
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

/** The area between two lines over the same places. */
export function band(xs, low, high) {
  const there = xs.map((x, i) => [x, low[i], high[i]]).filter((point) => point.every(Number.isFinite));
  if (!there.length) return "";
  const back = there.slice().reverse();
  return `${line(there.map(([x, , y]) => [x, y]))}L${line(back.map(([x, y]) => [x, y])).slice(1)}Z`;
}

/** The best point, as in the figures of a report. */
export function star(x, y, r = 7) {
  const corners = Array.from({ length: 10 }, (_, i) => {
    const [angle, reach] = [(Math.PI * i) / 5 - Math.PI / 2, i % 2 ? 0.45 * r : r];
    return `${(x + reach * Math.cos(angle)).toFixed(1)} ${(y + reach * Math.sin(angle)).toFixed(1)}`;
  });
  return s("path", { class: "star", d: `M${corners.join("L")}Z` });
}
