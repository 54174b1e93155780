// The shell: the address says what is shown, the stream keeps it current, and one line says whether it does.

import { h, prose, say, show } from "./dom.js";
import { duration, visible } from "./format.js";
import { StudyList } from "./list.js";
import { ask, Stream } from "./stream.js";
import { openStudy } from "./study.js";

const QUIET = 4000; // milliseconds between sentences for screen readers: a fast run would talk without end
const main = document.getElementById("main");
const connection = document.getElementById("connection");
const lost = document.getElementById("lost");
const crumb = document.getElementById("crumb");
const live = document.getElementById("live");

const list = new StudyList();
let page = null; // the study that is open
let turn = 0; // counts changes of the address: an answer that comes too late is for another page
let first = true;
let missed = false; // news of the study came while it was being opened

/** "#/study/ID?trial=5" → {id, trial}; anything else is the list. */
function route() {
  const [path, query = ""] = location.hash.slice(1).split("?");
  const [, kind, id] = path.split("/");
  const trial = new URLSearchParams(query).get("trial");
  return kind === "study" && id ? { id: decodeURIComponent(id), trial: trial === null ? null : Number(trial) } : { id: null, trial: null };
}

const address = (id, trial) => `#/study/${encodeURIComponent(id)}${trial === null ? "" : `?trial=${trial}`}`;

let spoken = 0;
let waiting = null;

/** Say something to screen readers, the latest only if there is much to say. */
function announce(text) {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    spoken = Date.now();
    say(live, text);
  }, Math.max(0, spoken + QUIET - Date.now()));
}

async function go() {
  const { id, trial } = route();
  if (page && page.id === id) return page.select(trial);
  const mine = ++turn;
  missed = false;
  page?.close();
  page = null;
  say(crumb, "");
  stream.watch(id);
  if (id === null) {
    main.replaceChildren(list.element);
    list.draw();
    document.title = "suffice";
    if (!first) list.focus();
    first = false;
    return;
  }
  main.replaceChildren(h("p", { class: "empty", role: "status" }, "The study is being read …"));
  try {
    const opened = await openStudy(id, { trial, announce, chosen: (number) => history.replaceState(null, "", address(id, number)) });
    if (mine !== turn) return opened.close();
    page = opened;
    main.replaceChildren(page.element);
    say(crumb, visible(page.summary.name, 80));
    document.title = page.title;
    if (!first) page.focus();
    first = false;
    const known = list.studies.get(id);
    if (known) page.summarize(known);
    if (missed) await catchUp();
  } catch (error) {
    if (mine !== turn) return;
    main.replaceChildren(problem(id, error));
    if (error.status === 0 || error.status === 503) setTimeout(() => mine === turn && go(), 3000);
  }
}

/** Fetch what the open study has had meanwhile, unless another one is open when the answer comes. */
async function catchUp() {
  const asked = page;
  const news = await asked?.catchUp();
  if (news && asked === page) take(news);
}

/** News of the study that is open; one that was replaced is opened anew. */
function take(news) {
  if (page.replaced(news)) {
    page.close();
    page = null;
    go();
    return;
  }
  page.news(news);
  document.title = page.title;
}

function problem(id, error) {
  const known = list.studies.get(id);
  const words = known?.problem ?? `This study cannot be shown: ${error.message}`;
  return h("div", { class: "empty" }, h("h1", {}, visible(known?.name ?? "Study", 120)), h("p", { class: "problem", role: "alert" }, ...prose(words)), h("p", {}, h("a", { href: "#/" }, "All studies")));
}

const stream = new Stream({
  studies(news) {
    list.news(news);
    const changed = news.studies?.find(({ id }) => id === page?.id);
    if (changed) page.summarize(changed);
    if (page && news.removed?.includes(page.id)) page.summarize({ ...page.summary, state: "gone", problem: page.summary.problem ?? "The file is gone. What is shown is what was read of it." });
    // A study that could not be shown, such as an empty or damaged one, may be readable now.
    if (!page && news.studies?.some(({ id }) => id === route().id)) go();
  },
  trials(news) {
    if (page?.id !== news.study) {
      missed = true;
      return;
    }
    take(news);
  },
  state(connected, seconds) {
    connection.className = connected ? "connected" : "cut";
    say(connection, connected ? "live" : "not connected");
    show(lost, !connected);
    if (!connected) lost.replaceChildren(...prose(`The connection to the server is lost; the next attempt is in ${duration(seconds)}. What is shown may be old. If it stays so, look whether \`suffice dashboard\` is still running.`));
  },
  async opened() {
    try {
      list.replace((await ask("api/studies")).studies);
      if (first && !location.hash && list.studies.size === 1) location.replace(address([...list.studies.keys()][0], null));
      const known = page && list.studies.get(page.id);
      if (known) page.summarize(known);
      await catchUp();
    } catch (error) {
      show(lost, true);
      lost.replaceChildren(...prose(error.message));
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
go();
