// The trials of the open study as columns. Rows are keyed by number, so a pending trial keeps its row. Values are those
// of the first objective, unless another output is given; one output at a time is selected.

import { digitsApart, duration, visible } from "./format.js";

export const STATES = ["done", "failed", "pruned", "pending", "cancelled"];
const ENDED = new Set(["done", "failed", "pruned"]);
const COLUMNS = [
  ...["number", "state", "value", "seconds", "gap", "enough", "looked_elsewhere", "origin", "reason", "cause"],
  ...["feasible", "begun", "ended", "worker", "note"],
];

export class Trials {
  constructor(study) {
    this.parameters = study.parameters;
    const { direction } = study.summary;
    this.outputs = study.outputs?.length ? study.outputs : [{ ...VALUE, direction, larger: direction === "maximize" }];
    this.objectives = this.outputs.flatMap(({ direction }, place) => (direction === null ? [] : [place]));
    this.timed = study.timed ?? false; // whether the file has times of trials
    this.several = this.objectives.length > 1; // then there is a front, and no best trial
    this.limited = this.outputs.some(({ said }) => said !== null);
    this.output = 0; // the index of the selected output
    this.clear();
    this.merge(study.trials, study.front);
  }

  /** Whether larger values of the objective are better. */
  get larger() {
    return this.outputs[0].larger;
  }

  /** The name of an output, or only its first letters. */
  label(place = 0, most = 40) {
    return visible(this.outputs[place].name, most);
  }

  /** Select another output. */
  choose(place) {
    this.output = place;
  }

  /** The rows with a value of an output, ordered by number. */
  having(place) {
    return place === 0 ? this.done : this.evaluated.filter((row) => Number.isFinite(this.told[place][row]));
  }

  /** Remove all trials. */
  clear() {
    this.rows = new Map(); // number → row
    this.columns = Object.fromEntries(COLUMNS.map((name) => [name, []]));
    this.params = Object.create(null); // a parameter may have any name
    for (const { name } of this.parameters) this.params[name] = [];
    this.told = this.outputs.map(() => []); // by output, where there are several
    this.front = NO_FRONT;
    this.recommended = null; // with noise, the answer of the model: {number, value, low, high, said}
  }

  get length() {
    return this.columns.number.length;
  }

  /** Add new and changed rows; returns the numbers of newly settled trials. */
  merge(rows, front = null) {
    const settled = [];
    this.front = front ?? this.front;
    const fresh = this.length === 0;
    rows.number.forEach((number, i) => {
      const known = this.rows.get(number);
      const row = known ?? this.length;
      this.rows.set(number, row);
      const before = known === undefined ? null : this.columns.state[row];
      for (const name of COLUMNS) this.columns[name][row] = rows[name]?.[i] ?? null;
      const outputs = rows.outputs ?? [rows.value];
      this.told.forEach((column, place) => (column[row] = outputs[place][i] ?? null));
      for (const [name, values] of Object.entries(rows.params ?? {}))
        (this.params[name] ??= [])[row] = values[i] ?? null;
      const state = rows.state[i];
      if (state !== "pending" && before !== state && !fresh) settled.push(number);
    });
    this.#fold();
    return settled;
  }

