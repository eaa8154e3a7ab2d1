// The keys: among answers, models and panels.

import { showList } from "./answers.js";
import { categoryAction } from "./categories.js";
import { sheetOf, siblingsOf, views } from "./data.js";
import { byId } from "./dom.js";
import { moveItem, selectItem } from "./list.js";
import { hold } from "./places.js";
import { isOpen, nextPanel, open, showPanel, step, viewer, zoomBy } from "./viewer.js";

/** The view whose answers the keys move among: of the open one, the focused one, or that on the screen. */
function viewHere() {
  const covers = ({ section }, y) => {
    const { top, bottom } = section.getBoundingClientRect();
    return top < y && bottom > y;
  };
  if (isOpen()) return viewer.answer.view;
  const focused = views.find(({ section }) => section.contains(document.activeElement));
  return focused ?? views.find((view) => covers(view, innerHeight / 2)) ?? views[0];
}

/** The answer that is selected in a view's list. */
const selectedOf = (view) => view.items[view.list.selected]?.answers[0];

/** Shows one model's answers alone (null: all models'), at the instance that is selected. */
function chooseModel(model) {
  const view = viewHere();
  const { model: field } = view.form.elements;
  const large = isOpen();
  const here = large ? viewer.answer : selectedOf(view);
  if (!here) return;
  const other = siblingsOf(here).find((one) => one.model === (model ?? here.model));
  // Any answer can be looked at, also one that the filter leaves out.
  if (!large || field.value !== "" || model === null) {
    field.value = model ?? "";
    showList(view, other);
    selectItem(view.list, view.list.selected);
  }
  if (large && other) open(other);
}

function nextModel(by) {
  const view = viewHere();
  const { models: ranked } = sheetOf(view);
  const chosen = view.form.elements.model.value;
  const current = isOpen() ? viewer.answer.model : chosen === "" ? null : Number(chosen);
  const place = current === null ? (by > 0 ? -1 : 0) : ranked.indexOf(current);
  chooseModel(ranked[(place + by + ranked.length) % ranked.length]);
}

export function switchScheme() {
  const style = getComputedStyle(document.documentElement).colorScheme;
  const dark = style === "dark" || (style !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.style.colorScheme = dark ? "light" : "dark";
  document.querySelectorAll("canvas").forEach((canvas) => canvas.dispatchEvent(new Event("schemechange")));
}

const LIST_KEYS = {
  j: () => moveItem(viewHere().list, 1),
  k: () => moveItem(viewHere().list, -1),
  Enter: () => open(selectedOf(viewHere())),
};
const VIEWER_KEYS = {
  j: () => step(1),
  k: () => step(-1),
  ArrowRight: () => step(1),
  ArrowLeft: () => step(-1),
  z: nextPanel,
  o: () => showPanel("overlay"),
  d: () => showPanel("difference"),
  c: () => showPanel("code"),
  f: () => showPanel("marks"),
  a: () => showPanel(null),
  "+": () => zoomBy(1),
  "-": () => zoomBy(-1),
};
const KEYS = {
  m: () => nextModel(1),
  M: () => nextModel(-1),
  t: switchScheme,
  "?": () => byId("help").showModal(),
  "/": () => {
    const view = viewHere();
    byId("viewer").close();
    hold(byId(`${view.name}.answers`));
    view.form.elements.text.focus({ preventScroll: true });
    view.form.elements.text.select();
  },
};

/** What a key does where it is pressed, if anything. */
function actionOf(target, key) {
  const large = isOpen();
  const inList = target.matches("[role=listitem]");
  if (/^[0-9]$/.test(key)) {
    const model = key === "0" ? null : sheetOf(viewHere()).models[Number(key) - 1];
    return model === undefined ? null : () => chooseModel(model);
  }
  if (key === "Enter" && !inList) return null;
  if (!large && inList && key === "ArrowDown") return LIST_KEYS.j;
  if (!large && inList && key === "ArrowUp") return LIST_KEYS.k;
  if (large && target.matches("pre, .viewer-pictures") && key.startsWith("Arrow")) return null;
  return (large ? VIEWER_KEYS : LIST_KEYS)[key] ?? KEYS[key] ?? (large ? categoryAction(viewer.answer, key) : null);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !views.length) return;
  const { target, key } = event;
  if (target.matches("input, select, textarea")) {
    if (!isOpen() && (key === "Escape" || (key === "Enter" && target.name === "text"))) {
      event.preventDefault();
      const { list } = viewHere();
      selectItem(list, list.selected);
    }
    return;
  }
  const action = byId("help").open ? null : actionOf(target, key);
  if (!action) return;
  event.preventDefault();
  action();
}

export function startKeys() {
  document.addEventListener("keydown", onKey);
  byId("scheme").addEventListener("click", switchScheme);
  byId("help-button").addEventListener("click", () => byId("help").showModal());
  byId("help-close").addEventListener("click", () => byId("help").close());
}

