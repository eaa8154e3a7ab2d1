// What readers say of answers: categories of a list that the report was given. The browser keeps it under the
// suite's name, files carry it elsewhere (`labels.js`).

import { blockOf } from "./blocks.js";
import { data, models, views } from "./data.js";
import { byId, make, replace, saveFile } from "./dom.js";
import { csvOf, keyOf, labelsOfCsv, labelsOfStudio, studioConfig, studioOf } from "./labels.js";
import { counted } from "./numbers.js";
import { codesOf } from "./panels.js";

/** @typedef {import("./types.js").Answer} Answer */
/** @typedef {import("./types.js").Label} Label */

export const names = data.categories?.names ?? {}; // key to name
const keyNamed = new Map(Object.entries(names).map(([key, name]) => [name, key]));
const FACET = "category";
const [NONE, UNSEEN] = ["none", "unseen"]; // beside keys of categories, which have one letter
const MOST = 64e6; // bytes of a file

/** @type {Map<string, Label>} what was said, also of answers that this page does not show */
const labels = new Map();
const answers = new Map(); // key of a label to its answer
let annotator = "";

const STORE = `helm-structext ${data.title} ${data.categories?.store}`;

/** What an answer is called in labels. */
const placeOf = ({ view, run, model, instance }) => ({ run: view.runs[run], model: models[model], answer: instance.id });
const labelOf = (answer) => labels.get(keyOf(placeOf(answer)));
const keysOf = (answer) => labelOf(answer)?.categories.map((name) => keyNamed.get(name)).filter(Boolean) ?? [];

/** Lets filters see what was said of an answer. */
function tag(answer) {
  const keys = keysOf(answer);
  answer.tags = { ...answer.tags, [FACET]: keys.length ? keys : [labelOf(answer) ? NONE : UNSEEN] };
}

const chips = (answer) => keysOf(answer).map((key) => make("span", { class: "chip" }, names[key]));

/** A place for the categories of an answer, which is filled again whenever they change. */
export const chipsOf = (answer) => data.categories && make("span", { class: "chips", "data-answer": answer.block }, chips(answer));

const UNKEPT = "This browser does not keep it: save a file before you close the page.";
let isKept = true;

function keep() {
  try {
    localStorage.setItem(STORE, JSON.stringify({ annotator, labels: [...labels.values()] }));
    isKept = true;
  } catch {
    isKept = false; // there is no room, or pages may keep nothing
  }
}

/** Takes what an earlier visit left. */
function recall() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORE) ?? "{}");
    annotator = kept.annotator ?? "";
    for (const label of kept.labels ?? []) if (Array.isArray(label?.categories)) labels.set(keyOf(label), label);
  } catch {
    // Nothing is kept here, or something else.
  }
}

/** Says something at the section's buttons, and to those who listen. */
function say(text) {
  replace(byId("categories-said"), text);
}

/** Shows an answer's label wherever it is shown. */
function show(answer) {
  tag(answer);
  for (const place of document.querySelectorAll(`.chips[data-answer="${answer.block}"]`)) replace(place, chips(answer));
}

/**
 * Says something of an answer, or with null nothing any more.
 * @param {Answer} answer
 * @param {{categories?: string[], note?: string} | null} changes
 */
function set(answer, changes) {
  const place = placeOf(answer);
  if (changes) labels.set(keyOf(place), { categories: [], note: "", ...labelOf(answer), ...place, annotator, ...changes });
  else labels.delete(keyOf(place));
  keep();
  show(answer);
  showCounts();
}

/** Chooses a category for an answer, or takes it back. */
function toggle(answer, key) {
  const chosen = labelOf(answer)?.categories ?? [];
  const name = names[key];
  set(answer, { categories: chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name] });
}

/** What a key does to the answer in the large view, if anything: a letter chooses, a point says that it was looked at. */
export function categoryAction(answer, key) {
  if (!data.categories || !(key === "." || Object.hasOwn(names, key))) return null;
  return () => {
    if (key === ".") set(answer, labelOf(answer) ? null : {});
    else toggle(answer, key);
    showChoices(answer);
  };
}

/**
 * Shows the choices for the answer in the large view.
 * @param {Answer} answer
 */
export function showChoices(answer) {
  const place = byId("viewer-categories");
  place.hidden = !data.categories;
  if (place.hidden) return;
  const focused = document.activeElement?.closest("#viewer-categories button")?.getAttribute("data-key");
  const chosen = keysOf(answer);
  const button = (key, label, pressed) =>
    make("button", { type: "button", "data-key": key, "aria-pressed": String(pressed), "aria-keyshortcuts": key, onclick: categoryAction(answer, key) }, make("kbd", { "aria-hidden": "true" }, key), label);
  const note = make("input", { maxlength: 2000, autocomplete: "off" });
  note.value = labelOf(answer)?.note ?? "";
  note.addEventListener("change", () => {
    set(answer, { note: note.value });
    showChoices(answer);
  });
  replace(
    place,
    Object.entries(names).map(([key, name]) => button(key, name, chosen.includes(key))),
    button(".", "Looked at", Boolean(labelOf(answer))),
    make("label", {}, "Note ", note),
    !isKept && make("strong", { role: "status" }, UNKEPT),
  );
  place.querySelector(`[data-key="${focused}"]`)?.focus();
}

