// The page's state stands in its address: what is chosen, filtered and open, by names that another
// report of the same suite has too. What an address names but the report lacks changes nothing. A
// section stands before all values: `#name.answers`, `#name.answers&name.model=x/good`.

import { data, models, modelNumber, sheetOf, views } from "./data.js";

const SECTION = /^#([^=&]*)(&|$)/;

/** The sections that the page shows or is about to show. */
const SECTIONS = new Set([
  ...["overview", "settings"].filter((name) => data[name].length),
  ...(data.categories ? ["categories"] : []),
  ...views.flatMap(({ name, sheets }) => [name, `${name}.answers`, ...sheets.flatMap(({ sections }) => (sections ?? []).map((one) => `${name}.${one.name}`))]),
]);

/** The section that an address names, if the page has it, else "". */
export function sectionIn(hash) {
  const name = SECTION.exec(hash)?.[1] ?? "";
  return SECTIONS.has(name) ? name : "";
}

export const parameters = () => new URLSearchParams(location.hash.replace(SECTION, "").replace("#", ""));
export const addressOf = (section, values) => [section, `${values}`].filter(Boolean).join("&");

let state = `${parameters()}`; // that the page shows
/** Whether the address says what the page shows. */
export const isShown = () => `${parameters()}` === state;

/** Puts values into the address by name; an empty one leaves it. */
export function remember(values) {
  const all = parameters();
  for (const [name, value] of Object.entries(values)) {
    if (value === "" || value == null) all.delete(name);
    else all.set(name, value);
  }
  state = `${all}`;
  const address = `#${addressOf(sectionIn(location.hash), all)}`;
  if (address !== location.hash) history.replaceState(null, "", address);
}

/** Lets a choice be remembered, but for its first option, and takes what the address says of it. */
export function rememberChoice(select, name, first = 0) {
  const wanted = parameters().get(name);
  const place = [...select.options].findIndex(({ label }) => label === wanted);
  select.selectedIndex = place < 0 ? first : place;
  select.addEventListener("change", () => remember({ [name]: select.selectedIndex === first ? "" : select.selectedOptions[0].label }));
}

const asName = (model) => (model === "" ? "" : models[model]);
const asNumber = (name) => `${modelNumber(name) ?? ""}`;

/** Fills in a view's filters from the address; a model stands there by name. */
export function recallFilters({ form, name: prefix }) {
  const all = parameters();
  for (const field of form.elements) {
    const wanted = field.name && all.get(`${prefix}.${field.name}`);
    if (!wanted) continue;
    const value = field.name === "model" ? asNumber(wanted) : wanted;
    if (!field.options || [...field.options].some((one) => one.value === value)) field.value = value;
  }
}

/** The place of the option that a field has at first. */
const firstOf = (field) => Math.max(0, [...field.options].findIndex((one) => one.defaultSelected));

/** Whether a field says what it says at first. */
const isDefault = (field) => (field.options ? field.selectedIndex === firstOf(field) : !field.value);

/** Lets a field say that. */
export function clearField(field) {
  if (field.options) field.selectedIndex = firstOf(field);
  else if (field.name) field.value = "";
}

/** The same the other way: what the filters say, but for what they say at first. */
export function rememberFilters({ form, name: prefix }) {
  const fields = [...form.elements].filter(({ name }) => name);
  const value = (field) => (isDefault(field) ? "" : field.name === "model" ? asName(field.value) : field.value);
  remember(Object.fromEntries(fields.map((field) => [`${prefix}.${field.name}`, value(field)])));
  for (const field of fields) field.classList.toggle("active", !isDefault(field) && !["order", "metric"].includes(field.name));
}

/** What tells an answer from all others of its model, also from those under other conditions. */
export function pathOf({ view, instance }) {
  return [view.name, sheetOf(view).label, instance.part, instance.id].join("/");
}

/** The address of the page with this answer open, and nothing filtered. */
export function linkOf(answer) {
  const link = new URLSearchParams({ answer: pathOf(answer), of: models[answer.model] });
  return `${location.href.split("#")[0]}#${link}`;
}
