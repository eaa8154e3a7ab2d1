// Mistakes as words and places: which colors and letters a text names, and where a mark lies.

import { commonOf } from "./lines.js";

const LEAST = 3; // pixels of a mark's side
const COLOR = /#[0-9a-f]{6}\b/g;

/** A text in pieces: pairs of what is said and the color that it names, or "". */
export function colorsOf(text) {
  const pieces = [];
  let done = 0;
  for (const { 0: color, index } of text.matchAll(COLOR)) {
    if (index > done) pieces.push([text.slice(done, index), ""]);
    pieces.push([color, color]);
    done = index + color.length;
  }
  return done < text.length ? [...pieces, [text.slice(done), ""]] : pieces;
}

/** The letters of two texts, `"…" for "…"`, as pairs of letters and whether they differ; null for any other text. */
export function lettersOf(text) {
  const found = /^"(.*)" for "(.*)"$/su.exec(text);
  if (!found) return null;
  const both = found.slice(1).map((one) => [...one]);
  const same = commonOf(both[0], both[1]);
  return both.map((letters, side) => {
    const kept = new Set(same.map((pair) => pair[side]));
    return runsOf(letters.map((letter, i) => [letter, !kept.has(i)]));
  });
}

/** Letters that are alike put together. */
function runsOf(letters) {
  const runs = [];
  for (const [letter, differs] of letters) {
    if (runs.at(-1)?.[1] === differs) runs.at(-1)[0] += letter;
    else runs.push([letter, differs]);
  }
  return runs;
}

/**
 * Where a mark is drawn: its box, whether that is where something should be, where an arrow from it ends, and the box of
 * what should have another size.
 * @param {{there?: number[], should?: number[], mistake: string}} mark
 * @param {number[]} scale of what is there to what should be there, along both axes
 */
export function placeOf({ there, should, mistake }, scale) {
  const box = there ? there.map((side, i) => side * scale[i % 2]) : should;
  if (!box) return null;
  const [left, top, right, bottom] = box;
  const [width, height] = [Math.max(right - left, LEAST), Math.max(bottom - top, LEAST)];
  const is = (what) => there && should && mistake.endsWith(` ${what}`);
  const sized = is("resized") ? { x: should[0], y: should[1], width: should[2] - should[0], height: should[3] - should[1] } : null;
  return { left, top, width, height, wanted: !there, to: is("moved") ? middleOf(should) : null, from: middleOf(box), sized };
}

/** @returns {any} */
const middleOf = (/** @type {any} */ [left, top, right, bottom]) => [(left + right) / 2, (top + bottom) / 2];
