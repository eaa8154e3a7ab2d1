// Models × instances: a row for each model, a column for each instance that the list shows, and a
// cell for each answer, shaded by its score. And the same as CSV.

import { rememberChoice } from "./address.js";
import { listedOf, modelLabel, models, scoreOf, sheetOf } from "./data.js";
import { fill, make, onceAFrame, plainButton, replace, saveFile, sideways } from "./dom.js";
import { clamp, counted, csvText, number } from "./numbers.js";
import { open } from "./viewer.js";

/** @typedef {import("./types.js").View} View */

const MOST_COLUMNS = 240; // of instances; the first in the chosen order are shown
const ROW = 25; // pixels
const CELLS = 500; // that are made in a frame: thousands would be a pause
const NEAR = "800px"; // of the screen: where a grid gets its other rows

const GRID_ORDERS = {
  listed: ["as listed", () => 0],
  disagreement: ["most disagreement", (a, b) => b.spread - a.spread],
  lowest: ["lowest mean", (a, b) => a.mean - b.mean],
};

/**
 * Instances with their answers by model, and how far those are apart (standard deviation).
 * @param {View} view
 */
function gridColumns(view) {
  const wanted = new Map(listedOf(view).map((answer) => [answer.instance, new Map()]));
  for (const answer of sheetOf(view).answers) wanted.get(answer.instance)?.set(answer.model, answer);
  return [...wanted.values()].map((answers) => {
    const values = [...answers.values()].map(scoreOf).filter((value) => value !== null);
    const mean = values.reduce((sum, value) => sum + value, 0) / (values.length || 1);
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length || 1));
    return { answers, mean, spread };
  });
}

/**
 * Fills a view's grid; called whenever its list changes.
 * @param {View} view
 */
export function showGrid(view) {
  const { grid } = view;
  const { place } = grid;
  const columns = gridColumns(view).toSorted(GRID_ORDERS[place.querySelector("select").value][1]);
  const shown = columns.slice(0, MOST_COLUMNS);
  const { models: rows } = sheetOf(view);
  const body = make("tbody");
  Object.assign(grid, { body, shown, waiting: [...rows], count: Math.ceil(CELLS / (shown.length || 1)) });
  addRows(grid);
  const first = body.querySelector("button");
  if (first) first.tabIndex = 0;
  const whole = make("div", { style: { minHeight: `${ROW * rows.length}px` } }, make("table", {}, body));
  replace(fill(place.querySelector(".scroll"), { style: { containIntrinsicSize: `auto ${ROW * (rows.length + 1)}px` } }), whole);
  const left = columns.length - shown.length;
  replace(place.querySelector("small"), `${counted(shown.length, "instance")}${left ? `, and ${left} more` : ""}; darker is better, ✕ failed`);
  place.hidden = !shown.length;
}

/** Makes some of a grid's rows, and the others frame by frame if it is near the screen. */
function addRows({ body, shown, waiting, count, near, more }) {
  const row = (model) => make("tr", {}, make("th", { scope: "row" }, modelLabel(model)), shown.map(({ answers }) => gridCell(answers.get(model))));
  body.append(...waiting.splice(0, count).map(row));
  if (near && waiting.length) more();
}

function gridCell(answer) {
  if (!answer) return make("td");
  const { instance, kind, model } = answer;
  const value = scoreOf(answer);
  const said = `${models[model]}, ${instance.label}, ${instance.id}: ${value === null ? "no score" : number(value)}${kind ? `, ${kind}` : ""}`;
  const cell = plainButton({ tabindex: -1, title: said, "aria-label": said, style: { "--share": clamp(value ?? 0, 0, 1) ** 2 } }, kind && "✕");
  cell.answer = answer;
  return make("td", {}, cell);
}

/** Arrows move in a grid, as one stop of the tabulator key. */
function onGridKey(event) {
  const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
  const cell = event.target.closest("td");
  if (!by || !cell) return;
  event.preventDefault();
  event.stopPropagation();
  const row = [...cell.closest("tbody").rows][cell.parentElement.rowIndex + by[1]];
  const next = row?.cells[cell.cellIndex + by[0]]?.querySelector("button");
  if (!next) return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

/**
 * Makes a view's grid, which is empty yet.
 * @param {View} view
 */
export function makeGrid(view) {
  const order = make("select", {}, Object.entries(GRID_ORDERS).map(([value, [label]]) => make("option", { value }, label)));
  const csv = make("button", { type: "button", class: "small", onclick: () => saveCsv(view) }, "CSV of what is listed");
  const place = make(
    "div",
    { class: "grid" },
    make("div", { class: "controls" }, make("label", {}, "Grid ", order), make("small"), make("span", { class: "space" }), csv),
    fill(sideways(`${view.title}, models by instances`), { tabindex: -1 }), // its cells have the focus
  );
  /** @type {any} */
  const grid = { place, waiting: [], near: false, more: onceAFrame(() => addRows(grid)) };
  view.grid = grid;
  /** @param {IntersectionObserverEntry[]} entries */
  const onNear = ([{ isIntersecting }]) => {
    grid.near = isIntersecting;
    if (isIntersecting && grid.waiting.length) grid.more();
  };
  new IntersectionObserver(onNear, { rootMargin: NEAR }).observe(place);
  order.addEventListener("change", () => showGrid(view));
  rememberChoice(order, `${view.name}.grid`);
  place.addEventListener("keydown", onGridKey);
  place.addEventListener("click", ({ target }) => {
    const cell = target.closest("button");
    if (cell?.answer) open(cell.answer);
  });
  return place;
}

/**
 * The answers that a view lists: under which condition, what they are, what came of them, and every score.
 * @param {View} view
 */
export function csvRows(view) {
  const outcome = ({ kind, refused, truncated }) => kind ?? (refused ? "refused" : truncated ? "truncated" : "");
  return [
    ["benchmark", "condition", "part", "instance", "model", "outcome", ...view.metrics.map(({ label }) => label)],
    ...listedOf(view).map((answer) => [
      view.name, sheetOf(view).label, answer.instance.part, answer.instance.id, models[answer.model], outcome(answer), ...answer.scores,
    ]),
  ];
}

const saveCsv = (view) => saveFile(`${view.name}.csv`, "text/csv", csvText(csvRows(view)));
