// What is wrong with a picture: marks drawn over it, and a list of them with colors and letters.

import { draw, make } from "./dom.js";
import { colorsOf, lettersOf, placeOf } from "./mistakes.js";

const HEAD = 9; // pixels of an arrow's head

/** An arrow, from where something is to where it should be. */
function arrow(/** @type {any} */ [x, y], /** @type {any} */ [u, v], unit) {
  const length = Math.hypot(u - x, v - y) || 1;
  const [dx, dy] = [((u - x) / length) * HEAD * unit, ((v - y) / length) * HEAD * unit];
  const head = `M${u - dx - dy / 2} ${v - dy + dx / 2}L${u} ${v}L${u - dx + dy / 2} ${v - dy - dx / 2}`;
  return draw("path", { class: "arrow", d: `M${x} ${y}L${u} ${v}${head}` });
}

/** What is drawn at one place of a mark. */
function boxOf({ left, top, width: wide, height: tall, from, to, sized }, unit) {
  const box = { x: left - 2 * unit, y: top - 2 * unit, width: wide + 4 * unit, height: tall + 4 * unit };
  return [
    draw("rect", { ...box, class: "casing" }),
    draw("rect", box),
    to && arrow(from, to, unit),
    sized && draw("rect", { ...sized, class: "casing" }),
    sized && draw("rect", { ...sized, class: "sized" }),
  ];
}

/**
 * Marks over a picture.
 * @param {any[]} marks
 * @param {number[]} size of what is drawn on
 * @param {number[]} scale see `placeOf`
 * @param {number} unit of the drawing to a pixel of the screen
 */
export function marksOver(marks, [width, height], scale, unit) {
  const shapes = marks.map((mark, number) => {
    const boxes = [mark, ...(mark.others ?? []).map(([there, should]) => ({ there, should, mistake: mark.mistake }))];
    const places = boxes.map((one) => placeOf(one, scale)).filter(Boolean);
    if (!places.length) return null;
    return draw(
      "g",
      { class: places[0].wanted ? "mark wanted" : "mark", "data-mark": number, "data-mistake": mark.mistake, style: { color: mark.color } },
      places.flatMap((place) => boxOf(place, unit)),
      draw("title", {}, `${mark.mistake}: ${mark.text}`),
    );
  });
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true", class: "marks" }, shapes);
}

/** What is said of a mark: letters that differ are marked, and colors have a swatch. */
function wordsOf(text) {
  const letters = lettersOf(text);
  if (letters) {
    const said = letters.map((runs) => runs.map(([run, differs]) => (differs ? make("mark", {}, run) : run)));
    return ["“", said[0], "” for “", said[1], "”"];
  }
  return colorsOf(text).map(([said, color]) => (color ? [make("span", { class: "swatch", style: { background: color } }), make("code", {}, said)] : said));
}

/** Points at a mark, or at none any more, wherever it is drawn. */
const point = (number, on) => document.querySelectorAll(`.marks [data-mark="${number}"]`).forEach((mark) => mark.classList.toggle("pointed", on));

/** Shows marks of a kind, or hides them, in pictures and in the list. */
function toggle(button, list, mistake) {
  const shown = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(shown));
  const marks = [...document.querySelectorAll(".marks [data-mistake]"), ...list.children];
  for (const mark of marks) if (mark.getAttribute("data-mistake") === mistake) mark.toggleAttribute("hidden", !shown);
}

/** What the large view says of what is wrong: the sentence, a button for each kind, and each mistake. */
export function marksPart({ title, sentence, marks = [] }) {
  const list = make("ol", { class: "mistakes" });
  marks.forEach(({ mistake, text, color }, number) => {
    const on = (shown) => () => point(number, shown);
    const events = { onmouseenter: on(true), onmouseleave: on(false), onfocus: on(true), onblur: on(false) };
    list.append(make("li", { tabindex: 0, "data-mistake": mistake, ...events }, make("span", { class: "swatch", style: { background: color } }), make("b", {}, mistake), " ", wordsOf(text)));
  });
  const counts = new Map();
  for (const { mistake } of marks) counts.set(mistake, (counts.get(mistake) ?? 0) + 1);
  const button = ([mistake, count]) => {
    const made = make("button", { type: "button", class: "small", "aria-pressed": "true", onclick: () => toggle(made, list, mistake) }, `${mistake} ${count}`);
    return made;
  };
  return [
    make("h3", {}, title),
    make("p", {}, sentence),
    counts.size > 1 && make("div", { class: "kinds", role: "group", "aria-label": "Mistakes that are shown" }, [...counts].map(button)),
    marks.length > 0 && list,
  ];
}

/** The marks of a block. */
export const marksOf = ({ panels }) => panels.find(({ kind }) => kind === "mistakes")?.marks ?? [];
