// The timeline: a bar for each trial from the ask, or from its start on a worker, to its end. Bars of one worker share
// a line. Without workers in the file, there are as many lines as parallel trials.

import { Chart, legend, linear } from "./chart.js";
import { h, panel, s, say, show } from "./dom.js";
import { are, clamp, counted, duration, visible } from "./format.js";
import { STATES } from "./trials.js";

const [HEIGHT, GAP] = [13, 4]; // pixels of a bar, and between lines
const LINES = 30; // lines to show; of more, those that began last
const ORDER = "The file has no times, so the axis shows the order of events.";

export function timeline(context) {
  const { trials, study } = context;
  const note = h("p", { class: "note" });
  const words = h("div");
  let placed = { bars: [], lanes: [] };
  const chart = new Chart({
    label: "When each trial ran.",
    height: 80,
    margins: { left: 12, top: 6 },
    pick: context.pick,
    tell: context.tell,
    paint: (drawing) => paintTimeline(drawing, context, placed, study.timed),
  });
  const element = panel("Timeline", { wide: "full" }, words, chart.element, note);
  return {
    element,
    charts: [chart],
    update() {
      placed = lanesOf(trials, study.timed && context.summary().state === "running");
      show(element, placed.bars.length > 1);
      const named = placed.lanes.filter((name) => name !== null);
      const left = `${counted(placed.left, "line")} of earlier trials ${are(placed.left)} left out.`;
      say(note, [study.timed ? "" : ORDER, placed.left ? left : ""].join(" ").trim());
      const states = STATES.filter((state) => trials.of[state].length);
      words.replaceChildren(legend(states.map((state) => ["run", `state-${state}`, state])));
      chart.margins.left = named.length ? 96 : 12;
      chart.element.style.minHeight = `${placed.lanes.length * (HEIGHT + GAP) + 48}px`;
      chart.change();
    },
  };
}

/** Each bar as {row, from, to, lane}, and the names of the lanes, null if a lane is no worker. A pending trial ends now
 *  if the study is running. */
function lanesOf(trials, running) {
  const known = trials.order.filter((row) => Number.isFinite(trials.at(row, "begun")));
  const last = Math.max(...known.map((row) => Math.max(trials.at(row, "begun"), trials.at(row, "ended") ?? 0)));
  const now = running && trials.pending.length ? Math.max(last, Date.now() / 1000) : last;
  const [names, free, bars] = [[], [], []];
  const begun = (row) => trials.at(row, "begun");
  for (const row of known.sort((p, q) => begun(p) - begun(q))) {
    const from = begun(row);
    const pending = trials.at(row, "state") === "pending";
    const to = pending ? now : Math.max(from, trials.at(row, "ended") ?? from);
    const worker = trials.at(row, "worker");
    const idle = (until, i) => names[i] === null && until <= from;
    let lane = worker === null ? free.findIndex(idle) : names.indexOf(worker);
    if (lane < 0) lane = names.push(worker) - 1;
    free[lane] = to;
    bars.push({ row, from, to, lane });
  }
  const left = Math.max(0, names.length - LINES);
  const start = bars.length ? bars[0].from : 0;
  const shown = bars.filter(({ lane }) => lane >= left);
  return { bars: shown.map((bar) => ({ ...bar, lane: bar.lane - left })), lanes: names.slice(left), left, start, now };
}

function paintTimeline(drawing, { trials, view }, { bars, lanes, start, now }, timed) {
  const span = Math.max(now - start, timed ? 1e-3 : 1);
  const plain = linear(0, span, drawing.left, drawing.right, { whole: !timed });
  const ticks = (about) => plain.ticks(about).map(({ at, text }) => ({ at, text: timed ? duration(at) : text }));
  const top = (lane) => drawing.top + lane * (HEIGHT + GAP);
  const paths = new Map();
  for (const { row, from, to, lane } of bars) {
    const [x, end] = [plain.place(from - start), plain.place(to - start)];
    const width = Math.max(1, end - x - 0.6);
    const pale = view.kept !== null && !view.kept.has(row) ? " faded" : "";
    const look = `run state-${trials.at(row, "state")}${pale}`;
    const bar = `M${x.toFixed(1)} ${top(lane)}h${width.toFixed(1)}v${HEIGHT}h${(-width).toFixed(1)}z`;
    paths.set(look, (paths.get(look) ?? "") + bar);
    drawing.spot(clamp((x + end) / 2, drawing.left, drawing.right), top(lane) + HEIGHT / 2, trials.number(row));
  }
  for (const [look, d] of paths) drawing.add(s("path", { class: look, d }));
  const group = s("g", { class: "axes" });
  lanes.forEach((name, lane) => {
    const place = { x: drawing.left - 6, y: top(lane) + HEIGHT - 3, "text-anchor": "end" };
    if (name !== null) group.append(s("text", place, visible(name, 14), s("title", {}, name)));
  });
  drawing.add(group);
  const lines = { place: (value) => value, ticks: () => [] };
  drawing.axes({ ...plain, ticks }, lines, { xLabel: timed ? "time since the first trial" : "events" });
}
