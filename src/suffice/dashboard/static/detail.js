// One trial: its point, what came of it, and how its point was searched for. It shows the trial that was selected, or
// the best one as long as none is.

import { h, say, show } from "./dom.js";
import { duration, number, part, percent, visible } from "./format.js";
import { ask } from "./stream.js";
import { waited } from "./troubles.js";
import { ORIGINS } from "./trials.js";

export function detail(context) {
  const { id, trials, pick } = context;
  const heading = h("h2", { id: "trial-heading" });
  const badges = h("span", { class: "badges" });
  const steps = h("div", { class: "controls" },
    h("button", { type: "button", "aria-label": "Previous trial", title: "Previous trial", onclick: () => walk(-1) }, "‹"),
    h("button", { type: "button", "aria-label": "Next trial", title: "Next trial", onclick: () => walk(1) }, "›"));
  const close = h("button", { type: "button", class: "close", onclick: () => pick(null) }, "Show the best");
  const copy = h("button", { type: "button", onclick: copyPoint, hidden: !navigator.clipboard }, "Copy point");
  steps.append(copy, close);
  const body = h("div", { class: "detail-body" });
  const element = h("aside", { class: "detail", "aria-labelledby": "trial-heading" }, h("div", { class: "panel-head" }, heading, badges, steps), body);
  let [shown, whole] = [null, null]; // the trial drawn, and what the server said of it

  const current = () => context.selected() ?? (trials.best === null ? null : trials.number(trials.best));

  function walk(step) {
    const order = trials.order.map((row) => trials.number(row));
    const at = order.indexOf(current());
    const next = order[Math.max(0, Math.min(order.length - 1, at + step))];
    if (next !== undefined) pick(next);
  }

  async function copyPoint() {
    const row = trials.rows.get(current());
    if (row === undefined) return;
    await navigator.clipboard.writeText(JSON.stringify(Object.fromEntries(trials.point(row)), null, 2));
    say(copy, "Copied");
    setTimeout(() => say(copy, "Copy point"), 1500);
  }

  function refresh() {
    const trial = current();
    const row = trials.rows.get(trial);
    show(close, context.selected() !== null);
    element.classList.toggle("chosen", context.selected() !== null);
    if (row === undefined) {
      say(heading, "No trial yet");
      badges.replaceChildren();
      body.replaceChildren(h("p", { class: "empty" }, "The best trial is shown here, or the one that you select in a chart or the table."));
      shown = null;
      return;
    }
    const state = trials.at(row, "state");
    const key = `${trial} ${state} ${row === trials.best}`;
    if (key === shown) return;
    const another = shown === null || Number(shown.split(" ")[0]) !== trial;
    shown = key;
    if (another) whole = null;
    say(heading, `Trial ${trial}`);
    badges.replaceChildren(h("span", { class: `badge state-${state}` }, state), ...(row === trials.best ? [" ", h("span", { class: "badge best" }, "best")] : []));
    draw(row);
    fetchWhole(trial, key);
  }

  async function fetchWhole(trial, key) {
    try {
      const answer = await ask(`api/studies/${encodeURIComponent(id)}/trials/${trial}`);
      if (shown !== key) return;
      whole = answer;
    } catch (error) {
      if (shown !== key) return;
      whole = { trouble: error.message };
    }
    draw(trials.rows.get(trial));
  }

  function draw(row) {
    const top = element.scrollTop;
    body.replaceChildren(...facts(trials, row, whole), ...point(trials, row), ...searched(whole), ...trouble(whole));
    element.scrollTop = top;
  }

  return { element, charts: [], update: refresh, select: refresh, tick: () => { const row = trials.rows.get(current()); if (row !== undefined && trials.at(row, "state") === "pending") draw(row); } };
}

const list = (pairs) => h("dl", {}, ...pairs.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));

function facts(trials, row, whole) {
  const [state, value, seconds, reason, origin] = ["state", "value", "seconds", "reason", "origin"].map((name) => trials.at(row, name));
  const noise = whole?.noise_var ?? whole?.noise;
  const pairs = [
    value === null ? null : ["value", h("strong", {}, number(value, 10))],
    Number.isFinite(noise) ? ["noise", `± ${number(Math.sqrt(noise), 3)} (standard deviation told with the value)`] : null,
    state === "pending" ? ["pending for", waited(trials, row)] : null,
    seconds === null ? null : ["evaluation", duration(seconds)],
    ["origin", ORIGINS[origin] ?? origin ?? "unknown"],
    whole?.cause ? ["cause", visible(whole.cause)] : null,
    reason ? ["reason", visible(reason, 400)] : null,
  ];
  const parts = [list(pairs.filter(Boolean))];
  if (whole?.traceback) parts.push(h("details", {}, h("summary", {}, "Traceback"), h("pre", { tabindex: 0 }, whole.traceback)));
  return parts;
}

function point(trials, row) {
  const pairs = trials.point(row).map(([name, value]) => [visible(name, 60), part(value, 200)]);
  return pairs.length ? [h("h3", {}, "Point"), list(pairs)] : [];
}

/** The report of the search: labelled numbers, each with what it means. */
function searched(whole) {
  const report = whole?.solve;
  if (!report?.length) return [];
  const rows = report.map(({ label, value, text, meaning }) =>
    h("div", { class: "fact" }, h("div", { class: "fact-head" }, h("span", {}, label), h("strong", {}, text ?? shownValue(label, value))), meaning ? h("p", { class: "note" }, meaning) : null));
  return [h("h3", {}, "Search for this point"), h("p", { class: "note" }, "These numbers are about the search for the point to try, not about the distance from the optimum."), ...rows];
}

const shownValue = (label, value) => (typeof value === "number" ? (label.includes("relative gap") ? percent(value) : number(value, 4)) : part(value, 200));

const trouble = (whole) => (whole?.trouble ? [h("p", { class: "note" }, `More about this trial could not be fetched: ${whole.trouble}`)] : []);
