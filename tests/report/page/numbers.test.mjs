// What of the page needs no page: numbers, filters, orders, groups and CSV.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ORDERS, clamp, counted, csvText, expand, filterBy, groupBy, groupItems, number, records, sortBy } from "../../../src/helm_structext/report/page/numbers.js";

const instances = [0, 1].map((index) => ({ index, tags: { task: [`task${index}`] } }));
const answers = [
  { model: 0, instance: instances[0], tags: { outcome: ["good"] }, scores: [0.5, null] },
  { model: 1, instance: instances[0], tags: { outcome: ["bad", "cut"] }, scores: [0.25, 1] },
  { model: 0, instance: instances[1], tags: {}, scores: [null, 0] },
  { model: 1, instance: instances[1], tags: { outcome: ["good"] }, scores: [1, 0.75] },
];
const passing = (filters, place = 0) => answers.filter(filterBy(filters, place)).map((answer) => answers.indexOf(answer));
const ordered = (order, models = [0, 1]) => sortBy(ORDERS[order][1], 0, answers, models).map((answer) => answers.indexOf(answer));

test("numbers have three decimals, and what is none is a dash", () => {
  assert.deepEqual([0.5, null, undefined, 2].map((value) => number(value)), ["0.500", "–", "–", "2.000"]);
  assert.equal(number(0.125, 1), "0.1");
  assert.deepEqual([clamp(2, 0, 1), clamp(-1, 0, 1)], [1, 0]);
  assert.deepEqual([counted(1, "answer"), counted(2, "answer")], ["1 answer", "2 answers"]);
});

test("columns are records, and ranges are numbers", () => {
  assert.deepEqual(records({ a: [1, 2], b: [3, 4] }), [{ a: 1, b: 3 }, { a: 2, b: 4 }]);
  assert.deepEqual(records({}), []);
  assert.deepEqual(expand([1, 3, 7, 7]), [1, 2, 3, 7]);
  assert.deepEqual([...groupBy([1, 2, 3], (n) => n % 2)], [[1, [1, 3]], [0, [2]]]);
});

test("filters look at models, at tags of answers and of instances, and at one score", () => {
  assert.deepEqual(passing({}), [0, 1, 2, 3]);
  assert.deepEqual(passing({ model: "1" }), [1, 3]);
  assert.deepEqual(passing({ outcome: "good" }), [0, 3]);
  assert.deepEqual(passing({ outcome: "good", task: "task1", model: "" }), [3]);
  assert.deepEqual(passing({ outcome: "none" }), []);
  assert.deepEqual(passing({ least: "0.5" }), [0, 3]);
  assert.deepEqual(passing({ most: "0.5" }), [0, 1]); // what has no score is in no range
  assert.deepEqual(passing({ least: "0", most: "0.75" }, 1), [2, 3]);
});

test("answers without a score come last, and equal ones by instance and rank", () => {
  assert.deepEqual(ordered("instance"), [0, 1, 2, 3]);
  assert.deepEqual(ordered("instance", [1, 0]), [1, 0, 3, 2]);
  assert.deepEqual(ordered("worst"), [1, 0, 3, 2]);
  assert.deepEqual(ordered("best"), [3, 0, 1, 2]);
});

test("items are answers, or instances with their answers by rank", () => {
  assert.equal(groupItems(answers, [0, 1], false).length, 4);
  const [first, second] = groupItems(answers.slice(1), [1, 0], true);
  assert.deepEqual(first, { instance: instances[0], answers: [answers[1]] });
  assert.deepEqual(second.answers, [answers[3], answers[2]]);
});

test("a spreadsheet computes nothing", () => {
  assert.equal(csvText([["=1+1", -0.5, null], ['a,"b"', "-x", "plain"]]), `'=1+1,-0.5,\n"a,""b""",'-x,plain\n`);
});
