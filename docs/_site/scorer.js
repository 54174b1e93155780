// What a search lists first. Sphinx gives the same score to every page that has a word, and sorts them by title: then
// the changelog, which has every word, comes before the page that explains it.
var Scorer = {
  score: ([docname, , , , score]) => {
    const [, added] = Scorer.places.find(([start]) => docname.startsWith(start)) ?? ["", 0];
    return score + added;
  },
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
