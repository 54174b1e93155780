// What the model says along each parameter through the best point: its median, and a band that holds 95 %. The server
// fits the model on demand, so this asks only while somebody looks, and not again before the study has changed.

import { Chart } from "./chart.js";
import { h, panel, s, say, show } from "./dom.js";
import { part, sentence, visible } from "./format.js";
import { about, ask } from "./stream.js";
import { band, line, marks, star } from "./marks.js";
import { withAxis } from "./parameters.js";
import { limits, ofParameter, vertical } from "./scale.js";

const AGAIN = 1500; // milliseconds before asking again for slices that are being computed
const CALM = 5000; // and before asking for newer ones, since a fit takes the server seconds
const FEW = 16; // whole numbers: each has a mark of its own, and nothing is drawn between them
const explained = (several) =>
  `The other parameters are those of ${several ? "the knee of the front" : "the best point"}. The line is the model's ` +
  `median of the ${several ? "objective that is chosen above" : "objective"}, the band holds ` +
  "95 % of what the model believes; it is a belief, and can be wrong where little was evaluated.";

export function slices(context) {
  const { id, trials } = context;
  const state = h("p", { class: "empty", role: "status" });
  const grid = h("div", { class: "multiples" });
  const charts = [];
  const through = trials.several ? "the knee" : "the best point";
  const note = explained(trials.several);
  const element = panel(`Model slices through ${through}`, { wide: "full", note }, state, grid);
  let [answer, found, near, timer, asking, closed] = [null, null, false, null, false, false];

  /** The slices of the output that is looked at, or of the first one that has some. */
  function chosen() {
    const all = answer.slices ?? [];
    const own = all.filter(({ output }) => output === trials.output);
    return { ...answer, slices: own.length ? own : all.filter(({ output }) => output === 0) };
  }

  const watcher = new IntersectionObserver(([entry]) => {
    near = entry.isIntersecting;
    if (near) wanted(0);
  }, { rootMargin: "300px" });
  watcher.observe(element);

  function wanted(delay) {
    if (closed || asking || !near) return;
    clearTimeout(timer);
    timer = setTimeout(fetchThem, delay);
  }

  async function fetchThem() {
    if (!trials.done.length) return tell("No trial is done yet, so the model knows nothing.");
    if (found && !found.wait && found.revision === context.revision()) return;
    asking = true;
    try {
      answer = await ask(about(id, "/slices"));
      if (closed) return;
      found = chosen();
      if (found.slices?.length) draw();
      const none = found.wait ? "The model is being fitted …" : "The model has no slices of this study.";
      tell(found.problem ? sentence(found.problem) : found.slices?.length ? (found.note ?? "") : none);
    } catch (error) {
      tell(`There are no slices: ${sentence(error.message)}`);
    } finally {
      asking = false;
      if (found?.wait) wanted(found.slices?.length ? CALM : AGAIN);
    }
  }

  function tell(text) {
    show(state, text !== "");
    say(state, text);
  }

  function draw() {
    const named = new Map(withAxis(trials).map((parameter) => [parameter.name, parameter]));
    const drawn = found.slices.filter(({ name }) => named.has(name));
    if (charts.map(({ name }) => name).join("\n") !== drawn.map(({ name }) => name).join("\n")) {
      charts.splice(0).forEach(({ chart }) => chart.close());
      for (const { name } of drawn) charts.push(one(named.get(name), () => found, trials.bestName));
      grid.replaceChildren(...charts.map(({ cell }) => cell));
    }
    charts.forEach(({ chart }) => chart.change());
  }

  return {
    element,
    charts: [],
    update() {
      if (answer?.slices?.length && trials.several) {
        found = chosen();
        draw();
      }
      wanted(found ? CALM : 0);
    },
    close() {
      closed = true;
      clearTimeout(timer);
      watcher.disconnect();
      charts.forEach(({ chart }) => chart.close());
    },
  };
}

function one(parameter, found, called) {
  const chart = new Chart({
    label: `The model's median and band along ${visible(parameter.name)}.`,
    height: 150,
    margins: { left: 50, top: 8, right: 8, bottom: 24 },
    paint: (drawing) => paint(drawing, parameter, found()),
  });
  const at = h("span", { class: "aside" });
  const title = h("h3", { title: parameter.name }, visible(parameter.name, 40), " ", at);
  const draw = chart.paint;
  chart.paint = (drawing) => {
    const best = found().at?.[parameter.name] ?? null;
    at.textContent = best === null ? `not in the ${called} point` : `${called}: ${part(best, 24)}`;
    draw(drawing);
  };
  return { name: parameter.name, chart, cell: h("div", { class: "multiple" }, title, chart.element) };
}

/** One axis for all of them, so that one sees which parameter matters. A band may be far wider than the medians differ:
 *  it is shown up to their range beyond them. */
function rangeOf(slices) {
  const ends = (pick) => limits(slices.flatMap(pick).filter((value) => value !== null), { larger: false, all: true });
  const medians = ends(({ median }) => median);
  const all = ends(({ low, high }) => [...low, ...high]);
  const room = medians.high - medians.low;
  return { low: Math.max(all.low, medians.low - room), high: Math.min(all.high, medians.high + room) };
}

function paint(drawing, parameter, found) {
  const slice = found.slices.find(({ name }) => name === parameter.name);
  const x = ofParameter(parameter, drawing.left, drawing.right);
  const range = rangeOf(found.slices);
  const y = vertical(range, { height: drawing.bottom, top: drawing.top });
  const place = (value) => (value === null ? NaN : y.place(Math.max(range.low, Math.min(range.high, value))));
  const xs = slice.x.map((value) => x.place(value));
  const [low, middle, high] = [slice.low, slice.median, slice.high].map((values) => values.map(place));
  if (x.separate || (parameter.kind === "int" && xs.length <= FEW)) {
    const known = xs.flatMap((at, i) => (Number.isFinite(at + low[i] + high[i]) ? [[at, low[i], high[i]]] : []));
    known.forEach(([at, from, to]) => drawing.add(s("path", { class: "whisker", d: `M${at} ${from}V${to}` })));
    drawing.add(marks(xs.map((at, i) => [at, middle[i]]), "dot", "blue", 3.5));
  } else {
    drawing.add(s("path", { class: "band", d: band(xs, low, high) }));
    drawing.add(s("path", { class: "line blue", d: line(xs.map((at, i) => [at, middle[i]])) }));
  }
  const best = found.at?.[parameter.name];
  if (best !== null && best !== undefined) {
    const at = x.place(best);
    const nearest = xs.reduce((least, place, i) => (Math.abs(place - at) < Math.abs(xs[least] - at) ? i : least), 0);
    if (!x.separate) drawing.add(s("path", { class: "rule", d: `M${at} ${drawing.top}V${drawing.bottom}` }));
    if (Number.isFinite(at + middle[nearest])) drawing.add(star(at, middle[nearest], 6));
  }
  drawing.axes(x, y, { xTicks: 4, yTicks: 3 });
}
