// One trial: its point, what came of it, and how its point was searched for. It shows the trial that was selected, or
// the best one as long as none is.

import { h, say, show } from "./dom.js";
import { counted, duration, number, part, percent, sentence, visible } from "./format.js";
import { about, ask } from "./stream.js";
import { waited } from "./troubles.js";
import { ORIGINS } from "./trials.js";

const COPIED = 1500; // milliseconds for which the button says so
const NONE = "The best trial is shown here, or the one that you select in a chart or the table.";
const SEARCH = "These numbers are about the search for the point to try, not about the distance from the optimum.";

const SHARES = new Set(["Relative gap", "Rank"]); // numbers that are shown in percent

export function detail(context) {
  const { id, trials, pick } = context;
  const button = (label, onclick, more = {}) => h("button", { type: "button", onclick, ...more }, label);
  const heading = h("h2", { id: "trial-heading" });
  const badges = h("span", { class: "badges" });
  const copy = button("Copy point", copyPoint, { hidden: !navigator.clipboard });
  const close = button("✕", () => pick(null), { "aria-label": "Close; show the best trial again" });
  const before = button("‹", () => walk(-1), { "aria-label": "Previous trial" });
  const after = button("›", () => walk(1), { "aria-label": "Next trial" });
  const controls = h("div", { class: "controls" }, before, after, copy, close);
  const head = h("div", { class: "panel-head" }, heading, badges, controls);
  const body = h("div", { class: "detail-body" });
  const element = h("aside", { class: "detail", "aria-labelledby": "trial-heading" }, head, body);
  let [shown, whole] = [null, null]; // the trial and state that are drawn, and what the server said of them

  const current = () => context.selected() ?? (trials.best === null ? null : trials.number(trials.best));

  function walk(step) {
    const order = trials.order.map((row) => trials.number(row));
    const next = order[Math.max(0, Math.min(order.length - 1, order.indexOf(current()) + step))];
    if (next !== undefined) pick(next);
  }

  async function copyPoint() {
    const row = trials.rows.get(current());
    if (row === undefined) return;
    await navigator.clipboard.writeText(JSON.stringify(Object.fromEntries(trials.point(row)), null, 2));
    say(copy, "Copied");
    setTimeout(() => say(copy, "Copy point"), COPIED);
  }

  function refresh() {
    const trial = current();
    const row = trials.rows.get(trial);
    show(close, context.selected() !== null);
    element.classList.toggle("chosen", context.selected() !== null);
    if (row === undefined) return drawNothing();
    const state = trials.at(row, "state");
    const key = `${trial} ${state} ${row === trials.best} ${trials.onFront.has(trial)}`;
    if (key === shown) return;
    if (shown === null || Number(shown.split(" ")[0]) !== trial) [whole, element.scrollTop] = [null, 0];
    shown = key;
    say(heading, `Trial ${trial}`);
    const marks = [h("span", { class: `badge state-${state}` }, state)];
    if (row === trials.best) marks.push(" ", h("span", { class: "badge best" }, trials.bestName));
    else if (trials.onFront.has(trial)) marks.push(" ", h("span", { class: "badge front" }, "on the front"));
    if (!trials.allowed(row)) marks.push(" ", h("span", { class: "badge infeasible" }, "infeasible"));
    badges.replaceChildren(...marks);
    draw(row);
    fetchWhole(trial, key);
  }

  function drawNothing() {
    shown = null;
    say(heading, "No trial yet");
    badges.replaceChildren();
    body.replaceChildren(h("p", { class: "empty" }, NONE));
  }

  async function fetchWhole(trial, key) {
    const answer = await ask(about(id, `/trials/${trial}`)).catch((error) => ({ trouble: error.message }));
    if (shown !== key) return; // another one was selected meanwhile
    whole = answer;
    draw(trials.rows.get(trial));
  }

  function draw(row) {
    const top = element.scrollTop;
    const sections = [facts(trials, row, whole), point(trials, row, whole), searched(whole), trouble(whole)];
    body.replaceChildren(...sections.flat());
    element.scrollTop = top;
  }

  /** The clock of a trial that is pending. */
  function tick() {
    const row = trials.rows.get(current());
    const clock = body.querySelector(".clock");
    if (clock && row !== undefined) say(clock, waited(trials, row));
  }

  return { element, charts: [], update: refresh, select: refresh, tick };
}

