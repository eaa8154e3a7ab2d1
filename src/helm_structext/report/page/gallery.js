// The gallery: every answer of a condition with its pictures.

const CARD = { border: 1, head: 36, caption: 22, gap: 14, padding: 14, most: 280, least: 48, failure: 132 };

const gallery = {
  answers: [], // those that pass the filter, in order
  list: null,
  get selected() {
    return this.list.selected;
  },
};

const FILTERS = {
  model: (value) => (answer) => answer.model === Number(value),
  subset: (value) => (answer) => {
    const { domain, name, wild } = subsetOf(answer);
    return [domain, `${domain}/${name}`, `${domain}/${wild ? "wild" : "code"}`].includes(value);
  },
  difficulty: (value) => (answer) => instanceOf(answer).difficulty === value,
  outcome: (value) => OUTCOMES[value] ?? ((answer) => answer.kind === value),
  least: (value) => (answer) => scoreOf(answer, view.metric) !== null && scoreOf(answer, view.metric) >= Number(value),
  most: (value) => (answer) => scoreOf(answer, view.metric) !== null && scoreOf(answer, view.metric) <= Number(value),
};

/** What a filter by text looks at of an answer's block. */
const wordsOfAnswer = ({ completion, error, reference }) => [completion, error, reference];

const OUTCOMES = {
  rendered: (answer) => answer.rendering !== null,
  failed: (answer) => answer.rendering === null,
  truncated: (answer) => answer.truncated,
  refused: (answer) => answer.refused,
};

const ORDERS = ordersBy((answer) => scoreOf(answer, view.metric));

/** Chooses the answers that pass the filters, and stays at the selected one if it is among them. */
function applyFilters(keep = gallery.answers[gallery.selected]) {
  const [, order] = ORDERS[view.filters.order || "instance"];
  const tests = Object.entries(FILTERS)
    .filter(([name]) => view.filters[name])
    .map(([name, test]) => test(view.filters[name]));
  const unread = [];
  if (view.filters.text) {
    const fits = textFilter(view.filters.text, unread);
    tests.push((answer) => fits([`a${answer.index}`], instanceOf(answer).id, wordsOfAnswer));
  }
  const all = answersOf();
  const passing = all.filter((answer) => tests.every((test) => test(answer)));
  gallery.answers = sortedBy(order, passing, modelsOf());
  const [total, count] = [all.length, gallery.answers.length];
  const reading = unread.length ? `, ${unread.length} to read` : "";
  replace(byId("count"), count < total ? `${count} of ${total}${reading}` : `${total} answer${total === 1 ? "" : "s"}`);
  showItems(gallery.list, gallery.answers, gallery.answers.indexOf(keep));
  showGrid("image2struct");
  readOn("image2struct", unread, () => applyFilters());
}

/** How the panels of a card are arranged in a list of some width. */
function arrangement() {
  const width = byId("list").clientWidth - 2 * (CARD.border + CARD.padding);
  const columns = width >= 860 ? 4 : width >= 440 ? 2 : 1;
  return { columns, box: [Math.floor((width - (columns - 1) * CARD.gap) / columns), CARD.most] };
}

/** How tall an answer's card is: pictures' sizes are known before any has come. */
function cardHeight(answer) {
  const { columns, box } = gallery.arrangement;
  const sizes = panelSizes(shotOf(answer));
  const inner = box.map((side) => side - 2 * EDGE);
  const heights = PANELS.filter((name) => sizes[name]).map((name) => Math.max(CARD.least, fit(sizes[name], inner)[1] + 2 * EDGE));
  if (answer.rendering === null) {
    if (columns === 1) heights.push(CARD.failure);
    else heights[0] = Math.max(heights[0], CARD.failure);
  }
  let height = CARD.head + 2 * (CARD.border + CARD.padding);
  for (let i = 0; i < heights.length; i += columns)
    height += Math.max(...heights.slice(i, i + columns)) + CARD.caption + (i ? CARD.gap : 0);
  return height;
}

function badges(answer) {
  return [
    answer.kind && make("span", { class: `badge ${answer.kind}` }, answer.kind),
    answer.truncated && make("span", { class: "badge truncated", title: "The model ran out of tokens" }, "truncated"),
    answer.refused && make("span", { class: "badge refused", title: "The model or its provider declined" }, "refused"),
  ];
}

/** An error's message without the kind before it, which a badge shows. */
const message = (answer, error) => (error.startsWith(`${answer.kind}: `) ? error.slice(answer.kind.length + 2) : error);

