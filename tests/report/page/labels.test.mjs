// Labels of answers in CSV and in Label Studio's JSON: what is written is read again, and what others write is told.

import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf, keyOf, labelsOfCsv, labelsOfStudio, studioConfig, studioOf } from "../../../src/helm_structext/report/page/labels.js";

const label = (changes = {}) => ({ answer: "a1", model: "x/good", run: "mmr:task=all", categories: ["layout"], annotator: "ann", note: "", ...changes });
const LABELS = [
  label(),
  label({ answer: "=cmd|' /C calc'!A0", categories: ["layout", "wrong <b>colors</b>"], note: 'two\nlines, "quoted"' }),
  label({ answer: "'=x", categories: [], note: "'@sum" }),
];

test("what is saved as CSV is loaded again, and a spreadsheet computes nothing of it", () => {
  const text = csvOf(LABELS);
  assert.deepEqual(labelsOfCsv(text), LABELS);
  assert.deepEqual(labelsOfCsv(`\ufeff${text.replaceAll(/(?<=[^e])\n(?!l)/g, "\r\n")}`).length, 3);
  assert.ok(text.includes("'=cmd|"));
  assert.ok(!/^=/m.test(text));
});

test("CSV of others: other columns, no annotator, no end of the last line", () => {
  const text = "note,run,model,answer,categories,stars\nwhy,r,m,a,one; two ;,5\nb,r,m,b,";
  assert.deepEqual(labelsOfCsv(text).map(({ answer, categories, annotator, note }) => [answer, categories, annotator, note]), [
    ["a", ["one", "two"], "", "why"],
    ["b", [], "", "b"],
  ]);
  assert.throws(() => labelsOfCsv("answer,run\na,r"), /no column model, categories/);
  assert.throws(() => labelsOfCsv(""), /no column/);
  assert.throws(() => labelsOfCsv('answer,model,run,categories\na"b,c'), /row 2 is no CSV/);
  assert.throws(() => labelsOfCsv('answer,model,run,categories\n"a'), /no CSV/);
});

test("a hundred thousand rows are read in seconds", () => {
  const many = Array.from({ length: 100_000 }, (_, i) => label({ answer: `a${i}`, note: 'some "words", and more' }));
  const begun = performance.now();
  assert.equal(labelsOfCsv(csvOf(many)).length, 100_000);
  assert.equal(labelsOfCsv(csvOf([label({ note: '"'.repeat(1_000_000) })]))[0].note.length, 1_000_000);
  assert.ok(performance.now() - begun < 30_000);
});

test("tasks of Label Studio carry labels both ways", () => {
  const tasks = LABELS.map((one) => ({ label: one, data: { answer: one.answer, model: one.model, run: one.run, text: "code" } }));
  tasks.push({ label: null, data: { answer: "b", model: "m", run: "r", text: "" } });
  const text = JSON.stringify(studioOf(tasks));
  assert.deepEqual(labelsOfStudio(text), LABELS);
  assert.deepEqual(JSON.parse(text).map(({ id }) => id), [1, 2, 3, 4]);
  assert.deepEqual(JSON.parse(text)[3].annotations, []);
});

test("of Label Studio's other fields none matters", () => {
  const data = { answer: "a", model: "m", run: "r", more: {} };
  const annotation = {
    id: 7, completed_by: 3, lead_time: 1.5, draft: null,
    result: [
      { type: "rating", from_name: "stars", value: { rating: 4 } },
      { type: "choices", from_name: "categories", value: { choices: ["layout", 5, null] } },
      { type: "textarea", from_name: "note", value: { text: "why" } },
      null, "x", { value: null },
    ],
  };
  const read = (annotations) => labelsOfStudio(JSON.stringify([{ id: 1, project: 2, predictions: [{}], data, annotations }]));
  assert.deepEqual(read([annotation, null]), [{ answer: "a", model: "m", run: "r", categories: ["layout"], annotator: "3", note: "why" }]);
  assert.deepEqual(read([{ ...annotation, was_cancelled: true }]), []);
  assert.deepEqual(read(undefined), []);
  assert.equal(read([{ ...annotation, completed_by: { id: 4, email: "ann@example.org" } }])[0].annotator, "ann@example.org");
  assert.equal(read([{ ...annotation, completed_by: null }])[0].annotator, "");
  assert.throws(() => labelsOfStudio('[{"data": {"answer": "a"}}]'), /task 1 has no run, model and answer/);
  assert.throws(() => labelsOfStudio("{}"), /no list of tasks/);
  assert.throws(() => labelsOfStudio("[null]"), /task 1/);
  assert.throws(() => labelsOfStudio("[1,"), SyntaxError);
});

test("names stand in the labeling interface as texts", () => {
  const config = studioConfig(['"/><script>alert(1)</script>', "a & b"]);
  assert.ok(!config.includes("<script>"));
  assert.ok(config.includes('<Choice value="a &#38; b"/>'));
});

test("an answer is told from others by its run, its model and its instance", () => {
  assert.equal(new Set([label(), label({ run: "r" }), label({ model: "m" }), label({ answer: "b" })].map(keyOf)).size, 4);
});
