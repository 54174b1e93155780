// One chart: it draws itself at the width it gets and only while it is on screen, finds the mark under the pointer,
// and is walked through with the arrow keys. What it shows is the matter of `paint`, which fills in a drawing.

import { h, s, once } from "./dom.js";
import { marks, star } from "./marks.js";

const REACH = 24; // pixels from the pointer: marks farther away are not meant

const onScreen = new IntersectionObserver(
  (entries) => entries.forEach(({ target, isIntersecting }) => target.chart.appear(isIntersecting)),
  { rootMargin: "200px" },
);
const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => target.chart.change()));

/** What `paint` fills in: the plot's box, layers of elements, and the places of trials for the pointer. */
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

  /** Where a trial is drawn, so that it can be found and highlighted. */
  spot(x, y, trial) {
    if (Number.isFinite(x) && Number.isFinite(y)) this.spots.push([x, y, trial]);
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

/** chart({label, height, paint, pick, tell}).element goes into a page; `change()` draws it again. */
export class Chart {
  constructor({ label, height = 240, margins = {}, paint, pick = null, tell = () => "" }) {
    Object.assign(this, { paint, pick, tell, seen: false, stale: true, spots: [], selected: null, pointed: null });
    this.margins = { left: 58, right: 14, top: 20, bottom: 36, ...margins };
    this.title = s("title", {}, label);
    this.content = s("g");
    this.ring = s("circle", { class: "selected", r: 7, visibility: "hidden" });
    this.hover = s("circle", { class: "hover", r: 7, visibility: "hidden" });
    this.svg = s("svg", { role: "img" }, this.title, this.content, this.ring, this.hover);
    this.tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    this.element = h("div", { class: "chart" }, this.svg, this.tip);
    this.element.style.minHeight = `${height}px`; // and more where the panel beside it is higher
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
    Object.entries({ tabindex: 0, role: "group", "aria-label": `${label} Arrow keys go from trial to trial.` }).forEach(
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
    for (const [name, size] of Object.entries({ width, height })) this.svg.setAttribute(name, size);
    this.paint(drawing);
    this.content.replaceChildren(...drawing.layers);
    this.spots = drawing.spots;
    this.#point(this.#spot(this.pointed)); // news do not take the tip away from under the pointer
    this.select(this.selected);
  }

  /** Highlight this trial, if it is drawn here. */
  select(trial) {
    this.selected = trial;
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
    const next = at < 0 ? (step > 0 ? 0 : order.length - 1) : Math.max(0, Math.min(order.length - 1, at + step));
    this.pick(order[next]);
  }

  /** Forget it: nothing else holds a chart that left the page. */
  close() {
    onScreen.unobserve(this.element);
    resized.unobserve(this.element);
  }
}

/** Entries of a legend: [[shape, look, text], …] with the same marks as in the chart. */
export function legend(entries) {
  return h(
    "ul",
    { class: "legend" },
    ...entries.map(([shape, look, text]) => {
      const icon = s("svg", { width: 18, height: 12, "aria-hidden": "true" });
      if (shape === "line") icon.append(s("path", { class: `line ${look}`, d: "M0 6H18" }));
      else icon.append(shape === "star" ? star(9, 6, 6) : marks([[9, 6]], shape, look, 3));
      return h("li", {}, icon, text);
    }),
  );
}
