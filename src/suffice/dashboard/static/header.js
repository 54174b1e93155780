// The head of a study: its state in words, the best value and point, and the counts as tiles.

import { recentGap } from "./accuracy.js";
import { h, prose, say, show } from "./dom.js";
import { ago, apart, count, counted, duration, part, percent, visible } from "./format.js";

export const STATES = {
  loading: ["◌", "loading"],
  running: ["●", "running"],
  quiet: ["○", "quiet"],
  empty: ["□", "empty"],
  damaged: ["▲", "damaged"],
  gone: ["✕", "gone"],
};

/** The state of a study: a sign, a word and a colour. */
export function stateBadge(state) {
  const [sign, word] = STATES[state] ?? ["?", state];
  return h("span", { class: `badge study-${state}` }, h("span", { "aria-hidden": "true" }, `${sign} `), word);
}

function tile(name) {
  const [value, about] = [h("div", { class: "tile-value" }), h("div", { class: "tile-about" })];
  return { element: h("div", { class: "tile" }, h("div", { class: "tile-name" }, name), value, about), value, about };
}

export function head(context) {
  const { trials, pick, summary } = context;
  const title = h("h1", { tabindex: -1 });
  const badge = h("span");
  const changed = h("span", { class: "aside" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const tiles = Object.fromEntries([["best", `Best value (${trials.larger ? "largest" : "smallest"})`], ["done", "Trials"], ["last", "Last improvement"], ["time", "Evaluation"], ["gap", "Gap of the search"]].map(([key, name]) => [key, tile(name)]));
  tiles.best.element.classList.add("main");
  const bestButton = h("button", { type: "button", class: "plain", onclick: () => pick(trials.number(trials.best)) });
  tiles.best.about.append(bestButton);
  const bar = h("div", { class: "bar", "aria-hidden": "true" }, ...["done", "failed", "pending", "cancelled"].map((state) => h("span", { class: `state-${state}` })));
  tiles.done.element.append(bar);
  const point = h("dl", { class: "chips", "aria-label": "Best point" });

  function update() {
    const { name, state, problem: trouble } = summary();
    say(title, visible(name, 120));
    badge.replaceChildren(stateBadge(state));
    show(problem, Boolean(trouble));
    problem.replaceChildren(...prose(trouble ?? ""));
    best();
    counts();
    last();
    time();
    const gap = recentGap(trials);
    show(tiles.gap.element, gap !== null);
    say(tiles.gap.value, percent(gap));
    say(tiles.gap.about, "median of the last 20; 0 is perfect");
    tick();
  }

  function best() {
    const row = trials.best;
    show(bestButton, row !== null);
    say(tiles.best.value, row === null ? "–" : apart(trials.at(row, "value"), trials.values));
    if (row !== null) say(bestButton, `trial ${trials.number(row)}`);
    const parts = row === null ? [] : trials.point(row);
    show(point, parts.length > 0);
    point.replaceChildren(...parts.map(([name, value]) => h("div", {}, h("dt", {}, visible(name, 40)), h("dd", {}, part(value, 60)))));
  }

  function counts() {
    const all = { done: trials.done.length, failed: trials.failed.length, pending: trials.pending.length };
    all.cancelled = trials.length - all.done - all.failed - all.pending;
    say(tiles.done.value, count(all.done));
    const others = Object.entries(all).slice(1).filter(([, amount]) => amount).map(([state, amount]) => `${count(amount)} ${state}`);
    say(tiles.done.about, ["done", ...others].join(" · "));
    [...bar.children].forEach((part, i) => (part.style.flexGrow = Object.values(all)[i]));
  }

  function last() {
    const row = trials.best;
    const after = row === null ? null : trials.done.length - 1 - trials.done.indexOf(row);
    say(tiles.last.value, row === null ? "–" : after === 0 ? "now" : counted(after, "trial") + " ago");
    say(tiles.last.about, counted(trials.improvements.length, "improvement"));
  }

  function time() {
    const seconds = trials.done.map((row) => trials.at(row, "seconds")).filter(Number.isFinite).sort((p, q) => p - q);
    show(tiles.time.element, seconds.length > 0);
    if (!seconds.length) return;
    say(tiles.time.value, duration(seconds[Math.floor(seconds.length / 2)]));
    say(tiles.time.about, `median; ${duration(seconds.reduce((sum, one) => sum + one, 0))} in all`);
  }

  function tick() {
    say(changed, `last change ${ago(summary().changed)}`);
  }

  const element = h("header", { class: "study-head" }, h("div", { class: "title" }, title, badge, changed), problem, h("div", { class: "tiles" }, ...Object.values(tiles).map(({ element }) => element)), point);
  return { element, charts: [], update, tick, title };
}