function makeCard(answer) {
  const instance = instanceOf(answer);
  const { columns, box } = gallery.arrangement;
  const { figures, fillPanels } = panels(shotOf(answer), PANELS, box, { small: true });
  const value = scoreOf(answer, view.metric);
  const title = `${data.models[answer.model]}, ${subsetLabel(subsetOf(answer))}, ${instance.id}`;
  const failure =
    answer.rendering === null &&
    make("div", { class: "failure", style: { gridColumn: columns > 1 ? "2 / -1" : null } }, make("pre"));
  const card = make(
    "div",
    {
      class: "card",
      "aria-label": `${title}: ${metricLabel(view.metric)} ${number(value)}`,
      style: { height: `${cardHeight(answer)}px` },
    },
    make(
      "header",
      {},
      make("span", { class: "model" }, modelLabel(answer.model)),
      make("span", { class: "subset" }, subsetLabel(subsetOf(answer))),
      instance.difficulty && make("span", { class: "subset" }, instance.difficulty),
      make("code", {}, instance.id),
      make("span", { class: "space" }),
      badges(answer),
      make("span", { class: "value" }, metricLabel(view.metric), " ", make("b", {}, number(value))),
    ),
    make("div", { class: "panels", style: { gridTemplateColumns: `repeat(${columns}, 1fr)` } }, figures, failure || []),
  );
  card.fill = async () => {
    if (failure) {
      const { error, completion } = await blockOf(`a${answer.index}`);
      replace(failure.querySelector("pre"), make("b", {}, message(answer, error)), "\n", completion || "(nothing)");
    }
    await fillPanels();
  };
  return card;
}

const select = (position) => selectItem(gallery.list, position);

function startGallery() {
  const measured = () => (gallery.arrangement = arrangement());
  gallery.list = newList(byId("list"), byId("filters"), cardHeight, makeCard);
  addEventListener("resize", measured); // before lists are shown again
  measured();
  byId("list").addEventListener("click", ({ target }) => {
    const card = target.closest(".card");
    if (!card) return;
    select(card.position);
    open(gallery.answers[gallery.selected]);
  });
}

/** The pictures of an answer, compared with the reference or with another answer's rendering. */
function shotOf(answer, other = null) {
  return {
    input: inputOf(answer),
    rendering: answer.rendering,
    against: other ? other.rendering : instanceOf(answer).picture,
    againstName: other ? `Rendering of ${data.models[other.model]}` : PANEL_NAMES.reference,
    resize: subsetOf(answer).resize,
    title: `${instanceOf(answer).id} by ${data.models[answer.model]}`,
    plan: other ? null : async () => (await blockOf(`a${answer.index}`)).plan,
  };
}

benches.image2struct = {
  title: "Image2Struct",
  present: () => data.conditions.length > 0,
  section: "answers",
  form: "filters",
  language: { image2struct_latex: "tex", image2struct_webpage: "markup", image2struct_music: "tex" },
  all: answersOf,
  models: modelsOf,
  list: () => gallery.answers,
  cards: () => gallery.list,
  value: (answer) => scoreOf(answer, EMS),
  condition: () => condition().label,
  part: (answer) => `${subsetOf(answer).domain}/${subsetOf(answer).name}`,
  label: (answer) => subsetLabel(subsetOf(answer)),
  id: (answer) => instanceOf(answer).id,
  remarks: (answer) => [instanceOf(answer).difficulty, instanceOf(answer).date],
  shot: shotOf,
  hasReference: () => true,
  scores: (answer) => data.answerMetrics.map((name) => [metricLabel(name), scoreOf(answer, name), isDistance(name)]),
  filterByModel(model, keep) {
    setFilters({ ...view.filters, model: model === null ? "" : String(model) }, keep);
    select(gallery.selected);
  },

  async code(answer) {
    const { completion, text, reference } = await blockOf(`a${answer.index}`);
    const language = this.language[subsetOf(answer).domain];
    return { completion, content: text || completion, reference, language };
  },

  async facts(answer) {
    const { completion, text, reference, error, asked } = await blockOf(`a${answer.index}`);
    return [
      make("p", { class: "error" }, badges(answer), message(answer, error)),
      factPart("Metrics", scoreTable(this, answer)),
      codePart("Completion", completion),
      reference && codePart("Reference", reference),
      text && reference && codePart("Completion, reduced to its content", text),
      askedPart(asked),
    ];
  },
};
