"""Drawings inside a page: greys follow its scheme, references stay inside, nothing comes along that has no place."""

import re

from suffice.report.html import drawing, figure_inline, themed

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 72 36">'


def test_greys_are_mixtures_of_text_and_background_and_colours_stay():
    assert themed("fill: #ffffff; stroke: #000000") == "fill: var(--back); stroke: var(--text)"
    assert themed("#333333") == "color-mix(in srgb,var(--text) 80%,var(--back))"
    assert themed("#0072b2 #fffffe") == "#0072b2 #fffffe"


def test_a_drawing_is_as_large_as_the_figure_and_has_a_description():
    made = drawing(f"{HEAD}</svg>", name="n", alt='a "b" <c>')
    opening = 'role="img" aria-label="a &quot;b&quot; &lt;c&gt;" width="120" height="60" viewBox="0 0 72 36">'
    assert made == f'<svg class="drawing" {opening}</svg>'
    assert 'class="drawing tall"' in drawing(HEAD.replace("72 36", "72 180") + "</svg>", name="n", alt="a")
    assert 'class="drawing wide"' in drawing(HEAD.replace("72 36", "504 36") + "</svg>", name="n", alt="a")


def test_what_scripts_and_other_places_could_do_is_left_out():
    inner = (
        "<metadata>m</metadata><script>alert(1)</script><style>*{fill:red}</style><foreignObject>f</foreignObject>"
        '<path d="M 0.123456 0\nL 1 1" onload="alert(1)"/><text>&lt;b&gt; &amp;</text>'
    )
    made = drawing(f"{HEAD}{inner}</svg>", name="n", alt="a")
    assert made.split(">", 1)[1] == '<path d="M 0.12 0 L 1 1" /><text>&lt;b&gt; &amp;</text></svg>'


def test_ids_that_are_used_are_unlike_those_of_any_other_drawing():
    inner = '<path id="a" d="M 0 0"/><use xlink:href="#a" clip-path="url(#c)"/><clipPath id="c"/><g id="unused"/>'
    first, second = (drawing(f"{HEAD}{inner}</svg>", name=name, alt="a") for name in ("one", "two"))
    ids, others = (re.findall('id="([^"]+)"', text) for text in (first, second))
    assert len(set(ids)) == len(ids) == 2
    assert not set(ids) & set(others)
    assert f'href="#{ids[0]}"' in first
    assert f"url(#{ids[1]})" in first
    assert all(re.fullmatch("[a-z][-0-9a-z]*", id_) for id_ in ids)


def test_a_style_that_many_have_is_written_once():
    inner = '<path style="fill: #ff0000; stroke: #ffffff"/>' * 3 + '<path style="fill: #00ff00"/>'
    made = drawing(f"{HEAD}{inner}</svg>", name="n", alt="a")
    assert made.count("fill:#ff0000;stroke:var(--back)") == 1
    assert made.count('<path class="') == 3
    assert '<path style="fill:#00ff00" />' in made


def test_a_figure_has_a_caption_if_there_is_one():
    with_words, without = (figure_inline(f"{HEAD}</svg>", name="n", alt="a", caption=text) for text in ("<w>", ""))
    assert "<figcaption>&lt;w&gt;</figcaption>" in with_words
    assert "figcaption" not in without
