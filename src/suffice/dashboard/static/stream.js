// The wire: answers as JSON with errors in words, and one stream of events that is opened again when it breaks.

const [FIRST, LONGEST] = [1000, 10_000]; // milliseconds before the first new attempt; each further pause is twice as long
const ASLEEP = 30_000; // milliseconds in the background: a laptop may have slept, and its connection may be dead

/** An answer that is no success: `status` is its number, 0 where there was no answer. */
export class Refused extends Error {
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
    throw new Refused(0, "the server does not answer. Is `suffice dashboard` still running?");
  }
  if (answer.ok) return answer.json();
  const said = await answer.json().catch(() => ({}));
  const words = {
    401: "this needs the token: open the address that `suffice dashboard` printed.",
    403: "this needs the token: open the address that `suffice dashboard` printed.",
    404: "the server does not know it.",
  };
  throw new Refused(answer.status, said.problem ?? said.error ?? words[answer.status] ?? `the server answered ${answer.status}.`);
}

/** Events of the list of studies and of the one that is open. `state(connected, seconds until the next attempt)`. */
export class Stream {
  constructor({ studies, trials, state, opened }) {
    Object.assign(this, { studies, trials, state, opened });
    Object.assign(this, { source: null, study: null, pause: FIRST, timer: null, hiddenSince: null });
    document.addEventListener("visibilitychange", () => this.#woken());
    window.addEventListener("online", () => this.#open());
  }

  /** Follow this study, or the list alone. */
  watch(study) {
    if (this.source && this.study === study) return;
    this.study = study;
    this.#open();
  }

  #open() {
    clearTimeout(this.timer);
    this.source?.close();
    const query = this.study === null ? "" : `?study=${encodeURIComponent(this.study)}`;
    const source = (this.source = new EventSource(`api/events${query}`));
    source.addEventListener("open", () => {
      this.pause = FIRST;
      this.state(true, 0);
      this.opened(); // what was missed meanwhile is fetched
    });
    source.addEventListener("studies", (event) => this.studies(JSON.parse(event.data)));
    source.addEventListener("trials", (event) => this.trials(JSON.parse(event.data)));
    source.addEventListener("error", () => this.#lost(source));
  }

  /** The browser would try again by itself after a cut, but gives up after a refusal: so this does both. */
  #lost(source) {
    if (source !== this.source) return;
    source.close();
    this.state(false, this.pause / 1000);
    this.timer = setTimeout(() => this.#open(), this.pause);
    this.pause = Math.min(2 * this.pause, LONGEST);
  }

  #woken() {
    if (document.hidden) this.hiddenSince = Date.now();
    else if (this.hiddenSince !== null && Date.now() - this.hiddenSince > ASLEEP) this.#open();
  }
}
