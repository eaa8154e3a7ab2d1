// The large view of one answer of any benchmark: its pictures, its code beside what it should be,
// every score and message. What it has to know of a benchmark stands in `benches`.

const ZOOMS = [1, 1.5, 2, 3, 4, 6, 8];
const ALONE = ["overlay", "code"]; // what is never shown beside other panels

const viewer = { answer: null, panel: null, other: null, zoom: 0 };

const siblingsOf = (answer) => {
  const bench = benches[answer.bench];
  const place = (one) => bench.models().indexOf(one.model);
  return bench.all().filter((one) => one.instance === answer.instance).toSorted((a, b) => place(a) - place(b));
};

/** Where an answer's instance stands in its benchmark's list: with its own model, or with another. */
function positionOf(answer) {
  const list = benches[answer.bench].list();
  const position = list.indexOf(answer);
  return position < 0 && benches[answer.bench].listed ? list.findIndex((one) => one.instance === answer.instance) : position;
}

/** Opens an answer, or shows it if the large view is open already. */
async function open(answer) {
  const bench = benches[answer.bench];
  if (viewer.answer?.bench !== answer.bench && viewer.answer) [viewer.panel, viewer.other] = [null, null];
  viewer.answer = answer;
  const position = positionOf(answer);
  if (position >= 0) bench.cards().selected = position;
  const link = make("a", { href: linkOf(answer), class: "link", title: "The address of this answer" }, "Link");
  replace(
    byId("viewer-title"),
    bench.label(answer),
    make("small", {}, bench.remarks(answer).filter(Boolean).join(", ")),
    make("code", {}, bench.id(answer)),
  );
  replace(byId("viewer-link"), link, " ", copyButton(() => linkOf(answer), "link to this answer"));
  replace(byId("viewer-position"), position < 0 ? "not in the filter" : `${position + 1} of ${bench.list().length}`);
  replace(
    byId("viewer-models"),
    siblingsOf(answer).map((other) =>
      make(
        "button",
        { type: "button", "aria-pressed": String(other === answer), onclick: () => open(other) },
        modelLabel(other.model),
        make("b", {}, number(bench.value(other))),
        other.kind && make("span", { class: `badge ${other.kind}` }, other.kind),
      ),
    ),
  );
  if (!byId("viewer").open) {
    byId("viewer").showModal();
    byId("viewer").focus();
  }
  byId("viewer-facts").scrollTop = 0;
  showComparisons();
  showViewerPictures();
  const facts = await bench.facts(answer);
  if (viewer.answer === answer) replace(byId("viewer-facts"), facts.filter(Boolean));
}

/** The answer that this one is compared with, or null for the reference. */
const comparedWith = () => siblingsOf(viewer.answer).find((one) => String(one.model) === viewer.other && one !== viewer.answer) ?? null;

/** Offers the reference, where there is one, and the other models' answers. */
function showComparisons() {
  const { answer } = viewer;
  const choice = byId("viewer-other");
  const others = siblingsOf(answer).filter((one) => one !== answer).map((one) => [one.model, data.models[one.model]]);
  const choices = [...(benches[answer.bench].hasReference(answer) ? [["", "reference"]] : []), ...others];
  options(choice, choices);
  byId("viewer-compare").hidden = !choices.length;
  choice.value = viewer.other ?? "";
  if (choice.selectedIndex < 0 && choices.length) choice.selectedIndex = 0;
  viewer.other = choice.value;
}

/** What can be shown of an answer, by panel: its shape, null for code. */
function viewsOf(shot) {
  const sizes = panelSizes(shot);
  return [...["input", "reference", "rendering", "overlay", "difference", "plan"].filter((name) => sizes[name]), "code"];
}

/** Shows all panels, one alone, or the code, as large as they can be. */
function showViewerPictures() {
  const { answer } = viewer;
  const shot = benches[answer.bench].shot(answer, comparedWith());
  const views = viewsOf(shot);
  const pictures = views.filter((name) => !ALONE.includes(name));
  const usual = pictures.length > 1 ? null : pictures[0] ?? "code";
  const alone = views.includes(viewer.panel) ? viewer.panel : usual;
  showViews(views, alone, pictures.length, shot);
  const place = byId("viewer-pictures");
  place.classList.toggle("codes", alone === "code");
  remember({ answer: pathOf(answer), of: data.models[answer.model], panel: alone === usual ? "" : alone ?? "", with: viewer.other ? asName(viewer.other) : "" });
  if (alone === "code") showCode(place);
  else showPanels(place, shot, alone ? [alone] : pictures);
}

/** The row of buttons: what is shown, and how large. */
function showViews(views, alone, count, shot) {
  const named = (name) => (name === "reference" ? shot.againstName : name === "code" ? "Code" : PANEL_NAMES[name]);
  const button = (name, label) =>
    make("button", { type: "button", "aria-pressed": String(alone === name), onclick: () => showPanel(name) }, label);
  const several = count > 1 ? [button(null, "All")] : [];
  replace(byId("viewer-views"), several, views.map((name) => button(name, named(name))));
  const zoom = ZOOMS[viewer.zoom];
  byId("zoom-out").disabled = viewer.zoom === 0;
  byId("zoom-in").disabled = viewer.zoom === ZOOMS.length - 1;
  replace(byId("zoom"), `${100 * zoom}%`);
  byId("viewer-zoom").hidden = alone === "code";
}

function showPanel(name) {
  viewer.panel = name;
  showViewerPictures();
}

