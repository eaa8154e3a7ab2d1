// The large view of one answer: its pictures, every metric, its code and its messages.

const viewer = { answer: null, panel: null };

/** Opens an answer, or shows it if the large view is open already. */
async function open(answer) {
  viewer.answer = answer;
  const position = gallery.answers.indexOf(answer);
  if (position >= 0) gallery.selected = position;
  const instance = instanceOf(answer);
  replace(
    byId("viewer-title"),
    subsetLabel(subsetOf(answer)),
    make("small", {}, [instance.difficulty, instance.date].filter(Boolean).join(", ")),
    make("code", {}, instance.id),
  );
  replace(byId("viewer-position"), position < 0 ? "not in the filter" : `${position + 1} of ${gallery.answers.length}`);
  replace(
    byId("viewer-models"),
    answersOf()
      .filter((other) => other.instance === answer.instance)
      .toSorted(byRank)
      .map((other) =>
        make(
          "button",
          { type: "button", "aria-pressed": String(other === answer), onclick: () => open(other) },
          modelLabel(other.model),
          make("b", {}, number(scoreOf(other, EMS))),
          other.kind && make("span", { class: `badge ${other.kind}` }, other.kind),
        ),
      ),
  );
  if (!byId("viewer").open) {
    byId("viewer").showModal();
    byId("viewer").focus();
  }
  byId("viewer-facts").scrollTop = 0;
  showViewerPictures();
  const details = await detailsOf(answer);
  if (viewer.answer === answer) showFacts(answer, details);
}

/** Fills the pictures: all of them, or one alone as large as it can be. */
function showViewerPictures() {
  const { answer } = viewer;
  const place = byId("viewer-pictures");
  const alone = viewer.panel && panelSizes(answer)[viewer.panel] ? viewer.panel : null;
  // On a narrow screen the pictures stand below each other, and the facts below them.
  const narrow = matchMedia("(max-width: 800px)").matches;
  const [width, height] = [place.clientWidth - 24, narrow ? 4 * 360 : place.clientHeight - 24];
  // Wide pictures stand below each other, others two by two.
  const sizes = panelSizes(answer);
  const names = alone ? [alone] : ALL_PANELS.filter((name) => sizes[name]);
  const waste = (columns) => {
    const rows = Math.ceil(names.length / columns);
    const box = [width / columns - 12, height / rows - 38];
    return -Math.min(...names.map((name) => fit(sizes[name], box)[0] / sizes[name][0]));
  };
  const columns = names.length > 1 && waste(2) <= waste(1) && width > 500 ? 2 : 1;
  const rows = Math.ceil(names.length / columns);
  const box = alone ? [width, Infinity] : [width / columns - 12, Math.max(90, height / rows - 38)];
  const { figures, fillPanels } = panels(answer, names, box);
  for (const figure of figures) {
    const name = figure.dataset.panel;
    const next = () => {
      viewer.panel = alone ? null : name;
      showViewerPictures();
    };
    fill(figure.querySelector(".paper"), { onclick: next, title: alone ? "All pictures (z)" : "This picture alone (z)" });
  }
  place.style.gridTemplateColumns = `repeat(${columns}, auto)`;
  replace(place, figures);
  fillPanels();
}

/** Goes on from all pictures to the first, …, to the last, and to all again. */
function nextPanel() {
  const names = ALL_PANELS.filter((name) => panelSizes(viewer.answer)[name]);
  const steps = [null, ...names];
  viewer.panel = steps[(steps.indexOf(viewer.panel) + 1) % steps.length];
  showViewerPictures();
}

function showFacts(answer, { completion, text, reference, error }) {
  const part = (title, ...content) => [make("h3", {}, title), ...content];
  const code = (content) => make("pre", { tabindex: 0 }, content || make("i", {}, "(nothing)"));
  const metrics = data.answerMetrics
    .map((name) => [name, scoreOf(answer, name)])
    .filter(([, value]) => value !== null)
    .map(([name, value]) =>
      make(
        "tr",
        {},
        make("th", { scope: "row", title: name }, metricLabel(name)),
        make("td", {}, isDistance(name) ? "" : bar({ mean: value }, modelColor(answer.model))),
        make("td", { class: "number" }, number(value)),
      ),
    );
  replace(
    byId("viewer-facts"),
    make("p", { class: "error" }, badges(answer), message(answer, error)),
    part("Metrics", make("table", { class: "facts" }, make("tbody", {}, metrics))),
    part("Completion", code(completion)),
    reference ? part("Reference", code(reference)) : [],
    text && reference ? part("Completion, reduced to its content", code(text)) : [],
  );
}

function step(by) {
  const position = gallery.answers.indexOf(viewer.answer);
  const next = gallery.answers[(position < 0 ? gallery.selected : position) + by];
  if (next) open(next);
}
