// What the page shows, and the keys and controls that change it.

const NO_FILTERS = { text: "", model: "", subset: "", difficulty: "", outcome: "", metric: "", least: "", most: "", order: "" };

const view = { condition: 0, metric: EMS, pair: [EMS, "structural_similarity"], filters: { ...NO_FILTERS } };

/** Shows the whole page under one condition. */
function showCondition(index) {
  view.condition = index;
  scatter.near = null;
  options(byId("correlation-domain"), [["", "all"], ...domainsOf().map((domain) => [domain, data.domains[domain]])]);
  const metric = byId("domain-metric").value;
  const means = Object.keys(data.metrics).filter((name) => condition().scopes.some((scope) => scope.scores[name]));
  options(byId("domain-metric"), means.map((name) => [name, metricLabel(name)]));
  byId("domain-metric").value = means.includes(metric) ? metric : EMS;
  fillFilterChoices();
  showLeaderboard();
  options(byId("table-choice"), condition().tables.map(({ title }, i) => [i, title]));
  showCharts();
}

function showCharts() {
  showDomains();
  showCorrelations();
  showTable();
}

function fillFilterChoices() {
  const form = byId("filters");
  const present = (values) => [...new Set(values)].filter(Boolean);
  const answers = answersOf();
  const subsets = present(answers.map((answer) => instanceOf(answer).subset + 1)).map((n) => data.subsets[n - 1]);
  const order = ["easy", "medium", "hard"];
  const difficulties = present(answers.map((a) => instanceOf(a).difficulty));
  const kinds = data.kinds.filter((kind) => answers.some((a) => a.kind === kind));
  options(form.model, [["", "all"], ...modelsOf().map((model) => [model, data.models[model]])]);
  options(form.subset, [
    ["", "all"],
    ...present(subsets.map((s) => s.domain)).map((domain) => {
      const its = subsets.filter((s) => s.domain === domain);
      const groups = [[domain, `${data.domains[domain]}, all`]];
      if (its.some((s) => s.wild) && its.some((s) => !s.wild))
        groups.push([`${domain}/code`, `${data.domains[domain]}, not wild`]);
      if (its.filter((s) => s.wild && s.name !== "wild").length) groups.push([`${domain}/wild`, `${data.domains[domain]}, wild`]);
      const parts = its.filter((s) => s.name !== "wild" || groups.every(([value]) => value !== `${domain}/wild`));
      return [data.domains[domain], [...groups, ...parts.map((s) => [`${domain}/${s.name}`, s.name])]];
    }),
  ]);
  options(form.difficulty, [["", "all"], ...difficulties.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)).map((d) => [d, d])]);
  options(form.outcome, [
    ["", "all"],
    ["rendered", "rendered"],
    ["failed", "failed"],
    ...kinds.map((kind) => [kind, `failed: ${kind}`]),
    ...["truncated", "refused"].filter((name) => answers.some(OUTCOMES[name])).map((name) => [name, name]),
  ]);
  options(form.metric, data.answerMetrics.map((name) => [name, metricLabel(name)]));
  options(form.order, Object.entries(ORDERS).map(([name, [label]]) => [name, label]));
  setFilters(view.filters);
}

/** Sets the filters, in the form, in the address and in the gallery. */
function setFilters(filters, keep) {
  const form = byId("filters");
  view.filters = { ...NO_FILTERS, ...filters };
  for (const [name, value] of Object.entries(view.filters)) if (form[name].value !== value) form[name].value = value;
  // What the form does not offer is no filter.
  for (const name of ["model", "subset", "difficulty", "outcome", "metric", "order"])
    if (form[name].selectedIndex < 0) form[name].value = view.filters[name] = "";
  if (form.metric.selectedIndex < 0) form.metric.value = EMS;
  if (form.order.selectedIndex < 0) form.order.value = "instance";
  view.metric = form.metric.value;
  for (const name of ["model", "subset", "difficulty", "outcome", "least", "most", "text"])
    form[name].classList.toggle("active", view.filters[name] !== "");
  const { order, metric, model } = view.filters;
  remember({
    ...view.filters,
    model: asName(model),
    order: order === "instance" ? "" : order,
    metric: metric === data.answerMetrics[0] ? "" : metric,
  });
  applyFilters(keep);
}

/** Goes to the gallery, with these filters and no others. */
function showAnswers(filters) {
  const texts = Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)]));
  setFilters({ ...texts, metric: view.filters.metric, order: view.filters.order }, null);
  hold(byId("answers"));
}

