// Each parameter as small multiples: against the objective, where later trials are darker, so one sees where the search
// went; and what the model predicts along it through the best point.

import { band, Chart, legend, limits, line, marks, ofParameter } from "./chart.js";
import { otherEntries, radius, star, vertical } from "./chart.js";
import { choice, h, panel, s, say, show } from "./dom.js";
import { clamp, counted, part, sentence, visible } from "./format.js";
import { outputAxis } from "./progress.js";
import { about, ask } from "./stream.js";

const SHADES = 4; // from the first quarter of the trials to the last one
const FEW = 12; // charts that are shown at first: more parameters than that are asked for
const OPTIONS = 20; // texts of which each has a place on an axis

/** The parameters that have an axis: a range of numbers, or options. Where nothing is known of one beforehand, as of
 *  the points of a pool, its values so far say which. */
function withAxis(trials) {
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
  const body = shown.length ? [words, grid, shown.length > FEW ? more : null] : [none];
  return {
    element: panel(title, { wide: "full", controls }, ...body),
    charts: charts.map(({ chart }) => chart),
    update() {
      words.replaceChildren(legend(shadeEntries(trials)));
      charts.forEach(({ chart, absent, parameter }) => {
        const missing = trials.evaluated.filter((row) => trials.param(row, parameter.name) === null).length;
        show(absent, missing > 0);
        absent.textContent = `inactive in ${counted(missing, "trial")}`;
        chart.change();
      });
    },
  };
}

const shadeEntries = (trials) => [
  ["dot", "blue shade-1", "early"],
  ["dot", "blue shade-4", "late"],
  ...otherEntries(trials, false),
  ["star", "strong", trials.bestName],
];

/** The small chart of a parameter with its name, and words beside the name. */
function multiple(parameter, aside, more) {
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
  const failing = trials.failed.length > 0;
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
  if (trials.best !== null) {
    const [bx, by] = [across(trials.best), place(trials.value(trials.best, output) ?? NaN)];
    if (Number.isFinite(bx) && Number.isFinite(by)) drawing.add(star(bx, by));
  }
  drawing.axes(x, y, { xTicks: 4, yTicks: 3 });
}

// ------------------------------------------------------------------ slices

// What the model says along each parameter through the best point: its median, and a band that holds 95 %. The server
// fits the model on demand, so this asks only while somebody looks, and not again before the study has changed.

const AGAIN = 1500; // milliseconds before asking again for slices that are being computed
const CALM = 5000; // and before asking for newer ones, since a fit takes the server seconds
const SINGLE = 16; // whole numbers: each has a mark of its own, and nothing is drawn between them
const explained = (several) =>
  `The other parameters are those of ${several ? "the knee of the front" : "the best point"}. The line is the ` +
  `model's median of the ${several ? "objective that is chosen above" : "objective"}, the band holds ` +
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
    if (charts.map(({ parameter }) => parameter.name).join("\n") !== drawn.map(({ name }) => name).join("\n")) {
      charts.splice(0).forEach(({ chart }) => chart.close());
      for (const { name } of drawn) charts.push(sliceChart(named.get(name), () => found, trials.bestName));
      grid.replaceChildren(...charts.map(({ cell }) => cell));
    }
    charts.forEach(({ chart }) => chart.change());
  }

  return {
    element,
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

function sliceChart(parameter, found, called) {
  const at = h("span", { class: "aside" });
  return multiple(parameter, at, {
    label: `The model's median and band along ${visible(parameter.name)}.`,
    height: 150,
    paint(drawing) {
      const best = found().at?.[parameter.name] ?? null;
      at.textContent = best === null ? `not in the ${called} point` : `${called}: ${part(best, 24)}`;
      paintSlice(drawing, parameter, found());
    },
  });
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

function paintSlice(drawing, parameter, found) {
  const slice = found.slices.find(({ name }) => name === parameter.name);
  const x = ofParameter(parameter, drawing.left, drawing.right);
  const range = rangeOf(found.slices);
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
  const best = found.at?.[parameter.name];
  if (best !== null && best !== undefined) {
    const at = x.place(best);
    const nearest = xs.reduce((least, place, i) => (Math.abs(place - at) < Math.abs(xs[least] - at) ? i : least), 0);
    if (!x.separate) drawing.add(s("path", { class: "rule", d: `M${at} ${drawing.top}V${drawing.bottom}` }));
    if (Number.isFinite(at + middle[nearest])) drawing.add(star(at, middle[nearest], 6));
  }
  drawing.axes(x, y, { xTicks: 4, yTicks: 3 });
}
