// Tables of models: numbers come from the data, nothing is computed here but their order.

import { showAnswers } from "./answers.js";
import { bar, histogram, stack } from "./bars.js";
import { modelColor, modelLabel, modelNumber, models } from "./data.js";
import { make, plainButton, replace, sideways } from "./dom.js";

/** @typedef {import("./types.js").View} View */

const KEYS = 9; // models that are chosen by a number

const numberIn = (cell) => (Array.isArray(cell) ? cell[1] ?? null : null);

/** A board, sorted by one of its columns, or as its rows come. */
export function drawBoard(view, item, option, title) {
  const place = make("div");
  const show = (order) => replace(place, boardTable(view, item, option, order, show, item.title ?? title));
  show(null);
  return [item.heading && make("h4", {}, item.title), place];
}

/** @param {View} view */
function boardTable(view, item, option, order, show, title) {
  const columns = item.columns.map((column, i) => ({ ...column, i })).filter(({ when }) => when === undefined || when === option);
  const rows = item.rows.map(({ model, cells = [] }) => ({ model: modelNumber(model), cells }));
  const best = columns.map(({ best, i }) => (best ? Math.max(...rows.map(({ cells }) => numberIn(cells[i]) ?? -Infinity)) : null));
  const value = ({ cells }) => numberIn(cells[order]) ?? -Infinity;
  const sorted = order === null ? rows : rows.toSorted((a, b) => (value(a) === value(b) ? 0 : value(b) - value(a)));
  const ranks = new Map(rows.map(({ model }, i) => [model, i + 1]));
  const body = sorted.map(({ model, cells }) =>
    make(
      "tr",
      {},
      item.keys && make("td", { class: "key" }, ranks.get(model) <= KEYS && make("kbd", {}, `${ranks.get(model)}`)),
      make("th", { scope: "row" }, plainButton({ class: "model", title: "Show its answers", onclick: () => showAnswers(view, { ...item.show, model }) }, modelLabel(model))),
      columns.map((column, i) => boardCell(view, column, cells[column.i], model, best[i])),
    ),
  );
  const head = [groupRow(columns, item.keys), headRow(view, columns, rows, item.keys, order, show)];
  return sideways(`${view.title}: ${title}, table`, make("table", { class: "board" }, make("thead", {}, head), make("tbody", {}, body)));
}

/** The headings over columns side by side, if there are any. */
function groupRow(columns, keys) {
  if (!columns.some(({ group }) => group)) return null;
  const groups = [];
  for (const { group = "", group_small = "" } of columns) {
    if (group && groups.at(-1)?.group === group) groups.at(-1).span++;
    else groups.push({ group, group_small, span: 1 });
  }
  return make(
    "tr",
    {},
    make("td", { colspan: keys ? 2 : 1 }),
    groups.map(({ group, group_small, span }) =>
      group ? make("th", { scope: "colgroup", colspan: span, class: "group" }, group, group_small && make("small", {}, group_small)) : make("td", { colspan: span }),
    ),
  );
}

/** The headers: a click on one sorts, on the words below it shows the answers that it counts. */
function headRow(view, columns, rows, keys, order, show) {
  const header = ({ title, small, i, show: filters }) => {
    const sorts = rows.some(({ cells }) => numberIn(cells[i]) !== null);
    const isChart = rows.some(({ cells }) => cells[i]?.counts || cells[i]?.bins);
    const below = small && (filters ? plainButton({ title: "Show its answers", onclick: () => showAnswers(view, filters) }, small) : small);
    return make(
      "th",
      { scope: "col", class: isChart ? null : "number", "aria-sort": i === order ? "descending" : null },
      sorts ? plainButton({ title: "Sort", onclick: () => show(i === order ? null : i) }, title) : title,
      below && make("small", {}, below),
    );
  };
  return make("tr", {}, keys && make("th", { scope: "col" }, make("span", { class: "hidden" }, "Key")), make("th", { scope: "col" }, "Model"), columns.map(header));
}

function boardCell(view, column, cell, model, best) {
  if (!cell) return make("td", { class: "number" }, "–");
  const choose = (filters) => showAnswers(view, { ...column.show, ...filters, model });
  if (cell.counts) return make("td", {}, stack(cell.counts, (value) => choose({ [cell.facet]: value })));
  if (cell.bins) return make("td", {}, histogram(cell.bins, model, column.title));
  const [text, value, low, high, said] = cell;
  const content = [
    column.most !== undefined && value != null && bar(value, modelColor(model), column.most, low && [low, high]),
    text,
    low && make("small", {}, `${low[1]}–${high[1]}`),
  ];
  const label = `${models[model]}, ${column.title}: ${text}`;
  return make(
    "td",
    { class: `number${value != null && value === best ? " best" : ""}`, title: said ?? null },
    column.show ? plainButton({ class: "cell", "aria-label": label, onclick: () => choose({}) }, content) : content,
  );
}
