// The page's state stands in its address: what is chosen, filtered and open, by names that another
// report of the same suite has too. What an address names but the report lacks changes nothing. A
// section stands before all values: `#mmr`, `#mmr&model=x/good`.

const SECTION = /^#([^=&]*)(&|$)/;

/** The section that an address names, if the page shows it, else "". */
function sectionIn(hash) {
  const name = SECTION.exec(hash)?.[1] ?? "";
  return document.querySelector(`nav a[href="#${CSS.escape(name)}"]:not([hidden])`) ? name : "";
}

const parameters = () => new URLSearchParams(location.hash.replace(SECTION, "").replace("#", ""));
const addressOf = (section, values) => [section, `${values}`].filter(Boolean).join("&");

let state = `${parameters()}`; // that the page shows

/** Puts values into the address by name; an empty one leaves it. */
function remember(values) {
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
function rememberChoice(select, name) {
  const wanted = parameters().get(name);
  if ([...select.options].some(({ value }) => value === wanted)) select.value = wanted;
  select.addEventListener("change", () => remember({ [name]: select.selectedIndex ? select.value : "" }));
}

/** Offers a benchmark's conditions by their labels; the address names one alone, or with an answer under it. */
function offerConditions(bench, select, name, labels) {
  options(select, labels.map((label) => [label, label]));
  byId(`${select.id}-choice`).hidden = labels.length < 2;
  rememberChoice(select, name);
  const path = parameters().get("answer") ?? "";
  const under = labels.find((label) => path.startsWith(`${bench}/${label}/`));
  if (under !== undefined) select.value = under;
  remember({ [name]: select.selectedIndex ? select.value : "" });
}

const asName = (model) => (model === "" ? "" : data.models[model]);
const asNumber = (name) => (data.models.includes(name) ? String(data.models.indexOf(name)) : "");

/** Fills in a benchmark's filters from the address; a model stands there by name. */
function recallFilters(form, prefix) {
  const all = parameters();
  for (const { name, options: choices } of form.elements) {
    const wanted = all.get(`${prefix}.${name}`);
    if (!name || wanted === null) continue;
    const value = name === "model" ? asNumber(wanted) : wanted;
    if (!choices || [...choices].some((one) => one.value === value)) form[name].value = value;
  }
}

/** The same the other way: what the filters say, but for first options. */
function rememberFilters(form, prefix) {
  const fields = [...form.elements].filter(({ name }) => name);
  const value = (field) => (field.selectedIndex === 0 ? "" : field.name === "model" ? asName(field.value) : field.value);
  remember(Object.fromEntries(fields.map((field) => [`${prefix}.${field.name}`, value(field)])));
  for (const field of fields) field.classList.toggle("active", field.value !== "" && field.name !== "order");
}

/** What tells an answer from all others of its model, also from those under other conditions. */
function pathOf(answer) {
  const bench = benches[answer.bench];
  return [answer.bench, bench.condition(), bench.part(answer), bench.id(answer)].join("/");
}

/** The address of the page with this answer open, and nothing filtered. */
function linkOf(answer) {
  const link = new URLSearchParams({ answer: pathOf(answer), of: data.models[answer.model] });
  return `${location.href.split("#")[0]}#${link}`;
}

/** Opens the answer that the address names, if it does. */
function recallAnswer() {
  const all = parameters();
  const [path, model] = [all.get("answer"), data.models.indexOf(all.get("of"))];
  const bench = path && benches[path.split("/")[0]];
  const found = bench?.present() && bench.all().find((answer) => answer.model === model && pathOf(answer) === path);
  if (!found) return;
  viewer.panel = all.get("panel");
  viewer.other = asNumber(all.get("with"));
  open(found);
}

// Between two sections of what is shown one just moves.
addEventListener("hashchange", () => (`${parameters()}` === state ? followAddress() : location.reload()));
