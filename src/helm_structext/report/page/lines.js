// Code as lines of tokens: what colors it, and what of two texts is equal. Nothing here reads code but for that.

const WORDS = "true|false|null|None|True|False|def|class|import|from|return|const|let|function|export|if|else|for|while|new|var|in|as";
const STRINGS = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
const NUMBERS = String.raw`\b\d+(?:\.\d+)?\b`;

/** Family to a pattern whose groups are: comment, string, name, number. */
const LANGUAGES = {
  tex: new RegExp(String.raw`(%.*)|("(?:[^"\\]|\\.)*")|(\\(?:[A-Za-z@]+|.))|(${NUMBERS})`, "gu"),
  markup: new RegExp(String.raw`(<!\x2d-.*?-->)|(${STRINGS})|(<\/?[\w:.-]+|\/?>)|(${NUMBERS})`, "gu"),
  code: new RegExp(String.raw`(\/\/.*|(?<!\S)#\s.*)|(${STRINGS})|(\b(?:${WORDS})\b|[\w.-]+(?=\s*[:=]))|(${NUMBERS})`, "gu"),
};
const TOKENS = ["comment", "string", "name", "number"];
const LONG_LINE = 2_000; // characters; longer lines are not colored
const MANY = 4e6; // pairs of lines; more are not compared

/** A line's tokens, as pairs of text and class. */
export function tokensOf(line, language) {
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
export function commonOf(a, b) {
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
export function alignLines(first, second) {
  const [a, b] = [first, second].map((text) => text.split("\n"));
  const rows = [];
  let [i, j] = [0, 0];
  for (const [u, v] of [...commonOf(a.map((line) => line.trim()), b.map((line) => line.trim())), [a.length, b.length]]) {
    while (i < u || j < v) rows.push([i < u ? a[i++] : null, j < v ? b[j++] : null, false]);
    if (u < a.length && v < b.length) rows.push([a[i++], b[j++], true]);
  }
  return rows;
}
