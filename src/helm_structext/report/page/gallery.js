// The gallery: a list of which only what is on the screen is in the page.

const CARD = { border: 1, head: 36, caption: 22, gap: 14, padding: 14, most: 280, least: 48, failure: 132 };
const OVERSCAN = 600; // pixels above and below the screen

const gallery = {
  answers: [], // indices of those that pass the filter, in order
  tops: [0], // where each card begins, and where the last one ends
  cards: new Map(), // position to element
  selected: 0, // a position
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
  text: (value) => (answer) => searchText(answer).includes(value.toLowerCase()),
};

const searchTexts = new Map();

/** What a filter by text looks at; answers that the browser has not read yet have their id alone. */
function searchText(answer) {
  const found = searchTexts.get(answer);
  if (found) return found;
  const here = isComplete(byId(`a${answer.index}`));
  const { completion, error, reference } = here ? JSON.parse(byId(`a${answer.index}`).textContent) : {};
  const text = [instanceOf(answer).id, completion, error, reference].join("\n").toLowerCase();
  if (here) searchTexts.set(answer, text);
  return text;
}

const OUTCOMES = {
  rendered: (answer) => answer.rendering !== null,
  failed: (answer) => answer.rendering === null,
  truncated: (answer) => answer.truncated,
  refused: (answer) => answer.refused,
};

const ORDERS = {
  instance: ["By instance", (a, b) => a.instance - b.instance],
  worst: ["Lowest first", (a, b) => (scoreOf(a, view.metric) ?? Infinity) - (scoreOf(b, view.metric) ?? Infinity)],
  best: ["Highest first", (a, b) => (scoreOf(b, view.metric) ?? -Infinity) - (scoreOf(a, view.metric) ?? -Infinity)],
};

/** Chooses the answers that pass the filters, and stays at the selected one if it is among them. */
function applyFilters(keep = gallery.answers[gallery.selected]) {
  const [, order] = ORDERS[view.filters.order || "instance"];
  const tests = Object.entries(FILTERS)
    .filter(([name]) => view.filters[name])
    .map(([name, test]) => test(view.filters[name]));
  gallery.answers = answersOf()
    .filter((answer) => tests.every((test) => test(answer)))
    .toSorted((a, b) => order(a, b) || a.instance - b.instance || byRank(a, b));
  gallery.selected = Math.max(0, gallery.answers.indexOf(keep));
  const total = answersOf().length;
  const count = gallery.answers.length;
  replace(byId("count"), count < total ? `${count} of ${total}` : `${total} answer${total === 1 ? "" : "s"}`);
  layout();
  showGrid("image2struct");
}

/** How the panels of a card are arranged in a list of some width. */
function arrangement() {
  const width = byId("list").clientWidth - 2 * (CARD.border + CARD.padding);
  const columns = width >= 860 ? 4 : width >= 440 ? 2 : 1;
  return { columns, box: [Math.floor((width - (columns - 1) * CARD.gap) / columns), CARD.most] };
}

/** Computes where every card begins: pictures' sizes are known before any has come. */
function layout() {
  const { columns, box } = arrangement();
  const tops = [0];
  for (const answer of gallery.answers) {
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
    tops.push(tops.at(-1) + height + CARD.gap);
  }
  gallery.tops = tops;
  byId("list").style.height = `${tops.at(-1)}px`;
  for (const card of gallery.cards.values()) card.remove();
  gallery.cards.clear();
  showCards();
}

