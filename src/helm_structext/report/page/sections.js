// The sections of a view: of each sheet what is drawn above the answers, then the answers.

import { parameters, remember, rememberChoice } from "./address.js";
import { makeForm, offerFilters, showList, startAnswers } from "./answers.js";
import { drawBoard } from "./board.js";
import { modelLabel, modelNumber, sheetOf } from "./data.js";
import { byId, make, notes, replace, setOptions, sideways, watchSides } from "./dom.js";
import { makeGrid } from "./grid.js";
import { drawMatrix } from "./matrix.js";
import { legend } from "./pictures.js";
import { drawRadar } from "./radar.js";

/** @typedef {import("./types.js").View} View */

/** A table as `helm-structext tables` prints it. */
export function drawPrinted(_view, { title, columns, rows = [] }) {
  const head = make("tr", {}, columns.map((name, i) => make("th", { scope: "col", class: i ? "number" : null }, name)));
  const named = (name) => (modelNumber(name) === undefined ? name : make("span", { class: "model" }, modelLabel(modelNumber(name))));
  const body = rows.map(([name, ...cells]) => make("tr", {}, make("th", { scope: "row" }, named(name)), cells.map((cell) => make("td", { class: "number" }, cell))));
  return sideways(`${title}, table`, make("table", { class: "printed" }, make("thead", {}, head), make("tbody", {}, body)));
}

/** Kind of item to what draws it. */
const DRAWN = { board: drawBoard, matrix: drawMatrix, radar: drawRadar, printed: drawPrinted, note: () => null };

/** An item, and below it how it is read. */
export const drawItem = (view, item, option, title) => [DRAWN[item.kind](view, item, option, title), notes(item)];

/** Fills a section with the items that belong to the option that is chosen. */
function fillSection(view, { items, title }, place, option) {
  const shown = items.filter(({ when }) => when === undefined || when === option);
  replace(place, shown.map((item) => drawItem(view, item, option, title)));
}

function makeSection(view, section) {
  const place = make("div");
  const { switch: label, options = [], first = 0 } = section;
  const select = make("select");
  setOptions(select, options.map((name, i) => [i, name]));
  if (label) rememberChoice(select, `${view.name}.${section.name}`, first);
  select.addEventListener("change", () => fillSection(view, section, place, select.selectedIndex));
  fillSection(view, section, place, select.selectedIndex);
  const id = `${view.name}.${section.name}`;
  return make(
    "section",
    { id, class: section.printed ? null : "off-paper", "aria-label": `${view.title}: ${section.title}` },
    make("h3", {}, section.title),
    label && make("div", { class: "controls" }, make("label", {}, `${label} `, select)),
    place,
  );
}

/**
 * Fills all of a view with one of its sheets.
 * @param {View} view
 */
export function showSheet(view, at) {
  view.at = at;
  const { sections = [], warning } = sheetOf(view);
  replace(view.warning, warning);
  view.warning.hidden = !warning;
  replace(view.sections, sections.map((section) => makeSection(view, section)));
  for (const section of view.sections.children) section.setAttribute("tabindex", "-1");
  offerFilters(view);
  showList(view);
  const link = ({ name, title }) => make("a", { href: `#${view.name}.${name}` }, title);
  replace(view.nav, [...sections, { name: "answers", title: "Answers" }].map(link));
}

/**
 * Offers a view's conditions by their labels; the address names one alone, or with an answer under it.
 * @param {View} view
 */
function offerConditions(view, select) {
  const labels = view.sheets.map(({ label }) => label);
  const name = `${view.name}.condition`;
  setOptions(select, labels.map((label) => [label, label]));
  rememberChoice(select, name);
  const path = parameters().get("answer") ?? "";
  const under = labels.find((label) => path.startsWith(`${view.name}/${label}/`));
  if (under !== undefined) select.value = under;
  remember({ [name]: select.selectedIndex ? select.value : "" });
}

/**
 * Makes a view's place in the page, and fills it.
 * @param {View} view
 */
export function startView(view) {
  const { name, title } = view;
  const select = make("select", { id: `${name}-condition` });
  view.form = makeForm(view);
  view.nav = watchSides(make("nav", { class: "parts", "aria-label": `Parts of ${title}` }));
  view.warning = make("p", { class: "warning", hidden: true });
  view.sections = make("div");
  const list = make("div", { class: "list", role: "list", "aria-label": `Answers of ${title}` });
  const colors = legend(view).filter(Boolean);
  view.section = make(
    "section",
    { id: name, class: "view", "aria-labelledby": `${name}-title` },
    make("div", { class: "controls" }, make("h2", { id: `${name}-title` }, title), make("label", { hidden: view.sheets.length < 2 }, "Condition ", select)),
    view.nav,
    view.warning,
    view.sections,
    make(
      "section",
      { id: `${name}.answers`, class: "answers", "aria-label": `${title}: Answers` },
      make("h3", {}, "Answers"),
      view.form,
      makeGrid(view),
      colors.length > 0 && make("ul", { class: "legend", "aria-label": "Colors" }, colors),
      list,
    ),
  );
  byId("print-sheet").before(view.section);
  startAnswers(view, list);
  offerConditions(view, select);
  select.addEventListener("change", () => showSheet(view, select.selectedIndex));
  showSheet(view, select.selectedIndex);
}

