// What was searched, and with which settings: a table of parameters and a list.

import { h, panel, plainTable } from "./dom.js";
import { number, visible } from "./format.js";

export function settings({ study }) {
  const [head, body] = plainTable("Parameters", ["Parameter", "Kind", "Range", "More"]);
  body.append(...study.parameters.map(row));
  const pairs = Object.entries(study.settings ?? {});
  const list = h(
    "dl",
    {},
    ...pairs.flatMap(([name, text]) => [h("dt", {}, visible(name)), h("dd", {}, visible(text, 2000))]),
  );
  const summary = h("summary", {}, "What was searched, and with which settings");
  const fold = h("details", {}, summary, study.parameters.length ? head : null, list);
  return { element: panel("Settings", { wide: "full" }, fold), charts: [], update() {} };
}

function row(parameter) {
  const { name, kind, log, step, when } = parameter;
  const more = [log ? "log" : "", step ? `step ${number(step)}` : "", when ? `when ${visible(when)}` : ""];
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, visible(name, 60)),
    h("td", {}, kind),
    h("td", { class: "text" }, range(parameter)),
    h("td", { class: "text" }, more.filter(Boolean).join(", ")),
  );
}

function range({ kind, low, high, options }) {
  if (options?.length) return options.map((option) => visible(option, 40)).join(", ");
  return Number.isFinite(low) ? `${number(low)} to ${number(high)}` : kind;
}
