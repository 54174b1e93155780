// The trials of the open study as columns. Rows are keyed by number: a pending one becomes done in its place.

import { digitsApart } from "./format.js";

const COLUMNS = [
  ...["number", "state", "value", "seconds", "gap", "enough", "looked_elsewhere", "origin", "reason", "cause"],
];

export class Trials {
  constructor(study) {
    this.larger = study.summary.sense === "maximize";
    this.parameters = study.parameters;
    this.clear();
    this.merge(study.trials);
  }

  /** Forget all of them. */
  clear() {
    this.rows = new Map(); // number → row
    this.columns = Object.fromEntries(COLUMNS.map((name) => [name, []]));
    this.params = Object.create(null); // a parameter may have any name
    for (const { name } of this.parameters) this.params[name] = [];
    this.firstSeen = new Map(); // number of a pending trial → when this page first saw it, epoch seconds
  }

  get length() {
    return this.columns.number.length;
  }

  /** Take in rows that are new or have changed; the numbers of those that are settled only now. */
  merge(rows) {
    const settled = [];
    const fresh = this.length === 0;
    rows.number.forEach((number, i) => {
      const known = this.rows.get(number);
      const row = known ?? this.length;
      this.rows.set(number, row);
      const before = known === undefined ? null : this.columns.state[row];
      for (const name of COLUMNS) this.columns[name][row] = rows[name]?.[i] ?? null;
      for (const [name, values] of Object.entries(rows.params ?? {}))
        (this.params[name] ??= [])[row] = values[i] ?? null;
      const state = rows.state[i];
      if (state === "pending" && !this.firstSeen.has(number))
        this.firstSeen.set(number, { at: Date.now() / 1000, earlier: fresh });
      if (state !== "pending" && before !== state && !fresh) settled.push(number);
    });
    this.#fold();
    return settled;
  }

  /** What everything else is drawn from, in the order of numbers. */
  #fold() {
    const { number, state, value } = this.columns;
    const order = Array.from(number.keys());
    if (number.some((at, i) => i && at < number[i - 1])) order.sort((p, q) => number[p] - number[q]);
    this.order = order;
    this.done = order.filter((row) => state[row] === "done" && Number.isFinite(value[row]));
    this.failed = order.filter((row) => state[row] === "failed");
    this.pending = order.filter((row) => state[row] === "pending");
    this.improvements = [];
    let best = null;
    for (const row of this.done)
      if (best === null || (this.larger ? value[row] > best : value[row] < best)) {
        best = value[row];
        this.improvements.push(row);
      }
    this.best = this.improvements.length ? this.improvements[this.improvements.length - 1] : null;
    this.values = this.done.map((row) => value[row]);
    this.digits = best === null ? 6 : digitsApart(best, this.values); // of values, wherever they are shown
    this.last = order.length ? number[order[order.length - 1]] : null;
  }

  number(row) {
    return this.columns.number[row];
  }

  /** A column at a row. */
  at(row, name) {
    return this.columns[name][row];
  }

  /** A parameter at a row; null where it is inactive. */
  param(row, name) {
    return this.params[name]?.[row] ?? null;
  }

  /** The point of a row, without the parameters that are inactive there. */
  point(row) {
    return Object.keys(this.params)
      .map((name) => [name, this.params[name][row] ?? null])
      .filter(([, value]) => value !== null);
  }

  /** A row as an object of its columns. */
  row(row) {
    return Object.fromEntries(COLUMNS.map((name) => [name, this.columns[name][row]]));
  }

  /** How long a trial has been pending: [seconds, whether it may be longer]. Files do not say when it was asked, so
   *  this counts from when the page first saw it. */
  waiting(row, now = Date.now() / 1000) {
    const seen = this.firstSeen.get(this.number(row));
    return seen ? [now - seen.at, seen.earlier] : [null, true];
  }
}

/** Where points come from, in words. */
export const ORIGINS = {
  design: "initial design",
  given: "given at the start",
  model: "chosen by the model",
  foreign: "told from elsewhere",
};
