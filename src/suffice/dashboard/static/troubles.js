// What failed, grouped by reason, and what is still being evaluated.

import { h, panel, plainTable, say, show } from "./dom.js";
import { count, counted, duration, part, visible } from "./format.js";

const FEW = 8; // trials of a reason that have a button each; the table has all of them
const SHOWN = 50; // pending trials in the list
const PARTS = 3; // of a point that are shown beside a pending trial

const numberButton = (number, pick) =>
  h("button", { class: "number", "aria-label": `Trial ${number}`, onclick: () => pick(number) }, String(number));

export function failures({ trials, pick }) {
  const sentence = h("p", { class: "sentence" });
  const [table, body] = plainTable("Failures by reason", ["Reason", "Count", "Latest trials"]);
  const line = ([reason, numbers]) => {
    const latest = numbers.slice(-FEW).reverse();
    const buttons = latest.map((number) => numberButton(number, pick));
    return h(
      "tr",
      {},
      h("td", { class: "text" }, visible(reason, 300)),
      h("td", { class: "number" }, count(numbers.length)),
      h("td", { class: "buttons" }, ...buttons, numbers.length > FEW ? "…" : null),
    );
  };
  return {
    element: panel("Failures", { wide: "half" }, sentence, table),
    charts: [],
    update() {
      const failed = trials.failed.length;
      show(table, failed > 0);
      const all = count(failed + trials.evaluated.length);
      say(sentence, failed ? `${counted(failed, "trial")} of ${all} failed.` : "Nothing has failed.");
      const groups = [...grouped(trials)].sort(([, p], [, q]) => q.length - p.length);
      body.replaceChildren(...groups.map(line));
    },
  };
}

/** Failed trials by their reason. */
function grouped(trials) {
  const groups = new Map();
  for (const row of trials.failed) {
    const reason = trials.at(row, "reason") || "no reason given";
    if (!groups.has(reason)) groups.set(reason, []);
    groups.get(reason).push(trials.number(row));
  }
  return groups;
}

export function pending({ trials, pick }) {
  const sentence = h("p", { class: "sentence" });
  const [table, body] = plainTable("Pending trials", ["Trial", "For", "Point"]);
  const clocks = new Map(); // row → the cell that counts
  const tick = () => clocks.forEach((cell, row) => say(cell, waited(trials, row)));
  const line = (row) => {
    const clock = h("td");
    clocks.set(row, clock);
    const button = h("td", {}, numberButton(trials.number(row), pick));
    return h("tr", {}, button, clock, h("td", { class: "text" }, inShort(trials.point(row))));
  };
  return {
    element: panel("Pending", { wide: "half" }, sentence, table),
    charts: [],
    tick,
    update() {
      const rows = trials.pending;
      show(table, rows.length > 0);
      const words = `${counted(rows.length, "trial")} ${rows.length === 1 ? "is" : "are"} asked for and not yet told.`;
      say(sentence, rows.length ? words : "No trial is being waited for.");
      clocks.clear();
      body.replaceChildren(...rows.slice(0, SHOWN).map(line));
      tick();
    },
  };
}

const inShort = (point) => {
  const parts = point.slice(0, PARTS).map(([name, value]) => `${visible(name, 20)} = ${part(value, 20)}`);
  return parts.join(", ") + (point.length > PARTS ? ", …" : "");
};

/** "more than 3 min" where it was pending already when the page was opened. */
export function waited(trials, row) {
  const [seconds, longer] = trials.waiting(row);
  if (seconds === null) return "unknown";
  return (longer ? "more than " : "") + duration(Math.max(1, Math.round(seconds)));
}
