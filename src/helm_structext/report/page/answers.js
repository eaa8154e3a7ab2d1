// The answers of a view: the filters, the list of cards, and the grid.

import { clearField, recallFilters, rememberFilters } from "./address.js";
import { blockOf, readOn, textFilter } from "./blocks.js";
import { chipsOf } from "./categories.js";
import { badges, choicesOf, data, messageOf, modelLabel, models, scoreText, sheetOf, siblingsOf } from "./data.js";
import { byId, make, plainButton, replace, setOptions, sideways } from "./dom.js";
import { showGrid } from "./grid.js";
import { newList, showItems } from "./list.js";
import { ORDERS, counted, filterBy, groupItems, number, sortBy } from "./numbers.js";
import { cardPanels, rowPanels } from "./panels.js";
import { EDGE, PANELS, fit, makePictures, panelSizes } from "./pictures.js";
import { hold } from "./places.js";
import { open, shotOf } from "./viewer.js";

/** @typedef {import("./types.js").View} View */

const CARD = { head: 36, caption: 22, gap: 14, padding: 14, least: 48, text: 150, row: 36 }; // pixels
const TALLEST = 320; // pixels of a picture on a card
const BESIDE = [340, 440]; // and of one beside the answers to its instance

const fieldsOf = ({ form }) => Object.fromEntries([...form.elements].filter(({ name }) => name).map(({ name, value }) => [name, value]));

/**
 * Fills the choices of the filters with what the sheet has.
 * @param {View} view
 */
export function offerFilters(view) {
  const { form, facets, metrics, score } = view;
  const { answers, models: ranked } = sheetOf(view);
  setOptions(form.elements.model, [["", "all"], ...ranked.map((model) => [model, models[model]])]);
  for (const facet of facets) setOptions(form.elements[facet.name], [["", "all"], ...choicesOf(facet, answers)]);
  setOptions(form.elements.metric, metrics.map(({ name, label }) => [name, label]));
  form.elements.metric.options[score].defaultSelected = true;
  form.elements.metric.selectedIndex = score;
  recallFilters(view);
}

/**
 * Shows the answers that pass the filters, and stays at one if it is among them.
 * @param {View} view
 */
export function showList(view, keep = view.items[view.list.selected]?.answers[0]) {
  const { text, metric, order, ...filters } = fieldsOf(view);
  const { answers, models: ranked } = sheetOf(view);
  view.metric = view.metrics.findIndex(({ name }) => name === metric);
  const unread = [];
  const fits = text ? textFilter(text, unread) : () => true;
  const passes = filterBy(filters, view.metric);
  const passing = answers.filter((answer) => passes(answer) && fits(answer));
  view.items = groupItems(sortBy(ORDERS[order][1], view.metric, passing, ranked), ranked, view.grouped);
  rememberFilters(view);
  const all = view.grouped ? new Set(answers.map(({ instance }) => instance)).size : answers.length;
  const count = view.items.length;
  const reading = unread.length ? `, ${unread.length} to read` : "";
  replace(view.count, count < all ? `${count} of ${all}${reading}` : counted(all, view.unit));
  showItems(view.list, view.items, view.items.findIndex((item) => item.answers.includes(keep)));
  showGrid(view);
  readOn(view, unread, () => showList(view));
}

/**
 * Goes to the answers, with these filters and no others.
 * @param {View} view
 */
export function showAnswers(view, filters) {
  const { metric, order } = fieldsOf(view);
  const wanted = { metric, order, ...filters };
  for (const { name } of view.form.elements) if (name) view.form.elements[name].value = wanted[name] ?? "";
  showList(view, null);
  hold(byId(`${view.name}.answers`));
}

/** The answers that an item's card shows: its own, or all to its instance by the models that are chosen. */
function answersOn(view, { answers }) {
  if (!view.grouped) return answers;
  const { model } = fieldsOf(view);
  return siblingsOf(answers[0]).filter((answer) => model === "" || answer.model === Number(model));
}

/**
 * How the panels of a card are arranged: columns, and the box of each picture.
 * @param {View} view
 */
function arrangement(view, { instance, answers }) {
  const width = view.list.place.clientWidth - 2 * (1 + CARD.padding);
  if (view.grouped) return { columns: 1, box: [Math.min(BESIDE[0], width), BESIDE[1]] };
  const sizes = panelSizes(shotOf(answers[0]));
  const panels = PANELS.filter((name) => sizes[name]).length + (instance.open ?? 0) + (answers[0].open ?? 0);
  const columns = Math.min(width >= 860 ? 4 : width >= 440 ? 2 : 1, Math.max(1, panels));
  return { columns, panels, box: [Math.floor((width - (columns - 1) * CARD.gap) / columns), TALLEST] };
}

/**
 * About how tall a card is: pictures' sizes are known before any has come.
 * @param {View} view
 */
function cardHeight(view, item) {
  const { columns, panels, box } = arrangement(view, item);
  const sizes = panelSizes(shotOf(item.answers[0]));
  const inner = box.map((side) => side - 2 * EDGE);
  const heights = PANELS.filter((name) => sizes[name]).map((name) => Math.max(CARD.least, fit(sizes[name], inner)[1] + 2 * EDGE));
  if (view.grouped) return CARD.head + 2 * CARD.padding + Math.max(...heights, CARD.text + CARD.row * answersOn(view, item).length);
  while (heights.length < panels) heights.push(CARD.text);
  let height = CARD.head + 2 * (1 + CARD.padding);
  for (let i = 0; i < heights.length; i += columns) height += Math.max(...heights.slice(i, i + columns)) + CARD.caption + (i ? CARD.gap : 0);
  return height;
}

