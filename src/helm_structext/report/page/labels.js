// What people say of answers, in the files that carry it: CSV, and Label Studio's JSON. Nothing here knows of a page.
// A label is an answer's id (its run, model and instance), names of categories, a note, and who says it.

import { csvText, plainCell } from "./numbers.js";

/** @typedef {import("./types.js").Label} Label */

const COLUMNS = ["answer", "model", "run", "categories", "annotator", "note"];
const SEPARATOR = ";";

/** What tells an answer from all others, as a text. */
export const keyOf = ({ run, model, answer }) => JSON.stringify([run, model, answer]);

/** @param {Label[]} labels */
export const csvOf = (labels) =>
  csvText([COLUMNS, ...labels.map(({ answer, model, run, categories, annotator, note }) => [answer, model, run, categories.join(`${SEPARATOR} `), annotator, note])]);

const CELL = /"([^"]*(?:""[^"]*)*)"|([^",\r\n]*)/y;

/** The rows of CSV, as texts. */
function cellsOf(text) {
  const rows = [[]];
  for (let place = 0; place < text.length; ) {
    CELL.lastIndex = place;
    const [whole, quoted, plain] = CELL.exec(text);
    place += whole.length;
    rows.at(-1).push(plainCell(quoted === undefined ? plain : quoted.replaceAll('""', '"')));
    if (text[place] === ",") {
      place += 1;
      if (place === text.length) rows.at(-1).push("");
    } else if (place === text.length || text[place] === "\n" || text[place] === "\r") {
      place += text.startsWith("\r\n", place) ? 2 : 1;
      if (place < text.length) rows.push([]);
    } else throw new Error(`row ${rows.length} is no CSV: a quote stands inside of a cell`);
  }
  return rows.filter((cells) => cells.length > 1 || cells[0]);
}

/** @returns {Label[]} */
export function labelsOfCsv(text) {
  const [header = [], ...rows] = cellsOf(text.replace(/^\ufeff/, ""));
  const missing = COLUMNS.slice(0, 4).filter((name) => !header.includes(name));
  if (missing.length) throw new Error(`there is no column ${missing.join(", ")}`);
  return rows.map((cells) => {
    const row = Object.fromEntries(header.map((name, i) => [name, cells[i] ?? ""]));
    const { answer, model, run, categories, annotator = "", note = "" } = row;
    return { answer, model, run, categories: categories.split(SEPARATOR).map((name) => name.trim()).filter(Boolean), annotator, note };
  });
}

/**
 * Tasks of Label Studio, each with what is known of its answer and what was said of it.
 * @param {{label: Label | null, data: object}[]} answers
 */
export const studioOf = (answers) =>
  answers.map(({ label, data }, i) => ({ id: i + 1, data, annotations: label ? [annotationOf(label)] : [] }));

function annotationOf({ categories, annotator, note }) {
  const result = (from_name, type, value) => ({ from_name, to_name: "text", type, value });
  return {
    ...(annotator ? { completed_by: { email: annotator } } : {}),
    result: [result("categories", "choices", { choices: categories }), ...(note ? [result("note", "textarea", { text: [note] })] : [])],
  };
}

/** The labeling interface by which Label Studio shows these tasks. */
export function studioConfig(names) {
  const escapeXml = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const choices = names.map((name) => `    <Choice value="${escapeXml(name)}"/>`);
  return [
    "<View>",
    '  <Header value="$model, $answer"/>',
    '  <Text name="text" value="$text"/>',
    '  <Choices name="categories" toName="text" choice="multiple">',
    ...choices,
    "  </Choices>",
    '  <TextArea name="note" toName="text"/>',
    "</View>",
    "",
  ].join("\n");
}

const list = (value) => (Array.isArray(value) ? value.filter((one) => one && typeof one === "object") : []);
const texts = (value) => [value].flat().filter((one) => typeof one === "string");

/**
 * What Label Studio exports; what it says beside choices and notes is not looked at.
 * @returns {Label[]}
 */
export function labelsOfStudio(text) {
  const tasks = JSON.parse(text);
  if (!Array.isArray(tasks)) throw new Error("it holds no list of tasks");
  return tasks.flatMap((task, i) => {
    const { answer, model, run } = task?.data ?? {};
    if (![answer, model, run].every((one) => typeof one === "string")) throw new Error(`the data of task ${i + 1} has no run, model and answer`);
    return list(task.annotations).filter(({ was_cancelled }) => !was_cancelled).map(({ result, completed_by: by }) => {
      const values = list(result).map(({ value }) => value ?? {});
      return {
        answer, model, run, categories: values.flatMap(({ choices }) => texts(choices)),
        annotator: `${by?.email ?? by?.id ?? (by && typeof by !== "object" ? by : "")}`, note: values.flatMap(({ text: said }) => texts(said)).join("\n"),
      };
    });
  });
}