const shownLabels = () => [...labels].filter(([key]) => answers.has(key)).map(([, label]) => label);

/** How many answers were looked at, and how often each category was chosen. */
function showCounts() {
  const all = shownLabels();
  const rows = Object.values(names).map((name) => [name, all.filter(({ categories }) => categories.includes(name)).length]);
  replace(byId("categories-count"), `${all.length} of ${counted(answers.size, "answer")} looked at.`);
  replace(
    byId("categories-table"),
    make("thead", {}, make("tr", {}, ["Key", "Category", "Answers"].map((title, i) => make("th", { scope: "col", class: i > 1 ? "number" : null }, title)))),
    make("tbody", {}, rows.map(([name, count]) => make("tr", {}, make("td", {}, make("kbd", {}, keyNamed.get(name))), make("th", { scope: "row" }, name), make("td", { class: "number" }, count)))),
  );
}

/**
 * Takes labels of a file, and returns what is to be said of it.
 * @param {Label[]} found
 */
export function takeLabels(found) {
  const annotators = [...new Set(found.map((label) => label.annotator))];
  if (annotators.length > 1) throw new Error(`it is of several annotators (${annotators.slice(0, 5).join(", ")}); load a file of one of them`);
  const strange = new Set(found.flatMap(({ categories }) => categories).filter((name) => !keyNamed.has(name)));
  for (const label of found) labels.set(keyOf(label), label);
  annotator = annotators[0] || annotator;
  for (const label of found) if (answers.has(keyOf(label))) show(answers.get(keyOf(label)));
  keep();
  showCounts();
  const missing = found.filter((label) => !answers.has(keyOf(label)));
  return [
    `${counted(found.length, "label")} loaded.`,
    missing.length && `${missing.length} of them are of answers that this page does not show, such as ${missing[0].answer} of ${missing[0].model}; they are kept, and saved with the others.`,
    !isKept && UNKEPT,
    strange.size && `Not in this page's list, and kept: ${[...strange].slice(0, 5).join(", ")}.`,
  ].filter(Boolean).join(" ");
}

/** Loads a file, and says what came of it. */
async function load(file, onChange) {
  try {
    if (file.size > MOST) throw new Error(`it has more than ${MOST / 1e6} MB`);
    const text = await file.text();
    say(takeLabels((/^\s*\[/.test(text) ? labelsOfStudio : labelsOfCsv)(text)));
    byId("categories-annotator").value = annotator;
    onChange();
  } catch (error) {
    say(`${file.name} can't be loaded: ${/** @type {Error} */ (error).message}.`);
  }
}

/** All answers of the page as tasks of Label Studio, with what their models wrote. */
async function saveStudio() {
  const tasks = [];
  for (const [key, answer] of answers) {
    const { panels, error } = await blockOf(answer.block);
    const text = codesOf({ panels })[0]?.text ?? panels.find((panel) => panel.text)?.text ?? "";
    tasks.push({ label: labels.get(key) ?? null, data: { ...placeOf(answer), part: answer.instance.part, text, ...(error ? { error } : {}) } });
  }
  saveFile("labels.json", "application/json", JSON.stringify(studioOf(tasks), null, 1));
}

/** Puts what can be chosen into the page; `onChange` shows lists again for which a file has changed something. */
export function startCategories(onChange) {
  byId("categories").hidden = byId("help-categories").hidden = !data.categories;
  if (!data.categories) return;
  recall();
  for (const view of views) {
    view.facets.push({ name: FACET, label: "Category", every: true, options: { ...names, [NONE]: "looked at, none", [UNSEEN]: "not looked at yet" } });
    for (const { answers: ours } of view.sheets) for (const answer of ours) answers.set(keyOf(placeOf(answer)), answer);
  }
  answers.forEach(tag);
  const button = (label, onclick) => make("button", { type: "button", class: "small", onclick }, label);
  const who = make("input", { id: "categories-annotator", autocomplete: "off", maxlength: 100 });
  who.value = annotator;
  who.addEventListener("change", () => {
    annotator = who.value.trim();
    for (const label of labels.values()) label.annotator = annotator;
    keep();
  });
  const file = make("input", { type: "file", accept: ".csv,.json" });
  file.addEventListener("change", async () => {
    if (file.files[0]) await load(file.files[0], onChange);
    file.value = ""; // the same file may be loaded again once it has changed
  });
  replace(
    byId("categories-place"),
    make("p", { id: "categories-count" }),
    make("table", { id: "categories-table", class: "printed" }),
    make(
      "div",
      { class: "controls" },
      make("label", {}, "Annotator ", who),
      button("Save CSV", () => saveFile("labels.csv", "text/csv", csvOf([...labels.values()]))),
      button("Save Label Studio's tasks", saveStudio),
      button("Save its labeling interface", () => saveFile("labels.xml", "application/xml", studioConfig(Object.values(names)))),
      make("label", {}, "Load CSV or JSON ", file),
    ),
    make("p", { id: "categories-said", role: "status" }),
  );
  showCounts();
}