function zoomBy(by) {
  viewer.zoom = clamp(viewer.zoom + by, 0, ZOOMS.length - 1);
  showViewerPictures();
}

function showPanels(place, shot, names) {
  // On a narrow screen the pictures stand below each other, and the facts below them.
  const narrow = matchMedia("(max-width: 800px)").matches;
  const [width, height] = [place.clientWidth - 24, narrow ? 4 * 360 : place.clientHeight - 24];
  const sizes = panelSizes(shot);
  // Wide pictures stand below each other, others two by two.
  const waste = (columns) => {
    const rows = Math.ceil(names.length / columns);
    const box = [width / columns - 12, height / rows - 38];
    return -Math.min(...names.map((name) => fit(sizes[name], box)[0] / sizes[name][0]));
  };
  const columns = names.length > 1 && waste(2) <= waste(1) && width > 500 ? 2 : 1;
  const rows = Math.ceil(names.length / columns);
  const zoom = ZOOMS[viewer.zoom];
  const box = viewer.panel === names[0] ? [width, Infinity] : [width / columns - 12, Math.max(90, height / rows - 38)];
  const { figures, fillPanels } = panels(shot, names, box.map((side) => side * zoom), { most: zoom });
  for (const figure of figures) {
    const name = figure.dataset.panel;
    const alone = viewer.panel === name;
    fill(figure.querySelector(".paper"), { onclick: () => showPanel(alone ? null : name), title: alone ? "As it was (a)" : "This picture alone (z)" });
  }
  place.style.gridTemplateColumns = `repeat(${columns}, auto)`;
  replace(place, figures);
  fillPanels();
}

/** Shows the answer's code beside the reference's, or beside another answer's. */
async function showCode(place) {
  const [answer, other] = [viewer.answer, comparedWith()];
  const bench = benches[answer.bench];
  const [ours, theirs] = await Promise.all([answer, other].map((one) => one && bench.code(one)));
  if (viewer.answer !== answer) return;
  const model = data.models[answer.model];
  const against = other ? [data.models[other.model], theirs.completion] : ["Reference", ours.reference];
  const shown = [model, other ? ours.completion : ours.content];
  place.style.gridTemplateColumns = "minmax(0, 1fr)";
  const has = other || ours.reference;
  replace(place, has ? diffTable(against, shown, ours.language) : make("div", {}, codePart(model, ours.completion, ours.language)));
}

/** Goes on from all pictures to the first, …, to the last, and to all again. */
function nextPanel() {
  const views = viewsOf(benches[viewer.answer.bench].shot(viewer.answer, comparedWith()));
  const steps = [null, ...views];
  showPanel(steps[(steps.indexOf(viewer.panel) + 1) % steps.length]);
}

const factPart = (title, ...content) => [make("h3", {}, title), ...content];

function codePart(title, text, language) {
  const code = language ? text.split("\n").flatMap((line) => [...coloredLine(tokensOf(line, language)), "\n"]) : text;
  return factPart([title, " ", copyButton(text, title)], make("pre", { tabindex: 0, role: "region", "aria-label": title }, text ? code : make("i", {}, "(nothing)")));
}

function scoreTable(bench, answer) {
  const rows = bench
    .scores(answer)
    .filter(([, value]) => value != null)
    .map(([label, value, plain]) =>
      make(
        "tr",
        {},
        make("th", { scope: "row" }, label),
        make("td", {}, plain ? "" : bar({ mean: value }, modelColor(answer.model))),
        make("td", { class: "number" }, number(value)),
      ),
    );
  return make("table", { class: "facts" }, make("tbody", {}, rows));
}

const ASKED = {
  promptTokens: ["Tokens of the prompt", (n) => n.toLocaleString("en")],
  completionTokens: ["Tokens of the completion", (n) => n.toLocaleString("en")],
  seconds: ["Seconds of the request", (n) => number(n, 1)],
};

/** What HELM wrote of the request: the prompt, tokens and time. */
function askedPart(asked) {
  if (!asked) return [];
  const rows = Object.entries(ASKED)
    .filter(([name]) => asked[name] != null)
    .map(([name, [label, say]]) => make("tr", {}, make("th", { scope: "row" }, label), make("td"), make("td", { class: "number" }, say(asked[name]))));
  return [
    rows.length ? factPart("Request", make("table", { class: "facts" }, make("tbody", {}, rows))) : [],
    asked.prompt ? codePart("Prompt", asked.prompt) : [],
  ];
}

/** Goes to another instance of the list: with the same model, where a list has none of its own. */
function step(by) {
  const bench = benches[viewer.answer.bench];
  const position = positionOf(viewer.answer);
  const next = bench.list()[(position < 0 ? bench.cards().selected : position) + by];
  if (!next) return;
  open((bench.listed && siblingsOf(next).find(({ model }) => model === viewer.answer.model)) || next);
}

function startViewer() {
  byId("previous").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  byId("zoom-in").addEventListener("click", () => zoomBy(1));
  byId("zoom-out").addEventListener("click", () => zoomBy(-1));
  byId("close").addEventListener("click", () => byId("viewer").close());
  byId("viewer-other").addEventListener("change", ({ target }) => {
    viewer.other = target.value;
    showViewerPictures();
  });
  byId("viewer").addEventListener("close", () => {
    remember({ answer: "", of: "", panel: "", with: "" });
    const bench = benches[viewer.answer.bench];
    const position = positionOf(viewer.answer);
    if (position >= 0) selectItem(bench.cards(), position);
  });
}
