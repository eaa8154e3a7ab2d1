// The large view of one answer of any view: its pictures, its code beside what it should be, every score
// and message.

import { linkOf, parameters, pathOf, remember } from "./address.js";
import { bar } from "./bars.js";
import { blockOf } from "./blocks.js";
import { showChoices } from "./categories.js";
import { codePart, copyButton, diffTable } from "./codes.js";
import { badges, messageOf, modelColor, modelLabel, modelNumber, models, scoreOf, scoreText, sheetOf, siblingsOf, viewNamed } from "./data.js";
import { byId, fill, make, replace, setOptions } from "./dom.js";
import { selectItem } from "./list.js";
import { marksOf } from "./marks.js";
import { clamp, number } from "./numbers.js";
import { boxesOf, codesOf, planOf, viewPanel } from "./panels.js";
import { boxesOver, fit, makePictures, panelName, panelSizes } from "./pictures.js";

const ZOOMS = [1, 1.5, 2, 3, 4, 6, 8];
const ALONE = ["overlay", "marks", "code"]; // what is never shown beside other panels

/** @type {{answer: import("./types.js").Answer | null, panel: string | null, other: string, zoom: number}} */
export const viewer = { answer: null, panel: null, other: "", zoom: 0 };

export const isOpen = () => byId("viewer").open;

/** Where an answer stands in its list: itself, or where items are instances, its instance. */
const positionOf = (answer) =>
  answer.view.items.findIndex(({ instance, answers }) => (answer.view.grouped ? instance === answer.instance : answers[0] === answer));

/**
 * The pictures of an answer, compared with the reference or with another answer's, and boxes of several.
 * @param {import("./types.js").Answer} answer
 * @param {import("./types.js").Answer | null} other
 * @returns {import("./types.js").Shot}
 */
export function shotOf(answer, other = null, boxed = [answer]) {
  const { instance, view } = answer;
  const over = async () => {
    const [truth, ...said] = await Promise.all([instance, ...boxed].map(({ block }) => blockOf(block)));
    return boxesOver(boxesOf(truth), boxed.map(({ model }, i) => [model, boxesOf(said[i])]), modelColor);
  };
  return {
    input: answer.input ?? instance.input,
    rendering: answer.output,
    against: other ? other.output : instance.reference,
    againstName: other ? `Rendering of ${models[other.model]}` : "Reference",
    resize: instance.resize,
    title: `${instance.id} by ${models[answer.model]}`,
    planName: view.plan,
    plan: view.plan && !other ? async () => planOf(await blockOf(answer.block)) : null,
    over: view.boxes ? over : null,
    marks: !other && answer.tags[view.marks]?.some((mistake) => mistake !== "nothing") ? async () => marksOf(await blockOf(answer.block)) : null,
  };
}

/**
 * Opens an answer, or shows it if the large view is open already.
 * @param {import("./types.js").Answer} answer
 */
export async function open(answer) {
  const { view, instance } = answer;
  if (viewer.answer && viewer.answer.view !== view) [viewer.panel, viewer.other] = [null, ""];
  viewer.answer = answer;
  const position = positionOf(answer);
  if (position >= 0) view.list.selected = position;
  const link = make("a", { href: linkOf(answer), class: "link", title: "The address of this answer" }, "Link");
  replace(byId("viewer-title"), instance.label, make("small", {}, instance.remarks.join(", ")), make("code", {}, instance.id));
  replace(byId("viewer-link"), link, " ", copyButton(() => linkOf(answer), "link to this answer"));
  replace(byId("viewer-position"), position < 0 ? "not in the filter" : `${position + 1} of ${view.items.length}`);
  replace(
    byId("viewer-models"),
    siblingsOf(answer).map((other) =>
      make(
        "button",
        { type: "button", "aria-pressed": String(other === answer), onclick: () => open(other) },
        modelLabel(other.model),
        make("b", {}, number(scoreOf(other))),
        other.kind && make("span", { class: `badge ${other.kind}` }, other.kind),
      ),
    ),
  );
  if (!isOpen()) {
    byId("viewer").showModal();
    byId("viewer").focus();
  }
  byId("viewer-facts").scrollTop = 0;
  showChoices(answer);
  showComparisons();
  showViewerPictures();
  const facts = await factsOf(answer);
  if (viewer.answer === answer) replace(byId("viewer-facts"), facts);
}

/** Whether a panel stands above the scores. */
const isFirst = ({ kind }) => kind === "mistakes";

/**
 * What the large view says of an answer beside its pictures.
 * @param {import("./types.js").Answer} answer
 */
