"use strict";
// The report's data, and the few helpers that everything below uses. What comes from models and
// datasets enters the page through `make` alone: as text or as an attribute, never as markup.

const byId = (id) => document.getElementById(id);

/** Records from the columns in which they come. */
function records(columns) {
  const names = Object.keys(columns);
  return (columns[names[0]] ?? []).map((_, i) => {
    const record = {};
    for (const name of names) record[name] = columns[name][i];
    return record;
  });
}

const page = JSON.parse(byId("index").textContent);
const data = { ...page, ...page.image2struct, answers: records(page.image2struct.answers) };

/** Fills an element: attributes by name, `on…` as listeners, styles by name; children are elements or text. */
function fill(element, attributes = {}, ...children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") setStyles(element.style, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

/** Sets styles, also variables such as `--share`. */
function setStyles(style, values) {
  for (const [name, value] of Object.entries(values)) {
    if (name.startsWith("--")) style.setProperty(name, value);
    else style[name] = value;
  }
}

const make = (tag, ...rest) => fill(document.createElement(tag), ...rest);
const draw = (tag, ...rest) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), ...rest);

function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity));
}

/** Gives a select its options, pairs of value and label; a group is a label and such pairs. */
function options(select, choices) {
  const option = ([value, label]) => make("option", { value }, label);
  replace(
    select,
    choices.map(([value, label]) =>
      Array.isArray(label) ? make("optgroup", { label: value }, label.map(option)) : option([value, label]),
    ),
  );
}

/** What is wider than the screen moves sideways by itself, also by keys. */
const sideways = (label, ...content) => watchSides(make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, content));

/** Says on which sides of its box something goes on. */
function markSides(box) {
  const left = box.scrollWidth - box.clientWidth - Math.abs(box.scrollLeft);
  box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
  box.classList.toggle("more-left", Math.abs(box.scrollLeft) > 1);
  box.classList.toggle("more-right", left > 1);
}

const sideSizes = new ResizeObserver((entries) => new Set(entries.map(({ target }) => target.closest(".scroll, nav"))).forEach((box) => box && markSides(box)));

/** Marks a box whenever it, or what is in it, moves or changes its size. */
function watchSides(box) {
  const watchContent = () => [...box.children].forEach((child) => sideSizes.observe(child));
  box.addEventListener("scroll", () => markSides(box), { passive: true });
  new MutationObserver(watchContent).observe(box, { childList: true });
  sideSizes.observe(box);
  watchContent();
  return box;
}

/** What stands below a table: what its short words mean, and how to read it. */
const notes = (words, ...texts) => [
  words.length > 0 && make("dl", { class: "words" }, words.map(([word, meaning]) => make("div", {}, make("dt", {}, word), " ", make("dd", {}, meaning)))),
  make("details", {}, make("summary", {}, "How to read this"), texts.filter(Boolean).map((text) => make("p", { class: "caption" }, text))),
].filter(Boolean);

// What tables have, too, comes as a text beside the number (`figure` in Python), and an answer's score
// rounded so that this gives the text that a table would have (`rounded`).
const number = (value, digits = 3) => (value == null ? "–" : value.toFixed(digits));
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

// Shows what a form filters whenever it changes; text once its writer pauses.
const onFilter = (form, show) => {
  let pause;
  form.addEventListener("input", (event) => {
    clearTimeout(pause);
    pause = setTimeout(show, event.target.name === "text" ? 150 : 0);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
};

/** What a list may be ordered by, by name: what it is called, and a value of each answer. */
const ordersBy = (score) => ({
  instance: ["By instance", () => 0],
  worst: ["Lowest first", (answer) => score(answer) ?? Infinity],
  best: ["Highest first", (answer) => -(score(answer) ?? -Infinity)],
});

/** Answers by a value of each, lowest first; those with the same by instance, then as models are ordered. */
function sortedBy(value, answers, models) {
  const ranks = new Map(models.map((model, i) => [model, i]));
  return answers
    .map((answer) => [value(answer), answer])
    .sort(([x, a], [y, b]) => x - y || a.instance - b.instance || ranks.get(a.model) - ranks.get(b.model))
    .map(([, answer]) => answer);
}

// Name of a benchmark to what the views that all benchmarks share (large view, grid, keys, links)
// have to know of it: its answers, each with `bench`, `instance` and `model`, and how they are named,
// scored and shown, all under the condition that is chosen. `cards` is the list that shows them, in the
// order of `list`; where that is of instances, `listed` gives all their answers that pass the filters.
const benches = Object.create(null); // an address may name anything: nothing is inherited

const EMS = "earth_mover_similarity";
const RENDERED = "compilation_success";
const metricLabel = (name) => data.metrics[name];
const isDistance = (name) => data.distances.includes(name);
const scoreOf = (answer, name) => answer.scores[data.answerMetrics.indexOf(name)];

const MODEL_COLORS = [
  "#3b7dd8", "#e07b39", "#3a9d6e", "#c7476b", "#8b67c6",
  "#a08420", "#2fa3b5", "#b5653f", "#6f7f8f", "#d05fb4",
];
const modelColor = (model) => MODEL_COLORS[model % MODEL_COLORS.length];
const modelLabel = (model) => [
  make("span", { class: "dot", style: { background: modelColor(model) } }),
  make("span", { class: "model-name" }, data.models[model]),
];

const subsetLabel = ({ domain, name }) =>
  data.domains[domain].toLowerCase() === name ? data.domains[domain] : `${data.domains[domain]} · ${name}`;

const instanceOf = (answer) => data.instances[answer.instance];
// What the model saw: the reference, or that picture made worse.
const inputOf = (answer) => answer.seen ?? instanceOf(answer).picture;
const subsetOf = (answer) => data.subsets[instanceOf(answer).subset];

data.answers.forEach((answer, index) => Object.assign(answer, { index, bench: "image2struct" }));