  /** Compute the derived data, ordered by number. */
  #fold() {
    const { number, state, feasible } = this.columns;
    const value = this.told[0];
    const order = Array.from(number.keys());
    if (number.some((at, i) => i && at < number[i - 1])) order.sort((p, q) => number[p] - number[q]);
    this.order = order;
    this.of = Object.fromEntries(STATES.map((one) => [one, order.filter((row) => state[row] === one)])); // by state
    this.evaluated = this.of.done;
    this.done = this.evaluated.filter((row) => Number.isFinite(value[row]));
    this.failed = this.of.failed;
    this.pending = this.of.pending;
    this.pruned = this.of.pruned;
    this.ended = order.filter((row) => ENDED.has(state[row])); // those that count as n_trials
    this.infeasible = this.evaluated.filter((row) => feasible[row] === false);
    this.values = this.done.map((row) => value[row]);
    this.onFront = new Set(this.front.trials);
    this.improvements = this.several ? [] : this.#improved(value);
    this.best = (this.several ? this.rows.get(this.front.knee) : this.improvements.at(-1)) ?? null;
    const best = this.best === null ? null : value[this.best];
    this.digits = Number.isFinite(best) ? digitsApart(best, this.values) : 6; // of displayed values
    this.last = number[order.at(-1)] ?? null;
  }

  /** The feasible rows that were better than all before them. */
  #improved(value) {
    let best = null;
    return this.done.filter((row) => {
      const better = best === null || (this.larger ? value[row] > best : value[row] < best);
      if (!this.allowed(row) || !better) return false;
      best = value[row];
      return true;
    });
  }

  /** The best so far at each of the rows with a value, as many. */
  get bestSoFar() {
    const [improved, value] = [new Set(this.improvements), this.told[0]];
    let best = NaN;
    return this.done.map((row) => (improved.has(row) ? (best = value[row]) : best));
  }

  /** Whether a row is feasible; all rows are feasible without constraints. */
  allowed(row) {
    return this.columns.feasible[row] !== false;
  }

  /** An output at a row; null where it is missing. */
  value(row, place = 0) {
    return this.told[place][row] ?? null;
  }

  /** The final hypervolume; null if it is not computed or there is none. */
  get volume() {
    return this.front.growth?.at(-1)?.[1] ?? null;
  }

  /** The row of the point to use: with noise the recommended one, otherwise the best, or the knee of a front. */
  get use() {
    return this.rows.get(this.recommended?.number) ?? this.best;
  }

  /** The label of this trial. */
  get useName() {
    return this.recommended ? "recommended" : this.bestName;
  }

  /** What a trial is: best, recommended, both or nothing of that. */
  titles(row) {
    return [...new Set([row === this.best ? this.bestName : "", row === this.use ? this.useName : ""])].filter(Boolean);
  }

  /** The label of the best trial. */
  get bestName() {
    return this.several ? "knee" : "best";
  }

  number(row) {
    return this.columns.number[row];
  }

  /** A column at a row. */
  at(row, name) {
    return this.columns[name][row];
  }

  /** A parameter at a row; null if it is inactive. */
  param(row, name) {
    return this.params[name]?.[row] ?? null;
  }

  /** The point of a row, without inactive parameters. */
  point(row) {
    return Object.keys(this.params)
      .map((name) => [name, this.params[name][row] ?? null])
      .filter(([, value]) => value !== null);
  }

  /** A row as an object of its columns. */
  row(row) {
    return Object.fromEntries(COLUMNS.map((name) => [name, this.columns[name][row]]));
  }
}

const VALUE = { name: "value", limit: null, said: null }; // before the study is loaded
const NO_FRONT = { trials: [], knee: null, reference: null, growth: [] };

/** The origins of points, as text. */
export const ORIGINS = {
  design: "initial design",
  given: "given at the start",
  model: "chosen by the model",
  foreign: "observed elsewhere",
  polish: "local search around the best point",
};

/** The time that a trial has been pending, if the file has its start. */
export function waited(trials, row, now = Date.now() / 1000) {
  return trials.timed ? duration(Math.max(1, Math.round(now - trials.at(row, "begun")))) : "unknown";
}

// ------------------------------------------------------------------ filter and order

// The syntax of the trials' filter: words that a row must contain, or comparisons such as value<0.3.

const NAMES = new Map([["trial", "number"], ["time", "seconds"]]); // the names of columns in the table
for (const name of ["value", "gap", "state", "origin"]) NAMES.set(name, name);
const COMPARE = /^(.+?)(<=|>=|<|>|=)(.+)$/;

/** A test of rows; every term must hold. */
export function matching(trials, text) {
  const terms = text.trim().split(/\s+/).filter(Boolean).map((term) => test(trials, term));
  return (row) => terms.every((term) => term(row));
}

function test(trials, term) {
  const [, given = "", sign, wanted] = COMPARE.exec(term) ?? [];
  const column = NAMES.get(given.toLowerCase());
  const place = trials.outputs.findIndex(({ name }) => name === given);
  if (!(given in trials.params) && column === undefined && place < 0) {
    const lower = term.toLowerCase();
    return (row) => wordsOf(trials, row).includes(lower);
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

function wordsOf(trials, row) {
  const { number, state, origin, reason, note, worker } = trials.columns;
  const point = trials.point(row).map(([, value]) => value);
  const others = [reason, note, worker].map((column) => column[row] ?? "");
  return visible([number[row], state[row], origin[row], ...others, ...point].join(" "), 2000).toLowerCase();
}