/** The position of the card at some height in the list. */
function positionAt(y) {
  let [low, high] = [0, gallery.answers.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (gallery.tops[middle] <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Puts the cards near the screen into the page, and takes all others out. */
function showCards() {
  const list = byId("list");
  const top = -list.getBoundingClientRect().top;
  const [from, to] = [positionAt(top - OVERSCAN), positionAt(top + innerHeight + OVERSCAN)];
  const wanted = gallery.answers.length && top + innerHeight > -OVERSCAN;
  for (const [position, card] of gallery.cards) {
    if (wanted && position >= from && position <= to) continue;
    card.remove();
    gallery.cards.delete(position);
  }
  if (!wanted) return;
  for (let position = from; position <= to; position++) {
    if (gallery.cards.has(position)) continue;
    const card = makeCard(position);
    gallery.cards.set(position, card);
    const after = [...gallery.cards.keys()].filter((other) => other > position);
    list.insertBefore(card, after.length ? gallery.cards.get(Math.min(...after)) : null);
  }
  fillCards();
}

let filling = false;

/** Fills one card after another, those on the screen first; one that has left is forgotten. */
async function fillCards() {
  if (filling) return;
  filling = true;
  const distance = (card) => Math.abs(card.getBoundingClientRect().top + card.offsetHeight / 2 - innerHeight / 2);
  for (;;) {
    const waiting = [...gallery.cards.values()].filter((card) => card.fillPanels);
    if (!waiting.length) break;
    const card = waiting.reduce((a, b) => (distance(a) < distance(b) ? a : b));
    const task = card.fillPanels;
    card.fillPanels = null;
    await task().catch((error) => replace(card.querySelector(".panels"), make("p", { class: "error" }, error.message)));
    await new Promise(requestAnimationFrame);
  }
  filling = false;
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

function makeCard(position) {
  const answer = gallery.answers[position];
  const instance = instanceOf(answer);
  const { columns, box } = arrangement();
  const { figures, fillPanels } = panels(shotOf(answer), PANELS, box);
  const value = scoreOf(answer, view.metric);
  const title = `${data.models[answer.model]}, ${subsetLabel(subsetOf(answer))}, ${instance.id}`;
  const failure =
    answer.rendering === null &&
    make("div", { class: "failure", style: { gridColumn: columns > 1 ? "2 / -1" : null } }, make("pre"));
  const card = make(
    "div",
    {
      class: "card",
      role: "listitem",
      tabindex: position === gallery.selected ? 0 : -1,
      "aria-current": position === gallery.selected ? "true" : null,
      "aria-posinset": position + 1,
      "aria-setsize": gallery.answers.length,
      "aria-label": `${title}: ${metricLabel(view.metric)} ${number(value)}`,
      "data-position": position,
      style: { top: `${gallery.tops[position]}px`, height: `${gallery.tops[position + 1] - gallery.tops[position] - CARD.gap}px` },
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
  card.fillPanels = async () => {
    if (failure) {
      const { error, completion } = await blockOf(`a${answer.index}`);
      replace(failure.querySelector("pre"), make("b", {}, message(answer, error)), "\n", completion || "(nothing)");
    }
    await fillPanels();
  };
  return card;
}

/** Selects a position and brings it onto the screen. */
function select(position) {
  if (!gallery.answers.length) return;
  for (const card of gallery.cards.values()) fill(card, { tabindex: -1 }).removeAttribute("aria-current");
  gallery.selected = clamp(position, 0, gallery.answers.length - 1);
  const list = byId("list").getBoundingClientRect().top + scrollY;
  const [top, bottom] = [list + gallery.tops[gallery.selected], list + gallery.tops[gallery.selected + 1]];
  const covered = byId("filters").getBoundingClientRect().height + document.querySelector(".top").offsetHeight + 12;
  if (top < scrollY + covered) scrollTo({ top: top - covered, behavior: "instant" });
  else if (bottom > scrollY + innerHeight) scrollTo({ top: Math.min(top - covered, bottom - innerHeight + 12), behavior: "instant" });
  showCards();
  const card = gallery.cards.get(gallery.selected);
  fill(card, { tabindex: 0, "aria-current": "true" });
  if (!byId("viewer").open) card.focus({ preventScroll: true });
}

/** Selects the next answer or the one before; if the selected one is off the screen, the first on it. */
function move(by) {
  const list = byId("list").getBoundingClientRect().top;
  const [top, bottom] = [gallery.selected, gallery.selected + 1].map((i) => list + gallery.tops[i]);
  select(bottom < 0 || top > innerHeight ? positionAt(-list) : gallery.selected + by);
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
  selected: () => gallery.answers[gallery.selected],
  select,
  move,
  selectQuietly: (position) => (gallery.selected = position),
  value: (answer) => scoreOf(answer, EMS),
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
