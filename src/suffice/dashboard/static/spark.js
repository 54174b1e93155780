// The best so far of a study as a small line in the list.

import { s } from "./dom.js";
import { number, visible } from "./format.js";
import { steps } from "./marks.js";

const [WIDTH, HEIGHT, ROOM] = [120, 28, 4]; // pixels
const SHARE = 0.9; // of the values, from the best, that decide the range: the first one may be far away

export function spark({ spark: values, sense, name, front }) {
  const known = (values ?? []).filter(Number.isFinite);
  const size = { width: WIDTH, height: HEIGHT };
  if (known.length < 2) return s("svg", { ...size, "aria-hidden": "true" });
  const [first, last] = [known[0], known[known.length - 1]]; // the last one is the best
  const [low, high] = range(known, last, sense === "maximize" || front !== null);
  const place = (value) => {
    const share = (Math.min(high, Math.max(low, value)) / 2 - low / 2) / (high / 2 - low / 2 || 1); // as in scale.js
    return HEIGHT - ROOM - share * (HEIGHT - 2 * ROOM);
  };
  const points = known.map((value, i) => [2 + (i * (WIDTH - 4)) / (known.length - 1), place(value)]);
  const what = front === null ? "Best" : "Hypervolume";
  const label = `${what} so far of ${visible(name, 40)}: from ${number(first, 4)} to ${number(last, 4)}`;
  const path = s("path", { class: "line blue", d: steps(points, WIDTH - 2) });
  return s("svg", { ...size, role: "img" }, s("title", {}, label), path);
}

function range(values, best, larger) {
  const sorted = values.slice().sort((p, q) => p - q);
  const edge = sorted[Math.floor((sorted.length - 1) * (larger ? 1 - SHARE : SHARE))];
  const other = edge === best ? sorted[larger ? 0 : sorted.length - 1] : edge;
  return [Math.min(other, best), Math.max(other, best)];
}