/** The chosen score of an answer, and those that every card has. */
function values(answer) {
  const { view, scores } = answer;
  const shown = view.metrics.map((metric, i) => [metric, scores[i], i]).filter(([{ brief }, value, i]) => i === view.metric || (brief && value !== null));
  return shown
    .toSorted(([, , i], [, , j]) => Number(j === view.metric) - Number(i === view.metric))
    .map(([metric, value]) => make("span", { class: "value" }, metric.verdict ? scoreText(metric, value) : [`${metric.label} `, make("b", {}, number(value))]));
}

const opener = (answer) => plainButton({ class: "model", title: "Large view (Enter)", onclick: () => open(answer) }, modelLabel(answer.model));

/**
 * A card without its texts and pictures, which come when it is filled.
 * @param {View} view
 */
function makeCard(view, item) {
  const { instance, answers } = item;
  const answer = answers[0];
  const named = view.grouped ? "" : `${models[answer.model]}, `;
  const { columns, box } = arrangement(view, item);
  const on = answersOn(view, item);
  const { figures, fillPanels } = makePictures(shotOf(answer, null, on), PANELS, box, { small: true });
  const card = make(
    "div",
    { class: view.grouped ? "card grouped" : "card", "aria-label": `${named}${instance.label}, ${instance.id}` },
    make(
      "header",
      {},
      !view.grouped && opener(answer),
      make("span", { class: "subset" }, instance.label),
      instance.remarks.map((remark) => make("span", { class: "subset" }, remark)),
      make("code", {}, instance.id),
      make("span", { class: "space" }),
      !view.grouped && [chipsOf(answer), badges(answer), values(answer)],
    ),
    make("div", { class: "panels", style: { gridTemplateColumns: view.grouped ? null : `repeat(${columns}, minmax(0, 1fr))` } }, figures, view.grouped && make("div", { class: "texts" })),
  );
  card.addEventListener("click", ({ target }) => {
    const chosen = target.closest("button, a, pre, details, .checks, .replies") || `${getSelection()}`;
    view.list.selected = card.position;
    if (!chosen) open(answer);
  });
  card.fill = async () => {
    if (view.grouped) await fillTexts(card.querySelector(".texts"), card, instance, on);
    else {
      const [asked, said] = await Promise.all([instance.block, answer.block].map(blockOf));
      const error = messageOf(answer, said.error ?? "");
      const place = card.querySelector(".panels");
      const rendering = figures.find(({ dataset }) => dataset.panel === "rendering");
      place.append(...cardPanels(said.panels, error, rendering ?? figures.at(-1)));
      place.prepend(...cardPanels(asked.panels));
    }
    await fillPanels();
  };
  return card;
}

/** What is said of an instance, and below it a row for each answer. */
async function fillTexts(place, card, instance, answers) {
  const [asked, ...said] = await Promise.all([instance, ...answers].map(({ block }) => blockOf(block)));
  const point = (model, on) => card.querySelector(`.boxes [data-model="${model}"]`)?.classList.toggle("pointed", on);
  const rows = answers.map((answer, i) =>
    make(
      "tr",
      { onmouseenter: () => point(answer.model, true), onmouseleave: () => point(answer.model, false) },
      make("th", { scope: "row" }, opener(answer)),
      make("td", { class: "reply" }, rowPanels(said[i].panels)),
      make("td", { class: "values" }, chipsOf(answer), badges(answer), values(answer)),
    ),
  );
  place.append(...cardPanels(asked.panels), sideways(`Answers to ${instance.id}`, make("table", { class: "replies" }, make("tbody", {}, rows))));
}

/** Shows what a form filters whenever it changes; text once its writer pauses. */
function onFilter(form, show) {
  let pause;
  form.addEventListener("input", (event) => {
    clearTimeout(pause);
    pause = setTimeout(show, event.target.name === "text" ? 150 : 0);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const field of form.elements) clearField(field);
    show();
  });
}

const labeled = (label, ...field) => make("label", {}, `${label} `, field);
const select = (name) => make("select", { name });

/**
 * The form that filters the answers of a view.
 * @param {View} view
 */
export function makeForm(view) {
  const orders = Object.entries(ORDERS).map(([value, [label]]) => make("option", { value }, label));
  const bound = (name, label) => make("label", { class: "narrow" }, `${label} `, make("input", { type: "number", name, step: 0.05, inputmode: "decimal" }));
  view.count = make("output", { "aria-live": "polite" });
  return make(
    "form",
    { class: "filters", role: "search", "aria-label": `Filter the answers of ${view.title}` },
    make("label", { class: "wide" }, "Text ", make("input", { type: "search", name: "text", placeholder: "id, code, message ( / )", autocomplete: "off", spellcheck: "false" })),
    labeled("Model", select("model")),
    view.facets.map(({ name, label }) => labeled(label, select(name))),
    labeled("Metric", select("metric")),
    bound("least", "from"),
    bound("most", "to"),
    labeled("Order", make("select", { name: "order" }, orders)),
    make("button", { type: "reset" }, "Reset"),
    view.count,
  );
}

/**
 * Makes a view's list, once its form and its place are in the page.
 * @param {View} view
 */
export function startAnswers(view, place) {
  view.list = newList(place, view.form, (item) => cardHeight(view, item), (item) => makeCard(view, item));
  onFilter(view.form, () => showList(view));
  // A search in a file that is still read goes on when it is whole.
  if (!data.shards) document.addEventListener("DOMContentLoaded", () => view.form.elements.text.value && showList(view));
}
