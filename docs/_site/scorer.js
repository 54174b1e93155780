// What a search lists first. Sphinx gives the same score to every page that has a word in any of its headings, and sorts
// them by title: then the changelog, which has every word, comes before the page that explains it.
var Scorer = {
  score: ([docname, title, anchor, , score, , kind]) => {
    const [, added] = Scorer.places.find(([start]) => docname.startsWith(start)) ?? ["", 0];
    const page = !anchor && kind !== "object" && Scorer.named(title);
    return score + added + (page ? Scorer.pageTitle : 0);
  },
  // Whether a title has all words that were searched for, whatever their endings.
  named: (title) => {
    const words = new URLSearchParams(window.location.search).get("q").toLowerCase().split(/\W+/).filter(Boolean);
    return words.every((word) => title.toLowerCase().includes(word.replace(/(?<=\w{4})(ing|es|e|s)$/, "")));
  },
  pageTitle: 8,
  // Less than the 10 between a word in a title and one in the text: a title still comes first.
  places: [
    ["reference/skopt", -3], // names of another library, many of which are ours, too
    ["reference/", 2],
    ["howto/", 2],
    ["tutorial/", 2],
    ["install", 2],
    ["coming-from/", -1],
    ["reproduction/", -2],
    ["project/", -4],
  ],
  // As Sphinx has them.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
