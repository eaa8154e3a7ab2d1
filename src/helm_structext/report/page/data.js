// The report's data: the views of all benchmarks, each with its sheets, instances and answers.

import { byId, make } from "./dom.js";
import { expand, groupBy, number, records } from "./numbers.js";

/** @type {any} */
export const data = JSON.parse(byId("index").textContent);

/** Names of models; elsewhere a model is its place in this list. */
export const models = data.models;
const places = new Map(models.map((name, i) => [name, i]));
/** The number of a model, or undefined. */
export const modelNumber = (name) => places.get(name);

let [instancesBefore, answersBefore] = [0, 0];

/** Links what the index tells of a view: instances, answers and sheets know each other. */
function linkView(view) {
  const instances = records(view.instances).map((one, index) => ({ ...view.kinds[one.kind], ...one, index, block: `i${instancesBefore + index}` }));
  const answers = records(view.answers).map((one, index) => ({
    ...view.states[one.state], ...one, view, index, block: `a${answersBefore + index}`,
  }));
  for (const answer of answers) answer.instance = instances[answer.instance];
  instancesBefore += instances.length;
  answersBefore += answers.length;
  const sheets = view.sheets.map((sheet, i) => ({
    ...sheet, models: sheet.models.map(modelNumber), answers: expand(view.shown[i]).map((n) => answers[n]),
  }));
  const score = view.metrics.findIndex(({ name }) => name === view.score);
  return Object.assign(view, {
    instances, sheets, score, at: 0, grouped: view.unit !== "answer", metric: score, items: [], form: null, list: null, section: null,
  });
}

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").Answer} Answer */

/** @type {View[]} */
export const views = data.views.map(linkView);
/** The view of that name, or undefined. */
export const viewNamed = (name) => views.find((view) => view.name === name);

/**
 * The sheet that a view shows.
 * @param {View} view
 */
export const sheetOf = (view) => view.sheets[view.at];

/**
 * The score of an answer by which it is shaded.
 * @param {Answer} answer
 */
export const scoreOf = (answer) => answer.scores[answer.view.score];

/**
 * The answers to an instance under the condition that is shown, as models are ranked.
 * @param {Answer} answer
 */
export function siblingsOf(answer) {
  const { models, answers } = sheetOf(answer.view);
  const ranks = new Map(models.map((model, i) => [model, i]));
  return answers.filter((one) => one.instance === answer.instance).toSorted((a, b) => ranks.get(a.model) - ranks.get(b.model));
}

/**
 * All answers that the filters leave.
 * @param {View} view
 */
export const listedOf = (view) => view.items.flatMap(({ answers }) => answers);

const MODEL_COLORS = [
  "#3b7dd8", "#e07b39", "#3a9d6e", "#c7476b", "#8b67c6",
  "#a08420", "#2fa3b5", "#b5653f", "#6f7f8f", "#d05fb4",
];
export const modelColor = (model) => MODEL_COLORS[model % MODEL_COLORS.length];
export const modelLabel = (model) => [
  make("span", { class: "dot", style: { background: modelColor(model) } }),
  make("span", { class: "model-name" }, models[model]),
];

/**
 * A score as cards show it: a number, or a verdict.
 * @param {import("./types.js").Metric} metric
 * @param {number | null} value
 */
export function scoreText({ verdict }, value) {
  if (!verdict || value === null) return number(value);
  const kind = value === 1 ? "right" : value ? "half" : "wrong";
  return make("span", { class: `verdict ${kind}` }, { right: "✓ right", half: "half right", wrong: "✗ wrong" }[kind]);
}

export const badges = ({ kind, truncated, refused }) => [
  kind && make("span", { class: `badge ${kind}` }, kind),
  truncated && make("span", { class: "badge truncated", title: "The model ran out of tokens" }, "truncated"),
  refused && make("span", { class: "badge refused", title: "The model or its provider declined" }, "refused"),
];

/** An error's message without the kind before it, which a badge shows. */
export const messageOf = ({ kind }, error) => (error.startsWith(`${kind}: `) ? error.slice(kind.length + 2) : error);

/**
 * Pairs of value and label of a facet that some answers have, or that any may get, in groups where the facet has these.
 * @param {import("./types.js").Facet} facet
 * @param {Answer[]} answers
 */
export function choicesOf(facet, answers) {
  const seen = new Set(answers.flatMap(({ tags, instance }) => [...(tags[facet.name] ?? []), ...(instance.tags[facet.name] ?? [])]));
  const present = Object.entries(facet.options).filter(([value]) => facet.every || seen.has(value));
  const groups = groupBy(present, ([value]) => facet.groups?.[value] ?? "");
  return [...groups].flatMap(([heading, choices]) => (heading ? [[heading, choices]] : choices));
}

