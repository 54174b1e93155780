// What the search field of the trials means: words that a row must contain, or comparisons such as value<0.3.

import { visible } from "./format.js";

const NAMES = { trial: "number", number: "number", value: "value", seconds: "seconds", gap: "gap", state: "state", origin: "origin" };
const COMPARE = /^(.+?)(<=|>=|<|>|=)(.+)$/;

/** A test of rows; every term has to hold. */
export function matching(trials, text) {
  const terms = text.trim().split(/\s+/).filter(Boolean).map((term) => one(trials, term));
  return (row) => terms.every((term) => term(row));
}

function one(trials, term) {
  const [, given, sign, wanted] = COMPARE.exec(term) ?? [];
  const column = given === undefined ? undefined : given in trials.params ? given : NAMES[given.toLowerCase()];
  if (column === undefined) {
    const lower = term.toLowerCase();
    return (row) => words(trials, row).includes(lower);
  }
  const limit = Number(wanted.replace("−", "-"));
  return (row) => {
    const value = trials.at(row, column);
    if (value === null) return false;
    if (sign === "=") return typeof value === "number" ? value === limit : String(value).toLowerCase() === wanted.toLowerCase();
    if (typeof value !== "number" || Number.isNaN(limit)) return false;
    return { "<": value < limit, ">": value > limit, "<=": value <= limit, ">=": value >= limit }[sign];
  };
}

function words(trials, row) {
  const { number, state, origin, reason } = trials.columns;
  const point = trials.point(row).map(([, value]) => value);
  return visible([number[row], state[row], origin[row], reason[row] ?? "", ...point].join(" "), 2000).toLowerCase();
}

/** Rows in the order of a column; those without a value there come last, whichever the direction. */
export function sorted(trials, rows, column, descending) {
  const key = (row) => trials.at(row, column);
  const sign = descending ? -1 : 1;
  return rows.slice().sort((p, q) => {
    const [a, b] = [key(p), key(q)];
    if (a === null || b === null) return (a === null) - (b === null);
    const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    return sign * order || trials.number(p) - trials.number(q);
  });
}
