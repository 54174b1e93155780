// The shell: the address says what is shown, the stream keeps it current, and one line says whether it does.

import { h, prose, say, show } from "./dom.js";
import { duration, sentence, visible } from "./format.js";
import { StudyList } from "./list.js";
import { about, ask, Stream } from "./stream.js";

const QUIET = 2000; // milliseconds between sentences for screen readers: a fast run would talk without end
const AGAIN = 3000; // milliseconds before a study that could not be fetched is asked for again
const SOON = 300; // milliseconds before a list that is not complete is asked for again
const main = document.getElementById("main");
const connection = document.getElementById("connection");
const notice = document.getElementById("lost");
const crumb = document.getElementById("crumb");
const live = document.getElementById("live");

const studyPage = () => import("./study.js"); // not before the list is shown, whose first paint it would delay
const list = new StudyList();
let page = null; // the study that is open
let comparison = null; // or the studies that are compared
let turn = 0; // counts changes of the address: an answer that comes too late is for another page
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

/** Say something to screen readers, the latest only if there is much to say. */
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
    else if (error.status === undefined) throw error; // a fault of this page, for the console
  }
}

/** The heading of what is shown gets the focus, as after a link to another page. */
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

/** News of the study that is open. */
function take(news) {
  if (page?.id !== news.study || renewing) return;
  if (page.continues(news)) page.news(news);
  else renew().catch((error) => notify(`The study cannot be read: ${sentence(error.message)}`));
  document.title = page.title;
}

let renewing = false;

/** The server does not know what the page has: it was started anew, or the file is another one. A study of the same
 *  parameters is filled anew, so that filters and selection stay; else the page is made anew. */
async function renew() {
  const asked = page;
  renewing = true;
  try {
    const study = await ask(about(asked.id));
    if (asked !== page) return;
    if (page.renew(study)) return stream.open(); // what came meanwhile was not taken
    page.close();
    page = null;
    go();
  } finally {
    renewing = false;
  }
}

/** The list, again till the server has looked everywhere. A single study is opened at once. */
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
      // The server is there: what it refuses to follow is a study that it does not have any more.
      if (!page || known.studies.some(({ id }) => id === page.id)) return;
      page.gone();
      stream.watch(null);
    } catch (error) {
      const next = `The next attempt is in ${duration(seconds)}; the page may be out of date.`;
      notify(`The connection is lost: ${sentence(error.message)} ${next}`);
    }
  },
});

// The address says what is shown, so the link to the content cannot be one to a place in the page.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
window.addEventListener("hashchange", go);
setInterval(() => list.tick(), 5000);
stream.watch(null);
go();
