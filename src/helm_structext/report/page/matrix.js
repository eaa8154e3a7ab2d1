// Shaded numbers, and the plot of a pair of metrics: a point for each answer.

import { showAnswers } from "./answers.js";
import { modelColor, modelNumber, models, sheetOf } from "./data.js";
import { make, onceAFrame, plainButton, replace, sideways } from "./dom.js";
import { filterBy, groupBy, number } from "./numbers.js";
import { open } from "./viewer.js";

/** @typedef {import("./types.js").View} View */

const SMALLEST = 0.0005; // a number that is printed as 0.000 has no color
const MOST_POINTS = 4_000; // of a plot; of more answers as many are drawn, evenly

export function drawMatrix(view, item) {
  if (!item.rows) return make("p", { class: "caption empty" }, "Too few answers rendered.");
  return item.pairs ? drawPairs(view, item) : heatTable(view, item, (row, column) => showAnswers(view, { ...row.show, model: modelNumber(column) }));
}

/** The table; a cell is chosen by a click, and pressed if it is one of a pair. */
function heatTable(view, item, choose, isPressed = null) {
  const head = make("tr", {}, make("th", { scope: "col" }, item.corner ?? make("span", { class: "hidden" }, "Metric")), item.columns.map((name) => make("th", { scope: "col" }, make("span", {}, name))));
  const cell = (row, found, i) => {
    if (!found) return make("td", { class: "none" }, item.pairs && row.title === item.columns[i] ? "" : "–");
    const [value, text] = found;
    const column = item.columns[i];
    const share = Math.abs(value) < SMALLEST ? 0 : Math.abs(value) * 0.7;
    const attributes = { class: "cell", "aria-label": `${row.title} and ${column}: ${text}`, "aria-pressed": isPressed && String(isPressed(row, column)), style: { "--share": share } };
    return make("td", { class: value < 0 ? "minus" : "plus" }, plainButton({ ...attributes, onclick: () => choose(row, column) }, text));
  };
  const groups = groupBy(item.rows, ({ group }) => group ?? "");
  const bodies = [...groups].map(([group, rows]) =>
    make(
      "tbody",
      {},
      group && make("tr", { class: "group" }, make("th", { scope: "rowgroup", colspan: item.columns.length + 1 }, group)),
      rows.map((row) => make("tr", {}, make("th", { scope: "row" }, row.title), (row.cells ?? []).map((found, i) => cell(row, found, i)))),
    ),
  );
  return sideways(`${view.title}: ${item.title}`, make("table", { class: item.pairs ? "heat" : "heat wide-cells" }, make("thead", {}, head), bodies));
}

/** A matrix of metrics beside the plot of the pair that is chosen. */
function drawPairs(view, item) {
  const chosen = { pair: item.columns.slice(0, 2) };
  const place = make("div");
  const plot = makePlot(view, item, () => chosen.pair);
  const show = () => {
    const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    const isPressed = ({ title }, column) => chosen.pair[0] === title && chosen.pair[1] === column;
    const choose = ({ title }, column) => {
      chosen.pair = [title, column];
      show();
    };
    replace(place, heatTable(view, item, choose, isPressed));
    if (focused) [...place.querySelectorAll("button")].find((button) => button.getAttribute("aria-label") === focused)?.focus();
    plot.show();
  };
  show();
  return make("div", { class: "correlation" }, place, plot.figure);
}

/** A plot that is painted when it is on the page, and again when that changes. */
function makePlot(view, item, pairOf) {
  const canvas = make("canvas", { role: "img" });
  const caption = make("figcaption");
  const figure = make("figure", { class: "scatter" }, canvas, caption);
  const state = { points: [], near: null };
  const show = () => paintPlot(view, item, pairOf(), canvas, caption, state);
  new ResizeObserver(onceAFrame(show)).observe(canvas);
  canvas.addEventListener("schemechange", show);
  canvas.addEventListener("mousemove", (event) => {
    const near = nearestPoint(state.points, event);
    canvas.style.cursor = near ? "pointer" : "";
    if (near === state.near) return;
    state.near = near;
    show();
  });
  canvas.addEventListener("click", (event) => {
    const near = nearestPoint(state.points, event);
    if (near) open(near);
  });
  return { figure, show };
}

/**
 * The answers of a plot, and how many there are: all, or as many as can be seen, evenly.
 * @param {View} view
 */