const list = (pairs) => h("dl", {}, ...pairs.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));

function facts(trials, row, whole) {
  const { state, seconds, reason, origin, cause } = trials.row(row);
  const [noise, expected, deviation] = [whole?.noise_var, whole?.predicted, whole?.predicted_sd];
  const plain = trials.outputs.length === 1;
  const pairs = [
    ...trials.outputs.flatMap((output, place) => told(output, trials.told[place][row] ?? null, whole, place)),
    Number.isFinite(noise) ? ["noise", `± ${number(Math.sqrt(noise), 3)}, its deviation as told`] : null,
    plain && Number.isFinite(expected) ? ["model expected", expectation(expected, deviation)] : null,
    state === "pending" ? ["pending for", h("span", { class: "clock" }, waited(trials, row))] : null,
    whole?.reports?.length ? ["last report", lastReport(whole.reports)] : null,
    seconds === null ? null : ["evaluation", duration(seconds)],
    ["origin", ORIGINS[origin] ?? origin ?? "unknown"],
    cause ? ["cause", visible(cause)] : null,
    reason ? ["reason", visible(reason, 400)] : null,
  ];
  const parts = [list(pairs.filter(Boolean))];
  if (whole?.traceback) {
    const text = h("pre", { tabindex: 0, "aria-label": "Traceback" }, whole.traceback);
    parts.push(h("details", {}, h("summary", {}, "Traceback"), text));
  }
  return parts;
}

/** An output: its value, its limit, and what the model expected of it where there are several. */
function told({ name, said }, value, whole, place) {
  if (value === null) return [];
  const limit = said === null ? "" : `, wanted ${said}`;
  const [mean, deviation] = whole?.expected?.[place] ?? [null, null];
  const expected = Number.isFinite(mean) ? [[`expected of ${visible(name, 40)}`, expectation(mean, deviation)]] : [];
  return [[visible(name, 60), [h("strong", {}, number(value, 12)), limit]], ...expected];
}

/** How far the evaluation had come, and what it had come to. */
function lastReport(reports) {
  const [step, value] = reports[reports.length - 1];
  return `${value === null ? "no number" : number(value, 6)} at step ${step}, the last of ${counted(reports.length, "report")}`;
}

/** The value that the model expected when it chose the point, as precise as its deviation allows. */
function expectation(mean, deviation) {
  if (!(deviation > 0)) return number(mean, 4);
  const decimals = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(deviation))));
  return `${mean.toFixed(decimals).replace("-", "−")} ± ${deviation.toFixed(decimals)}`;
}

/** The point in full, as the file has it, or as the charts have it until the server has answered. */
function point(trials, row, whole) {
  const known = whole?.point ? Object.entries(whole.point) : trials.point(row);
  const fixed = new Set(Object.keys(whole?.fixed ?? {}));
  const said = (name, value) => part(value, 2000) + (fixed.has(name) ? " (fixed)" : "");
  const pairs = known.map(([name, value]) => [visible(name, 60), said(name, value)]);
  return pairs.length ? [h("h3", {}, "Point"), list(pairs)] : [];
}

/** The report of the search: labelled numbers, each with what it means. */
function searched(whole) {
  const report = whole?.solve;
  if (!report?.length) return [];
  const rows = report.map(({ label, value, meaning }) => {
    const said = typeof value !== "number" ? part(value, 200) : SHARES.has(label) ? percent(value) : number(value, 4);
    const head = h("div", { class: "fact-head" }, h("span", {}, label), h("strong", {}, said));
    return h("div", { class: "fact" }, head, meaning ? h("p", { class: "note" }, meaning) : null);
  });
  return [h("h3", {}, "Search for this point"), h("p", { class: "note" }, SEARCH), ...rows];
}

function trouble(whole) {
  const notes = (whole?.notes ?? []).map((note) => h("p", { class: "note" }, sentence(note)));
  const problem = whole?.trouble ?? whole?.problem;
  return problem ? [...notes, h("p", { class: "note" }, `More is not known of this trial: ${problem}`)] : notes;
}
