// What the search field of the trials means: words that a row must contain, or comparisons such as value<0.3.

import { visible } from "./format.js";

const NAMES = new Map([["trial", "number"], ["time", "seconds"]]); // what columns are called in the table
for (const name of ["value", "gap", "state", "origin"]) NAMES.set(name, name);
const COMPARE = /^(.+?)(<=|>=|<|>|=)(.+)$/;

/** A test of rows; every term has to hold. */
export function matching(trials, text) {
  const terms = text.trim().split(/\s+/).filter(Boolean).map((term) => one(trials, term));
  return (row) => terms.every((term) => term(row));
}

function one(trials, term) {
  const [, given = "", sign, wanted] = COMPARE.exec(term) ?? [];
  const column = NAMES.get(given.toLowerCase());
  const place = trials.outputs.findIndex(({ name }) => name === given);
  if (!(given in trials.params) && column === undefined && place < 0) {
    const lower = term.toLowerCase();
    return (row) => words(trials, row).includes(lower);
  }
  const output = (row) => trials.told[place][row] ?? null;
  const other = place < 0 ? (row) => trials.at(row, column) : output;
  const read = given in trials.params ? (row) => trials.param(row, given) : other;
  const limit = Number(wanted.replace("−", "-"));
  return (row) => {
    const value = read(row);
    if (value === null) return false;
    if (sign === "=" && typeof value !== "number") return String(value).toLowerCase() === wanted.toLowerCase();
    if (sign === "=") return value === limit;
    if (typeof value !== "number" || Number.isNaN(limit)) return false;
    return { "<": value < limit, ">": value > limit, "<=": value <= limit, ">=": value >= limit }[sign];
  };
}

function words(trials, row) {
  const { number, state, origin, reason } = trials.columns;
  const point = trials.point(row).map(([, value]) => value);
  return visible([number[row], state[row], origin[row], reason[row] ?? "", ...point].join(" "), 2000).toLowerCase();
}

/** Rows in the order of what `key` reads; those without a value come last, whichever the direction. */
export function sorted(trials, rows, key, descending) {
  const sign = descending ? -1 : 1;
  return rows.slice().sort((p, q) => {
    const [a, b] = [key(p), key(q)];
    if (a === null || b === null) return (a === null) - (b === null) || trials.number(p) - trials.number(q);
    const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
    return sign * order || trials.number(p) - trials.number(q);
  });
}
