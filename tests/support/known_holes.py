"""Answers that are wrong and score much, each beside an honest answer to the same that is half right."""

import json
from typing import NamedTuple

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 240" width="400" height="240">{}</svg>'
TITLE = '<text x="20" y="40" font-size="24">Sales in {}</text>'
BARS = "".join(
    f'<rect x="{40 + 70 * n}" y="{200 - h}" width="40" height="{h}" fill="#3366cc"/>'
    for n, h in enumerate((60, 110, 90, 130, 75))
)
SOME_BARS = "".join(BARS.split("/>")[n] + "/>" for n in range(2))
MUSIC = r"\version \"2.24.0\" {{ \time 4/4 {} }}".replace('\\"', '"')
NOTES = "c'4 d' e' f' | g' a' b' c'' | e'2 g' | c'1"
OTHERS = "a'4 f' b' d' | e' c'' g' f' | b'2 d'' | a'1"
RESTS = "r4 r r r | r r r r | r2 r | r1"
FLOW = "flowchart TD\n A[{}] --> B{{{}}}\n B -->|{}| C[{}]\n B -->|{}| D[{}]"
WORDS = ("Order arrives", "In stock?", "yes", "Send parcel", "no", "Write letter")
OTHER_WORDS = ("Apple falls", "Is ripe?", "ja", "Bake a cake", "nein", "Plant tree")
MESSAGES = "sequenceDiagram\n participant A as Anna\n participant B as Bert\n" + "\n".join(
    f" {{}}->>{{}}: {words}"
    for words in ("Where is it?", "In the box", "Which box?", "The red one")
)
PAGE = '<body style="font: 16px sans-serif; margin: 40px">{}<div style="display: flex; gap: 20px">{}</div></body>'
CARD = '<div style="width: 200px; height: 120px; border: 1px solid #888; background: #eef; padding: 12px">{}</div>'
CARDS = ("Milk and bread for two", "Tea from the mountains", "Fresh fish on Fridays")
EMPTY_CARDS = "".join(CARD.format("") for _ in CARDS)
HEADING = "<h2>What we sell</h2>"
TABLE = r"\begin{{tabular}}{{lrr}} {} \end{{tabular}}"
ROWS = r"Name & Height & Mass \\ \hline Ada & 165 & 54 \\ Bob & 181 & 83 \\ Cem & 174 & 70 \\"
WRONG_ROWS = (
    r"Town & People & Areas \\ \hline Ulm & 812 & 97 \\ Bonn & 330 & 41 \\ Jena & 111 & 64 \\"
)
EXCHANGED_ROWS = (
    r"Cem & 70 & Name \\ \hline 181 & Height & Bob \\ 54 & Ada & 174 \\ Mass & 83 & 165 \\"
)
HALF_ROWS = r"Name & Height & Mass \\ \hline Ada & 165 & 54 \\ Bob & 181 & 38 \\"
NAMES = ("Bread", "Milk", "Tea", "Fish", "Rice", "Salt")
RIGHT_PRICES = ("12.40", "3.15", "7.80", "24.90", "5.60", "1.95")
WRONG_PRICES = ("21.53", "4.26", "8.91", "35.07", "6.73", "2.88")
PRICES = (
    '<body style="font: 16px sans-serif; margin: 40px"><h2>Prices</h2><table>{}</table>'.format(
        "".join(f"<tr><td>{name}</td><td>{{}}</td></tr>" for name in NAMES)
    )
)
HALF_PRICES = "</tr>".join(PRICES.format(*RIGHT_PRICES).split("</tr>")[:3]) + "</tr></table>"
PLOT = (
    '{{"title": "Sales", "data": {{"values": {1}}}, "mark": {{"type": "bar", "opacity": {0}}}, "encoding": '
    '{{"x": {{"field": "month", "type": "nominal"}}, "y": {{"field": "sales", "type": "quantitative"}}}}}}'
)
SALES = [
    {"month": month, "sales": sales}
    for month, sales in zip(("Jan", "Feb", "Mar", "Apr"), (28, 55, 43, 91), strict=True)
]


class Hole(NamedTuple):
    """An answer that is wrong, the right one, and one that is half right."""

    format: str
    right: str
    wrong: str
    half: str


HOLES = {
    "a wrong digit in a title": Hole(
        "svg",
        SVG.format(TITLE.format(2024) + BARS),
        SVG.format(TITLE.format(2021) + BARS),
        SVG.format(TITLE.format(2024) + SOME_BARS),
    ),
    "every note wrong": Hole(
        "lilypond", MUSIC.format(NOTES), MUSIC.format(OTHERS), MUSIC.format(NOTES[:22])
    ),
    "nothing but rests": Hole(
        "lilypond", MUSIC.format(NOTES), MUSIC.format(RESTS), MUSIC.format(NOTES[:22])
    ),
    "every word of a diagram wrong": Hole(
        "mermaid",
        FLOW.format(*WORDS),
        FLOW.format(*OTHER_WORDS),
        "\n".join(FLOW.format(*WORDS).split("\n")[:3]),
    ),
    "boxes of a page without text": Hole(
        "html",
        PAGE.format(HEADING, "".join(map(CARD.format, CARDS))),
        PAGE.format("<h2>&nbsp;</h2>", EMPTY_CARDS),
        PAGE.format(HEADING, "".join(map(CARD.format, ("Milk or bread for two", CARDS[1])))),
    ),
    "every entry of a table wrong": Hole(
        "latex", TABLE.format(ROWS), TABLE.format(WRONG_ROWS), TABLE.format(HALF_ROWS)
    ),
    "arrows without heads": Hole(
        "mermaid",
        FLOW.format(*WORDS),
        FLOW.format(*WORDS).replace("-->", "---"),
        "\n".join(FLOW.format(*WORDS).split("\n")[:3]),
    ),
    "labels of a diagram exchanged": Hole(
        "mermaid",
        FLOW.format(*WORDS),
        FLOW.format(*(WORDS[number] for number in (3, 5, 4, 1, 2, 0))),
        "\n".join(FLOW.format(*WORDS).split("\n")[:3]),
    ),
    "entries of a table exchanged": Hole(
        "latex", TABLE.format(ROWS), TABLE.format(EXCHANGED_ROWS), TABLE.format(HALF_ROWS)
    ),
    "messages turned round": Hole(
        "mermaid",
        MESSAGES.format(*"ABBAABBA"),
        MESSAGES.format(*"BAABBAAB"),
        "\n".join(MESSAGES.format(*"ABBAABBA").split("\n")[:5]),
    ),
    "every number of a page wrong": Hole(
        "html", PRICES.format(*RIGHT_PRICES), PRICES.format(*WRONG_PRICES), HALF_PRICES
    ),
    "bars that are hardly to be seen": Hole(
        "vega",
        PLOT.format(1, json.dumps(SALES)),
        PLOT.format(0.02, json.dumps(SALES)),
        PLOT.format(1, json.dumps(SALES[:2])),
    ),
}
