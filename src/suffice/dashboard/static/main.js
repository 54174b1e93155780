// The shell: the address selects the page, the stream updates it, and one line shows the state of the connection.

import { h, prose, say, show } from "./dom.js";
import { duration, sentence, visible } from "./format.js";
import { StudyList } from "./list.js";
import { about, ask, Stream } from "./stream.js";

const QUIET = 2000; // milliseconds between messages for screen readers, because a fast run has too many
const AGAIN = 3000; // milliseconds before another attempt to fetch a study
const SOON = 300; // milliseconds before an incomplete list is fetched again
const main = document.getElementById("main");
const connection = document.getElementById("connection");
const notice = document.getElementById("lost");
const crumb = document.getElementById("crumb");
const live = document.getElementById("live");

const studyPage = () => import("./study.js"); // loaded after the list, so as not to delay its first paint
const list = new StudyList();
let page = null; // the open study
let comparison = null; // or the compared studies
let turn = 0; // counts changes of the address, to ignore late answers for another page
let first = true; // nothing has been shown yet: the focus stays where the browser has it
let listed = false; // whether the list of studies is known

/** "#/study/ID?trial=5" → {id, trial}, "#/compare/ID,ID" → {ids}; anything else is the list. */
function route() {
  const [path, query = ""] = location.hash.slice(1).split("?");
  const [, kind, id] = path.split("/");
  const trial = new URLSearchParams(query).get("trial");
  if (kind === "compare" && id) return { id: null, trial: null, ids: [...new Set(id.split(","))] };
  if (kind !== "study" || !id) return { id: null, trial: null, ids: null };
  return { id, trial: trial === null ? null : Number(trial), ids: null };
}

const address = (id, trial) => `#/study/${id}${trial === null ? "" : `?trial=${trial}`}`;

let spoken = 0;
let waiting = null;

/** Send a message to screen readers; of many messages only the latest. */
function announce(text) {
  clearTimeout(waiting);
  const speak = () => {
    spoken = Date.now();
    say(live, text);
  };
  waiting = setTimeout(speak, Math.max(0, spoken + QUIET - Date.now()));
}

function go() {
  const { id, trial, ids } = route();
  if (page && page.id === id) return page.select(trial);
  page?.close();
  comparison?.close();
  page = comparison = null;
  say(crumb, "");
  turn += 1;
  if (id !== null) return goToStudy(id, trial, turn);
  stream.watch(null);
  if (ids !== null) return goToComparison(ids, turn);
  main.replaceChildren(list.element);
  list.draw();
  document.title = "suffice";
  settle(list);
}

async function goToComparison(ids, mine) {
  main.replaceChildren(h("p", { class: "empty", role: "status" }, "Reading the studies …"));
  const { openComparison } = await import("./compare.js");
  const opened = await openComparison(ids);
  if (mine !== turn) return opened.close();
  comparison = opened;
  main.replaceChildren(opened.element);
  say(crumb, opened.title);
  document.title = opened.title;
  settle(opened);
}

async function goToStudy(id, trial, mine) {
  main.replaceChildren(h("p", { class: "empty", role: "status" }, "Reading the study …"));
  try {
    const chosen = (number) => history.replaceState(null, "", address(id, number));
    const { openStudy } = await studyPage();
    const opened = await openStudy(id, { trial, announce, chosen });
    if (mine !== turn) return opened.close();
    page = opened;
    main.replaceChildren(page.element);
    say(crumb, visible(page.summary.name, 80));
    document.title = page.title;
    stream.watch(page);
    settle(page);
  } catch (error) {
    if (mine !== turn) return;
    main.replaceChildren(refusal(id, error));
    stream.watch(null);
    if (error.status === 0 || error.status === 503) setTimeout(() => mine === turn && go(), AGAIN);
    else if (error.status === undefined) throw error; // a bug of this page, for the console
  }
}

/** Focus the heading of the page, as after a link to another page. */
function settle(shown) {
  if (!first) {
    window.scrollTo(0, 0);
    shown.focus();
  }
  first = false;
}

function refusal(id, error) {
  const known = list.studies.get(id);
  const words = known?.problem ? sentence(known.problem) : `This study cannot be shown: ${sentence(error.message)}`;
  return h(
    "div",
    { class: "empty" },
    h("h1", {}, visible(known?.name ?? "Study", 120)),
    h("p", { class: "problem", role: "alert" }, ...prose(words)),
    h("p", {}, h("a", { href: "#/" }, "All studies")),
  );
}

/** Handle news of the open study. */
function take(news) {
  if (page?.id !== news.study || renewing) return;
  if (page.continues(news)) page.news(news);
  else renew().catch((error) => notify(`The study cannot be read: ${sentence(error.message)}`));
  document.title = page.title;
}

let renewing = false;

/** Handle a server restart or a replaced file. If the parameters are the same, the study is filled again and keeps its
 *  filters and selection; otherwise the page is created again. */
async function renew() {
  const asked = page;
  renewing = true;
  try {
    const study = await ask(about(asked.id));
    if (asked !== page) return;
    if (page.renew(study)) return stream.open(); // news in the meantime were not handled
    page.close();
    page = null;
    go();
  } finally {
    renewing = false;
  }
}

/** Fetch the list, again until the server has searched everywhere. A single study opens at once. */
async function fetchList() {
  list.replace(await ask("api/studies"));
  if (list.searching) return setTimeout(() => fetchList().catch(() => {}), SOON); // the next connection tries again
  const [alone, another] = list.studies.keys();
  if (!listed && !location.hash && alone && !another) location.replace(address(alone, null));
  listed = true;
  studyPage();
}

function notify(sentence) {
  show(notice, sentence !== "");
  notice.replaceChildren(...prose(sentence));
}

const stream = new Stream({
  trials: take,
  studies(news) {
    list.news(news);
    news.studies?.forEach((summary) => comparison?.summarize(summary));
    const changed = news.studies?.find(({ id }) => id === page?.id);
    if (changed) page.summarize(changed);
    else if (page && news.removed?.includes(page.id)) page.gone();
  },
  async opened() {
    connection.className = "connected";
    say(connection, "live");
    notify("");
    try {
      await fetchList();
    } catch (error) {
      notify(`The list of studies cannot be read: ${sentence(error.message)}`);
    }
  },
  async lost(seconds) {
    connection.className = "cut";
    say(connection, "not connected");
    try {
      const known = await ask("api/studies");
      // The server is reachable, so it no longer has the study.
      if (!page || known.studies.some(({ id }) => id === page.id)) return;
      page.gone();
      stream.watch(null);
    } catch (error) {
      const next = `The next attempt is in ${duration(seconds)}; the page may be out of date.`;
      notify(`The connection is lost: ${sentence(error.message)} ${next}`);
    }
  },
});

// The hash of the address selects the page, so the link to the content cannot use it.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
window.addEventListener("hashchange", go);
setInterval(() => list.tick(), 5000);
stream.watch(null);
go();
