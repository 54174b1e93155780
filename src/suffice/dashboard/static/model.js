// Answers that the server computes from the whole record and the model. They take seconds, so the page requests them
// once it is drawn, and again after the study has changed. Two panels are text: the lines of print(result), and
// importance.

import { h, panel, plainTable, say, show } from "./dom.js";
import { percent, sentence, visible } from "./format.js";
import { about, ask } from "./stream.js";

const SOON = 100; // milliseconds after the page is drawn, or after the last request
const AGAIN = 1000; // before the next request while the answer is being computed
const CALM = 5000; // and before a request for a newer answer

/** One request, repeated while a newer answer will come; `told(answer)` receives each, {problem} after an error. */
export class Question {
  constructor(address, revision, told) {
    Object.assign(this, { address, revision, told, answer: null, timer: null, due: Infinity });
    [this.asking, this.closed] = [false, false];
  }

  /** Send the request after a while, unless the answer is current. Many calls in a fast run lead to one request. */
  want(delay = this.answer ? CALM : SOON) {
    const due = performance.now() + delay;
    if (this.closed || this.asking || this.due <= due) return;
    clearTimeout(this.timer);
    this.due = due;
    this.timer = setTimeout(() => this.#ask(), delay);
  }

  /** Change the request. */
  change(address) {
    Object.assign(this, { address, answer: null });
    this.want(0);
  }

  async #ask() {
    const { address, answer } = this;
    this.due = Infinity;
    if (answer && !answer.wait && answer.revision === this.revision()) return;
    if (document.hidden) return this.want(CALM);
    this.asking = true;
    const found = await ask(address).catch((error) => ({ problem: error.message, wait: true, failed: true }));
    this.asking = false;
    if (this.closed) return;
    if (address !== this.address) return this.want(0);
    if (!found.failed || !answer) this.told((this.answer = found)); // otherwise the older one stays
    const nothing = !found.failed && !found.summary?.length && !found.contour;
    if (found.wait) this.want(nothing ? AGAIN : CALM);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
  }
}

/** The request for everything except contours. */
export const modelOf = (id, revision, told) => new Question(about(id, "/model"), revision, told);

// ------------------------------------------------------------------ in words

const WAITING = "Reading the record and fitting the model …";

/** The lines of print(result). The point itself is below the tiles. */
export function summary() {
  const state = h("p", { class: "empty", role: "status" }, WAITING);
  const list = h("dl", { class: "said" });
  return {
    element: panel("Result", { wide: "third" }, state, list),
    told({ summary: rows = [], problem, wait }) {
      show(state, !rows.length);
      say(state, problem ? sentence(problem) : wait ? WAITING : "There is no result yet.");
      const said = rows.filter(([label]) => label !== "point");
      const pairs = said.map(([label, text], i) => {
        const look = label === "look at" ? "look" : "";
        const again = i > 0 && said[i - 1][0] === label ? " again" : "";
        return [h("dt", { class: look + again }, label), h("dd", { class: look }, text)];
      });
      list.replaceChildren(...pairs.flat());
    },
  };
}

// ------------------------------------------------------------------ which parameters matter

const ABOUT =
  "Fraction of the variance of the model's mean over the space. Dark: the parameter alone. Pale: with interactions.";
const UNSURE = "The model is still too uncertain about the objective, so these values mean little.";
const SHOWN = 12; // parameters; the others matter less
const LEAST = 0.01; // of the variance: smaller ones are not distinguished

export function importance({ trials }) {
  const [note, unsure] = [h("p", { class: "note" }), h("p", { class: "note" }, UNSURE)];
  const [table, body] = plainTable("Importance of the parameters", ["Parameter", "Importance"]);
  const element = panel("Which parameters matter", { wide: "third" }, table, unsure, note);
  let found = [];

  function update() {
    const known = found.find(({ output }) => output === trials.output) ?? found[0];
    show(element, Boolean(known?.names.length));
    if (!known) return;
    const of = trials.several ? ` The objective is ${trials.label(known.output)}.` : "";
    const more = known.names.length - SHOWN;
    say(note, `${ABOUT}${of}${more > 0 ? ` ${more} more matter less.` : ""}`);
    show(unsure, !known.sure);
    body.replaceChildren(...known.names.slice(0, SHOWN).map((name, i) => line(name, known.total[i], known.first[i])));
  }

  return {
    element,
    update,
    told(answer) {
      found = answer.importance ?? found;
      update();
    },
  };
}

function line(name, total, first) {
  const bar = h("span", { class: "share", "aria-hidden": "true" }, h("span"), h("span"));
  [total, Math.min(first ?? 0, total)].forEach((share, i) => (bar.children[i].style.width = `${100 * share}%`));
  const amount = total < LEAST ? `< ${percent(LEAST)}` : percent(Number(total.toFixed(2)));
  const head = h("th", { scope: "row", title: name }, visible(name, 28));
  return h("tr", {}, head, h("td", {}, h("span", { class: "amount" }, amount), bar));
}
