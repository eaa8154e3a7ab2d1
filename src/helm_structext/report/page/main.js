// The report: what stands above and below the views, and all that has to be started. What is exported
// here is `report` in the page, for its tests and for readers who look at a report by hand.

import { pathOf } from "./address.js";
import { showAnswers, showList } from "./answers.js";
import { shards } from "./blocks.js";
import { diffTable } from "./codes.js";
import { startCategories, takeLabels } from "./categories.js";
import { data, models, scoreOf, sheetOf, viewNamed, views } from "./data.js";
import { byId, make, onceAFrame, replace, watchSides } from "./dom.js";
import { csvRows, showGrid } from "./grid.js";
import { startKeys } from "./keys.js";
import { alignLines } from "./lines.js";
import { endOf, isFilling, lists, placeCards, selectItem, showItems, startLists } from "./list.js";
import { csvText, number } from "./numbers.js";
import { goTo, startPlaces } from "./places.js";
import { fillSheet, startPrint } from "./print.js";
import { drawItem, startView } from "./sections.js";
import { isOpen, open, recallAnswer, showViewerPictures, startViewer, viewer } from "./viewer.js";

/** The published datasets that instances were read from, with their commits. */
const readFrom = () => data.datasets.length > 0 && make("p", { class: "caption" }, `Data: ${data.datasets.join(", ")}.`);

/** Says why not all answers are shown: a sample was drawn, or a file is bounded. */
function showPartial() {
  const { sample, partial } = data;
  if (!sample && !partial) return;
  const some = ({ shown, of }) => [shown, of].map((count) => count.toLocaleString("en")).join(" of ");
  const texts = [
    sample && `This report shows a sample of ${some(sample)} answers: ${sample.number} of each model and subset or task, drawn with seed ${sample.seed}.`,
    partial && `This file shows ${some(partial)} answers, chosen evenly over models, subsets and scores so that it stays below ${partial.megabytes} MB; a report in a folder (-o report/) shows every one.`,
    "Tables and charts are of all answers.",
  ];
  replace(byId("partial"), texts.filter(Boolean).join(" "));
  byId("partial").hidden = false;
}

/** Fills what stands above and below the views: one table of them all, and how the suite was run. */
function showFrame() {
  showPartial();
  for (const [name, tables] of [["overview", data.overview], ["settings", data.settings]]) {
    byId(name).hidden = !tables.length;
    replace(byId(`${name}-tables`), tables.map((table) => drawItem(null, table)), name === "settings" && readFrom());
  }
}

/** Shows those lists again that categories filter, with the focus in one of them, if one is named. */
function showFiltered(focused = null) {
  for (const view of views.filter(({ form }) => form.elements.category?.value)) {
    showList(view);
    if (view === focused) selectItem(view.list, view.list.selected);
  }
}

function start() {
  showFrame();
  startPrint();
  startViewer();
  startCategories(showFiltered);
  byId("viewer").addEventListener("close", () => showFiltered(viewer.answer.view));
  views.forEach(startView);
  const links = [...document.querySelectorAll("main > section:not([hidden])")].map(({ id }) => make("a", { href: `#${id}` }, byId(`${id}-title`).textContent));
  replace(watchSides(byId("sections")), links);
  startKeys();
  startLists();
  addEventListener("resize", onceAFrame(() => isOpen() && showViewerPictures()));
  startPlaces();
  recallAnswer();
}

start();

export {
  alignLines, csvRows, csvText, data, diffTable, endOf, fillSheet, goTo, isFilling, lists, models, number, open, pathOf, placeCards,
  scoreOf, selectItem, shards, sheetOf, showAnswers, showGrid, showItems, showList, takeLabels, viewNamed, viewer, views,
};
