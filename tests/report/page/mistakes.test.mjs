// Marks of what is wrong: colors and letters are found in any text, and boxes lie where they are said to be.

import assert from "node:assert/strict";
import { test } from "node:test";
import { colorsOf, lettersOf, placeOf } from "../../../src/helm_structext/report/page/mistakes.js";

test("a text is cut at the colors that it names, and nothing of it is lost", () => {
  assert.deepEqual(colorsOf("shape is #d00000, not #00ff00"), [["shape is ", ""], ["#d00000", "#d00000"], [", not ", ""], ["#00ff00", "#00ff00"]]);
  for (const text of ["", "no color", "#12345", "#abcdef", "a #abcdef7 b", "url(#abcdef)"]) assert.equal(colorsOf(text).map(([said]) => said).join(""), text);
  assert.deepEqual(colorsOf("a #abcdef7 b").filter(([, color]) => color), []);
});

test("letters that differ are told from those that don't", () => {
  assert.deepEqual(lettersOf('"Rian" for "Rain"').map((runs) => runs.map(([run]) => run).join("")), ["Rian", "Rain"]);
  assert.deepEqual(lettersOf('"Year 2024" for "Year 2025"'), [[["Year 202", false], ["4", true]], [["Year 202", false], ["5", true]]]);
  assert.deepEqual(lettersOf('"日本" for "日木"')[0], [["日", false], ["本", true]]);
  for (const text of ["", '"Rain" is missing', '"a" for', `${'"'.repeat(50)}`]) assert.equal(lettersOf(text), null);
});

test("a mark lies where something is, or else where it should be", () => {
  const there = placeOf({ mistake: "text moved", there: [10, 20, 30, 40], should: [0, 0, 20, 20] }, [2, 1]);
  assert.deepEqual(there, { left: 20, top: 20, width: 40, height: 20, wanted: false, to: [10, 10], from: [40, 30], sized: null });
  const missing = placeOf({ mistake: "text missing", should: [5, 5, 5, 9] }, [2, 2]);
  assert.deepEqual(missing, { left: 5, top: 5, width: 3, height: 4, wanted: true, to: null, from: [5, 7], sized: null });
  const smaller = placeOf({ mistake: "element resized", there: [0, 0, 10, 10], should: [0, 0, 20, 12] }, [1, 1]);
  assert.deepEqual([smaller.sized, smaller.to], [{ x: 0, y: 0, width: 20, height: 12 }, null]);
  assert.equal(placeOf({ mistake: "page size" }, [1, 1]), null);
  assert.equal(placeOf({ mistake: "text misspelt", there: [0, 0, 9, 9], should: [0, 0, 9, 9] }, [1, 1]).to, null);
});
