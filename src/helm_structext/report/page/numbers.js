// Numbers as the page shows them, and lists of answers; nothing here knows of a page.

/**
 * A number's text. What tables have, too, comes as a text beside the number (`figure` in Python), and an
 * answer's score rounded so that this gives the text that a table would have (`rounded`).
 */
export const number = (value, digits = 3) => (value == null ? "–" : value.toFixed(digits));

export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** A number with its noun. */
export const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Records from the columns in which they come. */
export function records(columns) {
  const names = Object.keys(columns);
  return (columns[names[0]] ?? []).map((_, i) => {
    const record = {};
    for (const name of names) record[name] = columns[name][i];
    return record;
  });
}

/**
 * Values by key, both in the order in which they come.
 * @template T, K
 * @param {T[]} values
 * @param {(value: T) => K} keyOf
 * @returns {Map<K, T[]>}
 */
export function groupBy(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    const key = keyOf(value);
    if (groups.has(key)) groups.get(key).push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

/** The numbers of a set that comes as the first and last of each run of consecutive ones. */
export function expand(ranges) {
  const numbers = [];
  for (let i = 0; i < ranges.length; i += 2) for (let n = ranges[i]; n <= ranges[i + 1]; n++) numbers.push(n);
  return numbers;
}

/**
 * Whether an answer or its instance has a value of a facet.
 * @param {import("./types.js").Answer} answer
 */
export const hasTag = ({ tags, instance }, facet, value) =>
  Boolean(tags[facet]?.includes(value) || instance.tags[facet]?.includes(value));

/**
 * What says whether an answer passes filters: `model` is a number as a text, `least` and `most` are of the
 * score at some place, all else is facets; what is empty is no filter.
 */
/** @returns {(answer: import("./types.js").Answer) => boolean} */
export function filterBy({ model = "", least = "", most = "", ...tags }, place) {
  const wanted = Object.entries(tags).filter(([, value]) => value);
  const bounded = least !== "" || most !== "";
  return (answer) => {
    const score = answer.scores[place];
    return (
      (model === "" || answer.model === Number(model)) &&
      wanted.every(([facet, value]) => hasTag(answer, facet, value)) &&
      (!bounded || (score !== null && (least === "" || score >= Number(least)) && (most === "" || score <= Number(most))))
    );
  };
}

/** What a list may be ordered by, by name: what it is called, and a number of each score. */
export const ORDERS = {
  instance: ["By instance", () => 0],
  worst: ["Lowest first", (score) => score ?? Infinity],
  best: ["Highest first", (score) => -(score ?? -Infinity)],
};

/**
 * Answers by a number of their scores at some place; those with the same by instance, then as models are ranked.
 * @param {import("./types.js").Answer[]} answers
 * @param {number[]} models
 */
export function sortBy(order, place, answers, models) {
  const ranks = new Map(models.map((model, i) => [model, i]));
  return answers
    .map((answer) => [order(answer.scores[place]), answer])
    .sort(([x, a], [y, b]) => (x === y ? 0 : x - y) || a.instance.index - b.instance.index || ranks.get(a.model) - ranks.get(b.model))
    .map(([, answer]) => answer);
}

/**
 * Items of a list: an answer each, or an instance each with its answers as models are ranked.
 * @param {import("./types.js").Answer[]} answers
 * @param {number[]} models
 * @returns {import("./types.js").Item[]}
 */
export function groupItems(answers, models, grouped) {
  if (!grouped) return answers.map((answer) => ({ instance: answer.instance, answers: [answer] }));
  const ranks = new Map(models.map((model, i) => [model, i]));
  const groups = groupBy(answers, (answer) => answer.instance);
  return [...groups].map(([instance, ours]) => ({
    instance,
    answers: ours.toSorted((a, b) => ranks.get(a.model) - ranks.get(b.model)),
  }));
}

const FORMULA = /^['\s\0\x0b\x0c\x1c-\x1f\x85\xa0\u200b\u3000\ufeff]*[=+\-@\t\r\n＝＋－＠]/u;

/** A cell without the apostrophe that `csvText` put before it. */
export const plainCell = (text) => (text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text);

/** Rows as CSV in which a spreadsheet computes nothing: a text like a formula has an apostrophe before it. */
export function csvText(rows) {
  const cell = (value) => {
    const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : `${value ?? ""}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}
