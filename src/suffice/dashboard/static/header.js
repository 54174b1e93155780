// The head of a study: its state in words, the best value and point, and the counts as tiles.

import { recentGap } from "./accuracy.js";
import { h, prose, say, show } from "./dom.js";
import { ago, count, counted, duration, number, part, percent, sentence, visible } from "./format.js";

/** The signs of the states of a study, in the order of a list: what needs attention first. */
export const SIGNS = { loading: "◌", running: "●", damaged: "▲", gone: "✕", quiet: "○", empty: "□" };

/** The state of a study: a sign, a word and a colour. */
export function stateBadge(state) {
  const sign = h("span", { "aria-hidden": "true" }, `${SIGNS[state] ?? "?"} `);
  return h("span", { class: `badge study-${state}` }, sign, state);
}

function tile(name) {
  const [value, about] = [h("div", { class: "tile-value" }), h("div", { class: "tile-about" })];
  return { element: h("div", { class: "tile" }, h("div", { class: "tile-name" }, name), value, about), value, about };
}

export function head({ trials, pick, summary }) {
  const title = h("h1", { tabindex: -1 });
  const [badge, changed] = [h("span"), h("span", { class: "aside" })];
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const tiles = {
    best: tile(trials.several ? "Trials on the front" : `Best value (${trials.larger ? "largest" : "smallest"})`),
    done: tile("Trials"),
    within: tile("Within all limits"),
    last: tile("Last improvement"),
    time: tile("Evaluation"),
    gap: tile("Gap of the search"),
  };
  tiles.best.element.classList.add("main");
  const best = h("button", { type: "button", class: "plain", onclick: () => pick(trials.number(trials.best)) });
  tiles.best.about.append(best);
  const states = ["done", "failed", "stopped", "pending", "cancelled"];
  const lengths = states.map((state) => h("span", { class: `state-${state}` }));
  const bar = h("div", { class: "bar", "aria-hidden": "true" }, ...lengths);
  tiles.done.element.append(bar);
  const point = h("dl", { class: "chips", "aria-label": trials.several ? "Knee of the front" : "Best point" });
  let said = null; // the problem that is shown

  function update() {
    const { name, state, problem: trouble } = summary();
    say(title, visible(name, 120));
    badge.replaceChildren(stateBadge(state));
    show(problem, Boolean(trouble));
    if (trouble !== said) problem.replaceChildren(...prose(sentence(trouble ?? ""))); // else it would be read out again
    said = trouble;
    updateBest();
    updateCounts();
    updateWithin();
    updateLast();
    updateTime();
    const gap = recentGap(trials);
    show(tiles.gap.element, gap !== null);
    say(tiles.gap.value, percent(gap));
    say(tiles.gap.about, "median of the last 20; 0 is perfect");
    tick();
  }

  function updateBest() {
    const row = trials.best;
    show(best, row !== null);
    const value = row === null ? "–" : number(trials.value(row), trials.digits);
    say(tiles.best.value, trials.several ? count(trials.onFront.size) : value);
    if (row !== null) say(best, `${trials.several ? "knee: " : ""}trial ${trials.number(row)}`);
    const parts = row === null ? [] : trials.point(row);
    show(point, parts.length > 0);
    const chip = ([name, value]) => h("div", {}, h("dt", {}, visible(name, 40)), h("dd", {}, part(value, 60)));
    point.replaceChildren(...parts.map(chip));
  }

  function updateCounts() {
    const all = { done: trials.evaluated.length, failed: trials.failed.length, pending: trials.pending.length };
    all.stopped = trials.stopped.length;
    all.cancelled = trials.length - all.done - all.failed - all.stopped - all.pending;
    say(tiles.done.value, count(all.done));
    const others = states.slice(1).filter((state) => all[state]);
    say(tiles.done.about, ["done", ...others.map((state) => `${count(all[state])} ${state}`)].join(" · "));
    [...bar.children].forEach((part, i) => (part.style.flexGrow = all[states[i]]));
  }

  function updateWithin() {
    show(tiles.within.element, trials.limited);
    if (!trials.limited) return;
    const [within, all] = [trials.evaluated.length - trials.infeasible.length, trials.evaluated.length];
    say(tiles.within.value, all ? percent(within / all) : "–");
    say(tiles.within.about, `${count(within)} of ${counted(all, "trial")}`);
  }

  function updateGrowth() {
    const { growth } = trials.front;
    const last = growth?.length ? trials.rows.get(growth[growth.length - 1][0]) : undefined;
    const after = last === undefined ? null : trials.evaluated.length - 1 - trials.evaluated.indexOf(last);
    say(tiles.last.value, after === null ? "–" : after === 0 ? "now" : `${counted(after, "trial")} ago`);
    say(tiles.last.about, trials.volume === null ? "" : `hypervolume ${number(trials.volume, 4)}`);
  }

  function updateLast() {
    if (trials.several) return updateGrowth();
    const row = trials.best;
    const after = row === null ? null : trials.done.length - 1 - trials.done.indexOf(row);
    say(tiles.last.value, row === null ? "–" : after === 0 ? "now" : `${counted(after, "trial")} ago`);
    say(tiles.last.about, counted(trials.improvements.length, "improvement"));
  }

  function updateTime() {
    const known = trials.evaluated.map((row) => trials.at(row, "seconds")).filter(Number.isFinite);
    show(tiles.time.element, known.length > 0);
    if (!known.length) return;
    const seconds = known.sort((p, q) => p - q);
    say(tiles.time.value, duration(seconds[Math.floor(seconds.length / 2)]));
    say(tiles.time.about, `median; ${duration(seconds.reduce((sum, one) => sum + one, 0))} in all`);
  }

  function tick() {
    const at = summary().changed;
    say(changed, at === null ? "" : `last change ${ago(at)}`);
  }

  const row = h("div", { class: "tiles" }, ...Object.values(tiles).map(({ element }) => element));
  const line = h("div", { class: "title" }, title, badge, changed);
  return { element: h("header", { class: "study-head" }, line, problem, row, point), charts: [], update, tick, title };
}
