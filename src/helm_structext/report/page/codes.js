// Code as it is shown: colored, line by line beside what it should be, and to be copied.

import { byId, make, replace } from "./dom.js";
import { alignLines, commonOf, tokensOf } from "./lines.js";

/** A line in colors; what `kept` does not name of its tokens is marked. */
export function coloredLine(tokens, kept) {
  return tokens.map(([text, kind], i) => {
    const marked = kept && !kept.has(i) && text.trim();
    return kind || marked ? make(marked ? "mark" : "span", { class: kind || null }, text) : text;
  });
}

/** A table that shows two texts beside each other, with what differs marked. */
export function diffTable([firstName, first], [secondName, second], language) {
  const rows = alignLines(first, second).map(([left, right, equal]) => {
    const [a, b] = [left, right].map((line) => (line === null ? null : tokensOf(line, language)));
    let kept = [null, null];
    if (a && b && !equal) {
      const same = commonOf(a.map(([text]) => text), b.map(([text]) => text));
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
export function copyButton(text, name) {
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

/** A text under its name, colored if its language is said, and to be copied. */
export function codePart(title, text, language = "") {
  const code = language ? text.split("\n").flatMap((line) => [...coloredLine(tokensOf(line, language), null), "\n"]) : text;
  return [
    make("h3", {}, title, " ", copyButton(text, title)),
    make("pre", { tabindex: 0, role: "region", "aria-label": title }, text ? code : make("i", {}, "(nothing)")),
  ];
}