function switchScheme() {
  const dark = getComputedStyle(document.body).colorScheme === "dark" ||
    (getComputedStyle(document.documentElement).colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.style.colorScheme = dark ? "light" : "dark";
  if (data.conditions.length) showScatter();
}

/** The benchmark whose answers the keys move among: the open one, the focused one, or that on the screen. */
function benchHere() {
  const present = Object.values(benches).filter((bench) => bench.present());
  const covers = (bench, y) => {
    const { top, bottom } = byId(bench.section).getBoundingClientRect();
    return top < y && bottom > y;
  };
  if (byId("viewer").open) return benches[viewer.answer.bench];
  const focused = document.activeElement.closest("main section")?.id;
  return present.find(({ section }) => section === focused) ?? present.find((bench) => covers(bench, innerHeight / 2)) ?? present[0];
}

/** The answer that is selected in a benchmark's list. */
const selectedOf = (bench) => bench.list()[bench.cards().selected];

/** Shows one model's answers alone (null: all models'), at the instance that is selected. */
function chooseModel(model) {
  const bench = benchHere();
  const open_ = byId("viewer").open;
  const here = open_ ? viewer.answer : selectedOf(bench);
  if (!here) return;
  const other = siblingsOf(here).find((one) => one.model === (model ?? here.model));
  // Any answer can be looked at, also one that the filter leaves out.
  const filtered = byId(bench.form).model.value !== "" || model === null;
  if (!open_ || filtered) bench.filterByModel(model, other);
  if (open_ && other) open(other);
}

function nextModel(by) {
  const bench = benchHere();
  const models = bench.models();
  const chosen = byId(bench.form).model.value;
  const current = byId("viewer").open ? viewer.answer.model : chosen === "" ? null : Number(chosen);
  const place = current === null ? (by > 0 ? -1 : 0) : models.indexOf(current);
  chooseModel(models[(place + by + models.length) % models.length]);
}

const LIST_KEYS = {
  j: () => moveItem(benchHere().cards(), 1),
  k: () => moveItem(benchHere().cards(), -1),
  Enter: () => open(selectedOf(benchHere())),
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
    const bench = benchHere();
    byId("viewer").close();
    hold(byId(bench.section));
    byId(bench.form).text.focus({ preventScroll: true });
    byId(bench.form).text.select();
  },
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { target, key } = event;
  const large = byId("viewer").open;
  if (target.matches("input, select, textarea")) {
    if (!large && (key === "Escape" || (key === "Enter" && target.name === "text"))) {
      event.preventDefault();
      selectItem(benchHere().cards(), benchHere().cards().selected);
    }
    return;
  }
  if (byId("help").open || !benchHere()) return;
  const inList = target.matches("[role=listitem]");
  let action = (large ? VIEWER_KEYS : LIST_KEYS)[key] ?? KEYS[key];
  if (key === "Enter" && !inList) return;
  if (!large && inList && key === "ArrowDown") action = LIST_KEYS.j;
  if (!large && inList && key === "ArrowUp") action = LIST_KEYS.k;
  if (large && target.matches("pre, .viewer-pictures") && key.startsWith("Arrow")) return;
  if (/^[0-9]$/.test(key)) {
    const model = key === "0" ? null : benchHere().models()[Number(key) - 1];
    if (model === undefined) return;
    action = () => chooseModel(model);
  }
  if (!action) return;
  event.preventDefault();
  action();
}

/** Calls a function once a frame however often it is asked for. */
function onceAFrame(work) {
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

function legend() {
  const swatch = (color, text) => make("li", {}, make("span", { class: "swatch", style: { background: color } }), text);
  const scale = make("span", {
    class: "swatch scale",
    style: { background: `linear-gradient(90deg, ${COST_COLORS.map((c) => `rgb(${c.join(" ")})`).join(", ")})` },
  });
  return [
    make("li", { class: "head" }, "Difference"),
    swatch(`rgb(${DARKER.join(" ")})`, "rendering darker"),
    swatch(`rgb(${LIGHTER.join(" ")})`, "input darker"),
    swatch(`rgb(${RECOLORED.join(" ")})`, "another color"),
    make("li", { class: "head" }, "EMS plan"),
    make("li", {}, `costs ${COSTS[0]} `, scale, ` ${COSTS[1]} of the EMS`),
  ];
}

/** What shows nothing is not there: the sections of Image2Struct where a suite has none of it. */
function hideEmptySections() {
  for (const name of ["leaderboard", "domains", "metrics", "tables", "answers"]) {
    byId(name).hidden = true;
    document.querySelector(`nav a[href="#${name}"]`).hidden = true;
  }
}

function start() {
  document.querySelectorAll("main .scroll, nav").forEach(watchSides);
  startRun();
  startPrint();
  startMMR();
  startStruct();
  byId("scheme").addEventListener("click", switchScheme);
  byId("help-button").addEventListener("click", () => byId("help").showModal());
  byId("help-close").addEventListener("click", () => byId("help").close());
  startViewer();
  startLists();
  if (data.conditions.length) startPictures();
  else hideEmptySections();
  document.addEventListener("keydown", onKey);
  addEventListener("resize", onceAFrame(() => byId("viewer").open && showViewerPictures()));
  startPlaces();
  recallAnswer();
}

function startPictures() {
  const form = byId("filters");
  const address = Object.fromEntries(parameters());
  for (const name of Object.keys(NO_FILTERS)) if (address[name]) view.filters[name] = address[name];
  view.filters.model = asNumber(view.filters.model);
  startGrid("image2struct");
  startGallery();
  const choice = byId("condition");
  offerConditions("image2struct", choice, "condition", data.conditions.map(({ label }) => label));
  replace(byId("legend"), legend());
  showCondition(choice.selectedIndex);

  choice.addEventListener("change", () => showCondition(choice.selectedIndex));
  rememberChoice(byId("domain-metric"), "domains");
  rememberChoice(byId("correlation-domain"), "correlations");
  rememberChoice(byId("table-choice"), "table");
  showCharts();
  byId("domain-metric").addEventListener("change", showDomains);
  byId("correlation-domain").addEventListener("change", showCorrelations);
  byId("table-choice").addEventListener("change", showTable);
  const readForm = () => setFilters(Object.fromEntries(Object.keys(NO_FILTERS).map((name) => [name, form[name].value])));
  onFilter(form, readForm);
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    setFilters({});
  });

  const canvas = byId("scatter").querySelector("canvas");
  canvas.addEventListener("mousemove", (event) => {
    const near = nearestPoint(event);
    canvas.style.cursor = near ? "pointer" : "";
    if (near === scatter.near) return;
    scatter.near = near;
    showScatter();
  });
  canvas.addEventListener("click", (event) => {
    const near = nearestPoint(event);
    if (near) open(near);
  });

  document.addEventListener("DOMContentLoaded", () => view.filters.text && applyFilters());
  addEventListener("resize", onceAFrame(showScatter));
}

start();