async function factsOf(answer) {
  const [asked, said] = await Promise.all([answer.instance.block, answer.block].map(blockOf));
  const { metrics, score } = answer.view;
  return [
    make("p", { class: "error" }, metrics[score].verdict && scoreText(metrics[score], scoreOf(answer)), badges(answer), messageOf(answer, said.error ?? "")),
    said.panels.filter(isFirst).map(viewPanel),
    make("h3", {}, "Scores"),
    scoreTable(answer),
    [...asked.panels, ...said.panels.filter((panel) => !isFirst(panel))].map(viewPanel),
    askedPart(said.asked),
  ];
}

/** The answer that this one is compared with, or null for the reference. */
const comparedWith = () => siblingsOf(viewer.answer).find((one) => String(one.model) === viewer.other && one !== viewer.answer) ?? null;

/** Whether there is anything but other models' answers to compare with. */
const hasReference = ({ instance }) => instance.reference !== null || instance.compared;

/** Offers the reference, where there is one, and the other models' answers. */
function showComparisons() {
  const { answer } = viewer;
  const choice = byId("viewer-other");
  const others = siblingsOf(answer).filter((one) => one !== answer).map((one) => [one.model, models[one.model]]);
  const choices = [...(hasReference(answer) ? [["", "reference"]] : []), ...others];
  setOptions(choice, choices);
  byId("viewer-compare").hidden = !choices.length;
  choice.value = viewer.other;
  if (choice.selectedIndex < 0 && choices.length) choice.selectedIndex = 0;
  viewer.other = choice.value;
}

/** What can be shown of an answer, by panel: its shape, null for code. */
function viewsOf(shot) {
  const sizes = panelSizes(shot);
  return [...["input", "reference", "rendering", "overlay", "difference", "marks", "plan"].filter((name) => sizes[name]), "code"];
}

/** Shows all panels, one alone, or the code, as large as they can be. */
export function showViewerPictures() {
  const { answer } = viewer;
  const other = comparedWith();
  const shot = shotOf(answer, other, [answer, other].filter(Boolean));
  const shown = viewsOf(shot);
  const pictures = shown.filter((name) => !ALONE.includes(name));
  const usual = pictures.length > 1 ? null : pictures[0] ?? "code";
  const alone = shown.includes(viewer.panel) ? viewer.panel : usual;
  showViews(shown, alone, pictures.length, shot);
  const place = byId("viewer-pictures");
  place.classList.toggle("codes", alone === "code");
  remember({ answer: pathOf(answer), of: models[answer.model], panel: alone === usual ? "" : alone ?? "", with: other ? models[other.model] : "" });
  if (alone === "code") showCode(place);
  else showPanels(place, shot, alone ? [alone] : pictures);
}

/** The row of buttons: what is shown, and how large. */
function showViews(shown, alone, count, shot) {
  const button = (name, label) =>
    make("button", { type: "button", "aria-pressed": String(alone === name), onclick: () => showPanel(name) }, label);
  replace(byId("viewer-views"), count > 1 && button(null, "All"), shown.map((name) => button(name, panelName(name, shot))));
  const zoom = ZOOMS[viewer.zoom];
  byId("zoom-out").disabled = viewer.zoom === 0;
  byId("zoom-in").disabled = viewer.zoom === ZOOMS.length - 1;
  replace(byId("zoom"), `${100 * zoom}%`);
  byId("viewer-zoom").hidden = alone === "code";
}

export function showPanel(name) {
  viewer.panel = name;
  showViewerPictures();
}

export function zoomBy(by) {
  viewer.zoom = clamp(viewer.zoom + by, 0, ZOOMS.length - 1);
  showViewerPictures();
}

function showPanels(place, shot, names) {
  // On a narrow screen the pictures stand below each other, and the facts below them.
  const narrow = matchMedia("(max-width: 800px)").matches;
  const [width, height] = [place.clientWidth - 24, narrow ? 4 * 360 : place.clientHeight - 24];
  const sizes = panelSizes(shot);
  // Wide pictures stand below each other, others two by two.
  const waste = (columns) => {
    const rows = Math.ceil(names.length / columns);
    const box = [width / columns - 12, height / rows - 38];
    return -Math.min(...names.map((name) => fit(sizes[name], box)[0] / sizes[name][0]));
  };
  const columns = names.length > 1 && waste(2) <= waste(1) && width > 500 ? 2 : 1;
  const rows = Math.ceil(names.length / columns);
  const zoom = ZOOMS[viewer.zoom];
  const box = viewer.panel === names[0] ? [width, Infinity] : [width / columns - 12, Math.max(90, height / rows - 38)];
  const { figures, fillPanels } = makePictures(shot, names, box.map((side) => side * zoom), { most: zoom });
  for (const figure of figures) {
    const name = figure.dataset.panel;
    const alone = viewer.panel === name;
    fill(figure.querySelector(".paper"), { onclick: () => showPanel(alone ? null : name), title: alone ? "As it was (a)" : "This picture alone (z)" });
  }
  place.style.gridTemplateColumns = `repeat(${columns}, auto)`;
  replace(place, figures);
  fillPanels();
}

