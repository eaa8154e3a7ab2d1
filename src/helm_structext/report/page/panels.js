// Texts, code and verdicts of an instance or an answer, each kind drawn in one way on cards and in the large view.

import { codePart, copyButton } from "./codes.js";
import { make } from "./dom.js";
import { marksPart } from "./marks.js";

const MARKS = { 1: ["✓", "right", "true"], 0: ["✗", "wrong", "false"], "-": ["–", "none", "no verdict"] };

const countOf = (verdicts) => verdicts.split("1").length - 1;

function checks({ items = [], verdicts, code }) {
  const item = ([asked, expected], letter) => {
    const [sign, kind, said] = MARKS[letter] ?? ["", "none", "not judged"];
    return make(
      "li",
      {},
      make("span", { class: `verdict ${kind}`, title: said, role: "img", "aria-label": said }, sign),
      make("span", {}, code ? make("code", {}, asked) : asked, " ", expected && make("b", {}, expected)),
    );
  };
  return make("ol", { class: "checks", tabindex: 0 }, items.map((one, i) => item(one, verdicts?.[i])));
}

const orNothing = (text) => (text?.trim() ? text : "(nothing)");

/** Kind to what draws it on a card; what has none is drawn over pictures. */
const CARDS = {
  text: ({ text }) => make("pre", { class: "prose", tabindex: 0 }, orNothing(text)),
  code: ({ text }, error) => make("pre", { tabindex: 0 }, error && [make("b", {}, error), "\n"], orNothing(text)),
  checks,
  mistakes: ({ sentence }) => make("p", {}, sentence),
};

/** Kind to what draws it in the large view. */
const VIEWS = {
  text: ({ title, text }) => [make("h3", {}, title, " ", copyButton(text ?? "", title)), make("p", { class: "text" }, orNothing(text))],
  code: ({ title, text, language }) => codePart(title, text ?? "", language),
  checks: (panel) => [make("h3", {}, titleOf(panel)), checks(panel)],
  mistakes: marksPart,
};

/** A panel's title, with how many verdicts are true. */
function titleOf({ title, verdicts, counted }) {
  return counted && verdicts ? `${title}: ${countOf(verdicts)} of ${verdicts.length}` : title;
}

export const viewPanel = (panel) => VIEWS[panel.kind]?.(panel) ?? [];

/** What an answer's row says in its instance's card, one below the other. */
export const rowPanels = (panels) => panels.filter(({ kind, card }) => card && CARDS[kind]).map((panel) => CARDS[panel.kind](panel));

/**
 * A card's panels; those that are folded stand below the one before them, the first below what is there
 * `before`. An error stands in the first code.
 */
export function cardPanels(panels, error = "", before = null) {
  const figures = [];
  let said = error;
  for (const panel of panels.filter(({ kind, card }) => card && CARDS[kind])) {
    const content = CARDS[panel.kind](panel, panel.kind === "code" && said);
    if (panel.kind === "code") said = "";
    const title = titleOf(panel);
    const above = panel.folded && (figures.at(-1) ?? before);
    if (above) above.append(make("details", {}, make("summary", {}, title), content));
    else figures.push(make("figure", { class: `panel ${panel.kind}` }, make("figcaption", {}, title), content));
  }
  return figures;
}

/** The codes of a block: what was written first, what was made of it last. */
export const codesOf = ({ panels }) => panels.filter(({ kind }) => kind === "code");

/** The boxes of a block. */
export const boxesOf = ({ panels }) => panels.filter(({ kind }) => kind === "boxes").flatMap(({ boxes }) => boxes);

/** The plan of a block, if there is one. */
export const planOf = ({ panels }) => panels.find(({ kind }) => kind === "transport")?.plan;
