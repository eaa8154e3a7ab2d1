// What is printed: the page's tables and charts, and small pictures of the first answers of each list.

import { isComplete, load } from "./blocks.js";
import { data, listedOf, models, scoreOf, views } from "./data.js";
import { byId, fill, make, replace } from "./dom.js";
import { number } from "./numbers.js";
import { shotOf } from "./viewer.js";

const SHEET = 12; // answers of a view

/** A small picture: of what the browser has not read yet of a file there is none. */
function printedPicture(picture, alt) {
  if (picture === null || (!data.shards && !isComplete(byId(`p${picture}`)))) return null;
  const image = make("img", { alt, decoding: "sync" });
  image.loaded = load(image, picture, true);
  return image;
}

function printedAnswer(answer) {
  const { input, rendering } = shotOf(answer);
  const pictures = [printedPicture(input, "Input"), printedPicture(rendering, "Rendering")].filter(Boolean);
  if (!pictures.length) return null;
  const { instance, kind, model } = answer;
  return make(
    "figure",
    {},
    make("div", {}, pictures),
    make("figcaption", {}, make("b", {}, `${models[model]} ${number(scoreOf(answer))}`), ` ${instance.label} ${kind ?? ""}`),
  );
}

/** Fills the sheet with what the lists show, and returns when its pictures can be printed. */
export function fillSheet() {
  const sheets = views.map((view) => {
    const list = view.grouped ? view.items.map(({ answers }) => answers[0]) : listedOf(view);
    const figures = [];
    for (const answer of list) { // Answers of text have no picture.
      if (figures.length === SHEET) break;
      figures.push(...[printedAnswer(answer)].filter(Boolean));
    }
    return figures.length > 0 && [make("h2", {}, `${view.title}: ${figures.length} of the ${list.length} listed`), make("div", { class: "sheet" }, figures)];
  });
  replace(byId("print-sheet"), sheets);
  return Promise.allSettled([...byId("print-sheet").querySelectorAll("img")].map((image) => /** @type {any} */ (image).loaded));
}

export function startPrint() {
  addEventListener("beforeprint", () => byId("print-sheet").childElementCount || fillSheet());
  // Paper has no disclosures.
  addEventListener("beforeprint", () => document.querySelectorAll(".notes details:not([open])").forEach((one) => fill(one, { open: true, "data-closed": true })));
  addEventListener("afterprint", () => document.querySelectorAll("[data-closed]").forEach((one) => ["open", "data-closed"].forEach((name) => one.removeAttribute(name))));
  addEventListener("afterprint", () => replace(byId("print-sheet")));
  byId("print").addEventListener("click", () => fillSheet().then(() => print()));
}
