"""The style sheet of every page: for any width, light and dark screens, and paper.

Its colours are variables: --text and --back, --soft for words of less weight, --line and --head for tables, --good and
--bad for verdicts, with the colour of the words on them. What scrolls has a shade at the edge where there is more: the
gradients in the background's colour move with the content, and cover those of the shade at its ends. On paper nothing
scrolls: a table there has letters so small that its --letters, which `table` counts, fit.
"""

STYLE = """
:root { color-scheme: light dark; --text: #1b1b1b; --back: #fff; --soft: #5c5c5c; --line: #d9d9d9; --head: #f4f4f4;
  --shade: #0003; --good: #dff2e6; --good-text: #0b5a34; --bad: #fbe5d6; --bad-text: #8a3200; }
@media (prefers-color-scheme: dark) { :root { --text: #e8e8e8; --back: #16181b; --soft: #a6a6a6; --line: #3a3d42;
  --head: #202328; --shade: #fff5; --good: #123524; --good-text: #8fe0b4; --bad: #43230f; --bad-text: #ffb98a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem 1rem 4rem; max-width: 58rem; background: var(--back); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .4rem 0 .6rem; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .5rem; }
p { max-width: 46rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: 1rem 0; padding: 0; list-style: none; }
nav a { color: inherit; }
.verdict { border-left: .25rem solid var(--soft); padding-left: .9rem; margin: 1.2rem 0; }
.verdict p { margin: .35rem 0; }
.scroll { overflow-x: auto; margin: .6rem 0; background-repeat: no-repeat; background-image:
  linear-gradient(to right, var(--back) 40%, transparent), linear-gradient(to left, var(--back) 40%, transparent),
  linear-gradient(to right, var(--shade), transparent), linear-gradient(to left, var(--shade), transparent);
  background-position: left, right, left, right;
  background-size: 3rem 100%, 3rem 100%, .9rem 100%, .9rem 100%; background-attachment: local, local, scroll, scroll; }
.scroll.broad { width: max-content; min-width: 100%; max-width: calc(100vw - 3rem); position: relative; left: 50%;
  transform: translateX(-50%); }
.scroll::-webkit-scrollbar { height: .7rem; }
.scroll::-webkit-scrollbar-thumb { background: var(--soft); border: .2rem solid var(--back); border-radius: .35rem; }
table { border-collapse: separate; border-spacing: 0; overflow-wrap: normal; font-size: .875rem;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .2rem 0 .5rem; }
caption span { position: sticky; left: 0; }
th, td { padding: .28rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  white-space: nowrap; }
.broad table { font-size: .8125rem; } .broad th, .broad td { padding: .28rem .45rem; }
thead th { background: var(--head); vertical-align: bottom; white-space: normal; }
.whole { white-space: nowrap; }
th[scope="row"] { position: sticky; left: 0; background: var(--back); font-weight: 600; }
td.number, th.number { text-align: right; }
td.text, td.code { white-space: normal; min-width: 16rem; max-width: 32rem; overflow-wrap: break-word; }
td.code { font: .85em/1.45 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
td.best { font-weight: 700; }
td.agrees { background: var(--good); color: var(--good-text); font-weight: 600; }
td.differs { background: var(--bad); color: var(--bad-text); font-weight: 600; }
figure { margin: 1rem 0 2rem; }
.drawing { display: block; height: auto; max-width: 100%; fill: var(--text); stroke-linejoin: round; }
.drawing text { font-family: "DejaVu Sans", Verdana, sans-serif; }
.drawing.wide { min-width: 36rem; }
figcaption, .note { color: var(--soft); font-size: .9rem; max-width: 46rem; margin-top: .4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; }
@page { margin: 12mm; }
@media print { :root { color-scheme: light; --text: #000; --back: #fff; --soft: #444; --line: #bbb; --head: #eee;
    --good: #dff2e6; --good-text: #000; --bad: #fbe5d6; --bad-text: #000; }
  html { font-size: 9.5pt; } body { max-width: none; padding: 0; } nav { display: none; }
  .scroll { overflow: visible; background: none; container-type: inline-size; }
  .scroll.broad { width: auto; max-width: none; position: static; transform: none; }
  table, .broad table { font-size: min(7.5pt, calc(100cqw / (.6 * var(--letters)))); }
  th, td, .broad th, .broad td { padding: .15em .4em; }
  td.text, td.code { min-width: 0; }
  .drawing.wide { min-width: 0; } .drawing:not(.tall) { max-height: 245mm; }
  figure, tr { break-inside: avoid; } h2, .note, caption { break-after: avoid; } }
"""
# For pages whose tables are too broad for upright paper: they lie on sheets of their own.
LANDSCAPE = "@page broad { size: landscape; } @media print { .scroll.broad { page: broad; } }"