function plottedOf(view, item, [y, x]) {
  const passes = filterBy({ ...item.plot }, view.score);
  const left = new Set((item.leave_out ?? []).map(modelNumber));
  const all = sheetOf(view).answers.filter((answer) => answer.scores[x] !== null && answer.scores[y] !== null && !left.has(answer.model) && passes(answer));
  const every = Math.ceil(all.length / MOST_POINTS);
  const answers = all.filter((_, i) => i % every === 0);
  return { answers, count: every > 1 ? `${answers.length} of ${all.length} answers` : `${answers.length} answers` };
}

/** Where an axis begins and ends. */
function rangeOf(values, less) {
  const [low, high] = [Math.min(...values, Infinity), Math.max(...values, -Infinity)];
  return less || low < 0 || high > 1 ? [Math.min(0, low), Math.max(high, 0.01)] : [0, 1];
}

const EDGES = { left: 58, right: 14, top: 12, bottom: 40 };

/**
 * Paints a point for each answer.
 * @param {View} view
 */
function paintPlot(view, item, labels, canvas, caption, state) {
  const [y, x] = labels.map((label) => view.metrics.findIndex((metric) => metric.label === label));
  const { answers, count } = plottedOf(view, item, [y, x]);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (!width) return;
  const scale = Math.min(devicePixelRatio, 2);
  [canvas.width, canvas.height] = [width * scale, height * scale];
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const [rangeX, rangeY] = [x, y].map((metric) => rangeOf(answers.map(({ scores }) => scores[metric]), view.metrics[metric].less));
  const placeX = (v) => EDGES.left + ((v - rangeX[0]) / (rangeX[1] - rangeX[0])) * (width - EDGES.left - EDGES.right);
  const placeY = (v) => height - EDGES.bottom - ((v - rangeY[0]) / (rangeY[1] - rangeY[0])) * (height - EDGES.top - EDGES.bottom);
  context.font = `12px ${style.fontFamily}`;
  context.lineWidth = 1;
  for (let step = 0; step <= 4; step++) {
    const [u, v] = [rangeX, rangeY].map(([low, high]) => low + ((high - low) * step) / 4);
    context.strokeStyle = style.getPropertyValue("outline-color");
    context.beginPath();
    context.moveTo(placeX(u), EDGES.top);
    context.lineTo(placeX(u), height - EDGES.bottom);
    context.moveTo(EDGES.left, placeY(v));
    context.lineTo(width - EDGES.right, placeY(v));
    context.stroke();
    context.fillStyle = style.color;
    context.textAlign = "center";
    context.fillText(number(u, 2), placeX(u), height - EDGES.bottom + 16);
    context.textAlign = "right";
    context.fillText(number(v, 2), EDGES.left - 6, placeY(v) + 4);
  }
  context.textAlign = "center";
  context.fillText(labels[1], (EDGES.left + width - EDGES.right) / 2, height - 8);
  context.save();
  context.translate(12, (EDGES.top + height - EDGES.bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(labels[0], 0, 0);
  context.restore();
  const circle = ({ x, y }, radius) => {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
  };
  state.points = answers.map((answer) => ({ answer, x: placeX(answer.scores[x]), y: placeY(answer.scores[y]) }));
  context.globalAlpha = answers.length > 1000 ? 0.45 : 0.75;
  for (const point of state.points) {
    context.fillStyle = modelColor(point.answer.model);
    circle(point, 3.5);
    context.fill();
  }
  const near = state.points.find(({ answer }) => answer === state.near);
  if (near) {
    context.globalAlpha = 1;
    context.strokeStyle = style.color;
    context.lineWidth = 2;
    circle(near, 6);
    context.stroke();
  }
  const names = `${labels[0]} against ${labels[1]}`;
  canvas.setAttribute("aria-label", `${names}, ${count}`);
  const { answer } = near ?? {};
  replace(caption, answer ? `${models[answer.model]}, ${answer.instance.label}: ${number(answer.scores[y])} against ${number(answer.scores[x])}` : `${names}, ${count}`);
}

function nearestPoint(points, event) {
  let best = null;
  let least = 12 ** 2;
  for (const point of points) {
    const distance = (point.x - event.offsetX) ** 2 + (point.y - event.offsetY) ** 2;
    if (distance < least) [best, least] = [point.answer, distance];
  }
  return best;
}