/** Shows the answer's code beside the reference's, or beside another answer's. */
async function showCode(place) {
  const [answer, other] = [viewer.answer, comparedWith()];
  const [ours, theirs] = (await Promise.all([answer, other ?? answer.instance].map(({ block }) => blockOf(block)))).map(codesOf);
  if (viewer.answer !== answer) return;
  const model = models[answer.model];
  const [first, against] = [ours, theirs].map(([code]) => code);
  // What is compared with a reference is what is left of a completion at last.
  const said = other ? first : ours.at(-1);
  const name = other ? models[other.model] : "Reference";
  const reference = against?.compared ?? against?.text ?? "";
  place.style.gridTemplateColumns = "minmax(0, 1fr)";
  replace(place, against ? diffTable([name, reference], [model, said?.text ?? ""], first?.language) : make("div", {}, codePart(model, first?.text ?? "", first?.language)));
}

/** Goes on from all pictures to the first, …, to the last, and to all again. */
export function nextPanel() {
  const steps = [null, ...viewsOf(shotOf(viewer.answer, comparedWith()))];
  showPanel(steps[(steps.indexOf(viewer.panel) + 1) % steps.length]);
}

function scoreTable(answer) {
  const rows = answer.view.metrics
    .map((metric, i) => [metric, answer.scores[i]])
    .filter(([, value]) => value !== null)
    .map(([{ label, less }, value]) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, label),
        make("td", {}, !less && bar(value, modelColor(answer.model))),
        make("td", { class: "number" }, number(value)),
      ),
    );
  return make("table", { class: "facts" }, make("tbody", {}, rows));
}

/** @type {Record<string, [string, (n: number) => string]>} */
const ASKED = {
  promptTokens: ["Tokens of the prompt", (n) => n.toLocaleString("en")],
  completionTokens: ["Tokens of the completion", (n) => n.toLocaleString("en")],
  seconds: ["Seconds of the request", (n) => number(n, 1)],
};

/** What HELM wrote of the request: the prompt, tokens and time. */
function askedPart(asked) {
  if (!asked) return [];
  const rows = Object.entries(ASKED)
    .filter(([name]) => asked[name] != null)
    .map(([name, [label, say]]) => make("tr", {}, make("th", { scope: "row" }, label), make("td"), make("td", { class: "number" }, say(asked[name]))));
  return [
    rows.length > 0 && [make("h3", {}, "Request"), make("table", { class: "facts" }, make("tbody", {}, rows))],
    asked.prompt && codePart("Prompt", asked.prompt),
  ];
}

/** Goes to another item of the list: where these are instances, with the same model. */
export function step(by) {
  const { view, model } = viewer.answer;
  const position = positionOf(viewer.answer);
  const next = view.items[(position < 0 ? view.list.selected : position) + by]?.answers[0];
  if (!next) return;
  open((view.grouped && siblingsOf(next).find((one) => one.model === model)) || next);
}

/** Opens the answer that the address names, if it does. */
export function recallAnswer() {
  const all = parameters();
  const [path, model] = [all.get("answer"), modelNumber(all.get("of"))];
  const view = path && viewNamed(path.split("/")[0]);
  const found = view && sheetOf(view).answers.find((answer) => answer.model === model && pathOf(answer) === path);
  if (!found) return;
  viewer.panel = all.get("panel");
  viewer.other = `${modelNumber(all.get("with")) ?? ""}`;
  open(found);
}

export function startViewer() {
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("zoom-in").addEventListener("click", () => zoomBy(1));
  byId("zoom-out").addEventListener("click", () => zoomBy(-1));
  byId("close").addEventListener("click", () => byId("viewer").close());
  byId("viewer-other").addEventListener("change", ({ target }) => {
    viewer.other = target.value;
    showViewerPictures();
  });
  byId("viewer").addEventListener("close", () => {
    remember({ answer: "", of: "", panel: "", with: "" });
    const position = positionOf(viewer.answer);
    if (position >= 0) selectItem(viewer.answer.view.list, position);
  });
}

