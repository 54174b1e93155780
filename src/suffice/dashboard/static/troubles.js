// What failed, grouped by reason, and what is still being evaluated.

import { h, panel, say, show } from "./dom.js";
import { count, counted, duration, part, visible } from "./format.js";

const FEW = 8; // trials of a reason that have a button each; the table has all of them
const SHOWN = 50; // pending trials in the list
const MODEL = 3; // parts of a point that are shown beside a pending trial

const numberButton = (number, pick) =>
  h("button", { type: "button", class: "number", "data-trial": number, onclick: () => pick(number) }, String(number));

export function failures(context) {
  const { trials, pick } = context;
  const sentence = h("p", { class: "sentence" });
  const body = h("tbody");
  const table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Failures by reason" },
    h("table", {}, h("thead", {}, h("tr", {}, ...["Reason", "Count", "Latest trials"].map((name) => h("th", { scope: "col" }, name)))), body));
  return {
    element: panel("Failures", { wide: "half" }, sentence, table),
    charts: [],
    update() {
      const { failed } = trials;
      const ended = failed.length + trials.done.length;
      show(table, failed.length > 0);
      say(sentence, failed.length ? `${counted(failed.length, "trial")} of ${count(ended)} failed.` : "Nothing has failed.");
      const groups = new Map();
      for (const row of failed) {
        const reason = trials.at(row, "reason") ?? "no reason given";
        groups.set(reason, [...(groups.get(reason) ?? []), trials.number(row)]);
      }
      const largest = [...groups].sort(([, p], [, q]) => q.length - p.length);
      body.replaceChildren(...largest.map(([reason, numbers]) =>
        h("tr", {},
          h("td", { class: "text" }, visible(reason, 300)),
          h("td", { class: "number" }, count(numbers.length)),
          h("td", { class: "buttons" }, ...numbers.slice(-FEW).reverse().map((number) => numberButton(number, pick)), numbers.length > FEW ? "…" : null))));
    },
  };
}

export function pending(context) {
  const { trials, pick } = context;
  const sentence = h("p", { class: "sentence" });
  const body = h("tbody");
  const table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Pending trials" },
    h("table", {}, h("thead", {}, h("tr", {}, ...["Trial", "For", "Point"].map((name) => h("th", { scope: "col" }, name)))), body));
  const clocks = new Map(); // row → the cell that counts
  const tick = () => clocks.forEach((cell, row) => say(cell, waited(trials, row)));
  return {
    element: panel("Pending", { wide: "half" }, sentence, table),
    charts: [],
    tick,
    update() {
      const rows = trials.pending;
      show(table, rows.length > 0);
      say(sentence, rows.length ? `${counted(rows.length, "trial")} ${rows.length === 1 ? "is" : "are"} asked for and not yet told.` : "No trial is being waited for.");
      clocks.clear();
      body.replaceChildren(...rows.slice(0, SHOWN).map((row) => {
        const clock = h("td", {});
        clocks.set(row, clock);
        const point = trials.point(row);
        const text = point.slice(0, MODEL).map(([name, value]) => `${visible(name, 20)} = ${part(value, 20)}`).join(", ");
        return h("tr", {}, h("td", {}, numberButton(trials.number(row), pick)), clock, h("td", { class: "text" }, text + (point.length > MODEL ? ", …" : "")));
      }));
      tick();
    },
  };
}

/** "more than 3 min" where it was pending already when the page was opened. */
export function waited(trials, row) {
  const [seconds, longer] = trials.waiting(row);
  if (seconds === null) return "unknown";
  return (longer ? "more than " : "") + duration(Math.max(1, Math.round(seconds)));
}
