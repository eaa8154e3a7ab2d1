// Code as it is shown: colored by a few rules for each family of languages, line by line beside what
// it should be, and to be copied. Nothing here reads code but to color it.

const WORDS = "true|false|null|None|True|False|def|class|import|from|return|const|let|function|export|if|else|for|while|new|var|in|as";
const STRINGS = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
const NUMBERS = String.raw`\b\d+(?:\.\d+)?\b`;

/** Family to a pattern whose groups are: comment, string, name, number. */
const LANGUAGES = {
  tex: new RegExp(String.raw`(%.*)|("(?:[^"\\]|\\.)*")|(\\(?:[A-Za-z@]+|.))|(${NUMBERS})`, "gu"),
  markup: new RegExp(String.raw`(<!--.*?-->)|(${STRINGS})|(<\/?[\w:.-]+|\/?>)|(${NUMBERS})`, "gu"),
  code: new RegExp(String.raw`(\/\/.*|(?<!\S)#\s.*)|(${STRINGS})|(\b(?:${WORDS})\b|[\w.-]+(?=\s*[:=]))|(${NUMBERS})`, "gu"),
};
const TOKENS = ["comment", "string", "name", "number"];
const LONG_LINE = 2_000; // characters; longer lines are not colored
const MANY = 4e6; // pairs of lines; more are not compared

/** A line's tokens, as pairs of text and class. */
function tokensOf(line, language) {
  if (line.length > LONG_LINE) return [[line, ""]];
  const tokens = [];
  let done = 0;
  const plain = (to) => tokens.push(...(line.slice(done, to).match(/\w+|\s+|[^\w\s]/gu) ?? []).map((text) => [text, ""]));
  for (const match of line.matchAll(LANGUAGES[language] ?? LANGUAGES.code)) {
    plain(match.index);
    tokens.push([match[0], TOKENS[match.slice(1).findIndex((group) => group !== undefined)]]);
    done = match.index + match[0].length;
  }
  plain(line.length);
  return tokens;
}

/** The longest common subsequence of two lists, as pairs of indices. */
function common(a, b) {
  let [start, end] = [0, 0];
  const least = Math.min(a.length, b.length);
  while (start < least && a[start] === b[start]) start++;
  while (end < least - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [n, m] = [a.length - start - end, b.length - start - end];
  const same = Array.from({ length: start }, (_, i) => [i, i]);
  if (n * m <= MANY) {
    const lengths = Array.from({ length: n + 1 }, () => new Uint32Array(m + 1));
    for (let i = n - 1; i >= 0; i--)
      for (let j = m - 1; j >= 0; j--)
        lengths[i][j] = a[start + i] === b[start + j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    for (let i = 0, j = 0; i < n && j < m; ) {
      if (a[start + i] === b[start + j]) same.push([start + i++, start + j++]);
      else if (lengths[i + 1][j] >= lengths[i][j + 1]) i++;
      else j++;
    }
  }
  for (let i = end; i > 0; i--) same.push([a.length - i, b.length - i]);
  return same;
}

/** Two texts line by line: pairs of lines, null where one has no such line, and whether they are equal. */
function alignedLines(first, second) {
  const [a, b] = [first, second].map((text) => text.split("\n"));
  const rows = [];
  let [i, j] = [0, 0];
  for (const [u, v] of [...common(a.map((line) => line.trim()), b.map((line) => line.trim())), [a.length, b.length]]) {
    while (i < u || j < v) rows.push([i < u ? a[i++] : null, j < v ? b[j++] : null, false]);
    if (u < a.length && v < b.length) rows.push([a[i++], b[j++], true]);
  }
  return rows;
}

/** A line in colors; what `kept` does not name of its tokens is marked. */
function coloredLine(tokens, kept) {
  return tokens.map(([text, kind], i) => {
    const marked = kept && !kept.has(i) && text.trim();
    return kind || marked ? make(marked ? "mark" : "span", { class: kind || null }, text) : text;
  });
}

/** A table that shows two texts beside each other, with what differs marked. */
function diffTable([firstName, first], [secondName, second], language) {
  const rows = alignedLines(first, second).map(([left, right, equal]) => {
    const [a, b] = [left, right].map((line) => (line === null ? null : tokensOf(line, language)));
    let kept = [null, null];
    if (a && b && !equal) {
      const same = common(a.map(([text]) => text), b.map(([text]) => text));
      kept = [0, 1].map((side) => new Set(same.map((pair) => pair[side])));
    }
    const cell = (tokens, side, kind) =>
      make("td", { class: tokens === null ? "none" : equal ? null : kind }, tokens && make("code", {}, coloredLine(tokens, kept[side])));
    return make("tr", {}, cell(a, 0, "minus"), cell(b, 1, "plus"));
  });
  const head = make("tr", {}, [[firstName, first], [secondName, second]].map(([name, text]) => make("th", { scope: "col" }, name, " ", copyButton(text, name))));
  return make("table", { class: "diff" }, make("thead", {}, head), make("tbody", {}, rows));
}

/** A button that copies a text, and says that it did. */
function copyButton(text, name) {
  const button = make("button", { type: "button", class: "small", "aria-label": `Copy: ${name}` }, "Copy");
  const say = (said) => {
    replace(button, said);
    setTimeout(() => replace(button, "Copy"), 1500);
  };
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    copy(typeof text === "function" ? text() : text).then(() => say("Copied"), () => say("Not copied"));
  });
  return button;
}

/** Browsers give pages from disk no clipboard, but let them copy what is selected. */
async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      return await navigator.clipboard.writeText(text);
    } catch {
      // Refused: the old way may still be allowed.
    }
  }
  const field = make("textarea", { class: "hidden", "aria-hidden": "true" });
  field.value = text;
  (byId("viewer").open ? byId("viewer") : document.body).append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("not copied");
}
