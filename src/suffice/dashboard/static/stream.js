// The connection: answers as JSON with readable errors, and one stream of events that reopens when it breaks.

const [FIRST, LONGEST] = [1000, 10_000]; // milliseconds before the next attempt; each pause is twice the previous one
const ASLEEP = 30_000; // milliseconds in the background: a laptop may have slept, and its connection may be dead
const WORDS = {
  401: "a token is required: open the address that `suffice dashboard` printed.",
  404: "the server does not have it.",
};

/** A failed request: `status` is its number, 0 without an answer. */
class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** GET an address below the page's own as JSON. */
export async function ask(address) {
  let answer;
  try {
    answer = await fetch(address, { headers: { Accept: "application/json" } });
  } catch {
    throw new Refused(0, "the server does not respond. Is `suffice dashboard` still running?");
  }
  if (answer.ok) return answer.json();
  const { error } = await answer.json().catch(() => ({}));
  throw new Refused(answer.status, error ?? WORDS[answer.status] ?? `the server answered ${answer.status}.`);
}

/** The address of a study's answers. */
export const about = (id, rest = "") => `api/studies/${encodeURIComponent(id)}${rest}`;

/** Events of the list of studies and of the open one, starting from its known revision.
 *
 *  studies, trials   handle the events
 *  opened            is called when the connection is open, lost(seconds) when it breaks, till the next attempt
 */
export class Stream {
  constructor({ studies, trials, opened, lost }) {
    Object.assign(this, { studies, trials, opened, lost });
    Object.assign(this, { source: null, study: null, pause: FIRST, timer: null, hiddenSince: null });
    document.addEventListener("visibilitychange", () => this.#woken());
    window.addEventListener("online", () => this.open());
    window.addEventListener("pagehide", () => this.source?.close());
  }

  /** Follow this study, {id, revision}, or the list alone. Its revision is read anew at each attempt. */
  watch(study) {
    if (this.source && this.study === study) return;
    this.study = study;
    this.open();
  }

  /** Connect or reconnect; the events since the study's revision come first. */
  open() {
    clearTimeout(this.timer);
    this.source?.close();
    const { study } = this;
    const query = study ? `?study=${encodeURIComponent(study.id)}&since=${encodeURIComponent(study.revision)}` : "";
    const source = (this.source = new EventSource(`api/events${query}`));
    source.addEventListener("open", () => {
      this.pause = FIRST;
      this.opened();
    });
    source.addEventListener("studies", (event) => this.studies(JSON.parse(event.data)));
    source.addEventListener("trials", (event) => this.trials(JSON.parse(event.data)));
    source.addEventListener("error", () => this.#lost(source));
  }

  /** The browser reconnects after an interruption, but gives up after an error, so this handles both. */
  #lost(source) {
    if (source !== this.source) return;
    source.close();
    this.timer = setTimeout(() => this.open(), this.pause);
    this.lost(this.pause / 1000);
    this.pause = Math.min(2 * this.pause, LONGEST);
  }

  #woken() {
    if (document.hidden) this.hiddenSince = Date.now();
    else if (this.hiddenSince !== null && Date.now() - this.hiddenSince > ASLEEP) this.open();
  }
}
