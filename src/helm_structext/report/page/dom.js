// The few helpers by which all of the page is made. What comes from models and datasets enters it
// through `make` alone: as text or as an attribute, never as markup.

/** @returns {any} */
export const byId = (id) => document.getElementById(id);

/** Fills an element: attributes by name, `on…` as listeners, styles by name; children are elements or text. */
export function fill(element, attributes = {}, ...children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") setStyles(element.style, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...flat(children));
  return element;
}

const flat = (children) => children.flat(Infinity).filter((child) => child != null && child !== false);

/** Sets styles, also variables such as `--share`. */
function setStyles(style, values) {
  for (const [name, value] of Object.entries(values)) {
    if (name.startsWith("--")) style.setProperty(name, value);
    else style[name] = value;
  }
}

/** @returns {any} */
export const make = (tag, ...rest) => fill(document.createElement(tag), ...rest);
/** @returns {any} */
export const draw = (tag, ...rest) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), ...rest);

export const replace = (element, ...children) => element.replaceChildren(...flat(children));

/** A button that looks like text. */
export const plainButton = (attributes, ...content) => {
  const { class: names = "", ...others } = attributes;
  return make("button", { type: "button", class: `plain ${names}`.trim(), ...others }, content);
};

/** Gives a select its options, pairs of value and label; a group is a label and such pairs. */
export function setOptions(select, choices) {
  const option = ([value, label]) => make("option", { value }, label);
  replace(
    select,
    choices.map(([value, label]) =>
      Array.isArray(label) ? make("optgroup", { label: value }, label.map(option)) : option([value, label]),
    ),
  );
}

/** Gives the reader a file. */
export function saveFile(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Calls a function once a frame however often it is asked for. */
export function onceAFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

/** What is wider than the screen moves sideways by itself, also by keys. */
export const sideways = (label, ...content) =>
  watchSides(make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, content));

/** Says on which sides of its box something goes on. */
function markSides(box) {
  const left = box.scrollWidth - box.clientWidth - Math.abs(box.scrollLeft);
  box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1);
  box.classList.toggle("more-left", Math.abs(box.scrollLeft) > 1);
  box.classList.toggle("more-right", left > 1);
}

const sideSizes = new ResizeObserver((entries) =>
  new Set(entries.map(({ target }) => target.closest(".scroll, nav"))).forEach((box) => box && markSides(box)),
);

/** Marks a box whenever it, or what is in it, moves or changes its size. */
export function watchSides(box) {
  const watchContent = () => [...box.children].forEach((child) => sideSizes.observe(child));
  box.addEventListener("scroll", () => markSides(box), { passive: true });
  new MutationObserver(watchContent).observe(box, { childList: true });
  sideSizes.observe(box);
  watchContent();
  return box;
}

/** What stands below a table: what its short words mean, and how to read it. */
export function notes({ words = [], note = "" }, ...more) {
  const texts = [note, ...more].filter(Boolean);
  if (!words.length && !texts.length) return null;
  return make(
    "div",
    { class: "notes" },
    words.length > 0 && make("dl", { class: "words" }, words.map(([word, meaning]) => make("div", {}, make("dt", {}, word), " ", make("dd", {}, meaning)))),
    texts.length > 0 && make("details", {}, make("summary", {}, "How to read this"), texts.map((text) => make("p", { class: "caption" }, text))),
  );
}
