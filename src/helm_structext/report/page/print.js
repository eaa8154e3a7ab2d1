// What is printed: the page's tables and charts, and small pictures of the first answers of each list.

const SHEET = 12; // answers of a benchmark

/** A small picture: of what the browser has not read yet of a file there is none. */
function printedPicture(picture, alt) {
  if (picture === null || (!data.shards && !isComplete(byId(`p${picture}`)))) return null;
  const image = make("img", { alt, decoding: "sync" });
  image.loaded = load(image, picture, true);
  return image;
}

function printedAnswer(bench, answer) {
  const { input, rendering } = bench.shot(answer, null);
  const pictures = [printedPicture(input, "Input"), printedPicture(rendering, "Rendering")].filter(Boolean);
  if (!pictures.length) return null;
  const value = bench.value(answer);
  return make(
    "figure",
    {},
    make("div", {}, pictures),
    make("figcaption", {}, make("b", {}, `${data.models[answer.model]} ${number(value)}`), ` ${bench.label(answer)} ${answer.kind ?? ""}`),
  );
}

/** Fills the sheet with what the lists show, and returns when its pictures can be printed. */
function fillSheet() {
  const sheets = Object.values(benches).filter((bench) => bench.present()).map((bench) => {
    const list = bench.list();
    const figures = [];
    for (const answer of list) { // Answers of text have no picture.
      if (figures.length === SHEET) break;
      figures.push(...[printedAnswer(bench, answer)].filter(Boolean));
    }
    return figures.length && [make("h2", {}, `${bench.title}: ${figures.length} of the ${list.length} listed`), make("div", { class: "sheet" }, figures)];
  });
  replace(byId("print-sheet"), sheets.filter(Boolean));
  return Promise.allSettled([...byId("print-sheet").querySelectorAll("img")].map((image) => image.loaded));
}

function startPrint() {
  addEventListener("beforeprint", () => byId("print-sheet").childElementCount || fillSheet());
  // Paper has no disclosures.
  addEventListener("beforeprint", () => document.querySelectorAll(".notes details:not([open])").forEach((one) => fill(one, { open: true, "data-closed": true })));
  addEventListener("afterprint", () => document.querySelectorAll("[data-closed]").forEach((one) => ["open", "data-closed"].forEach((name) => one.removeAttribute(name))));
  addEventListener("afterprint", () => replace(byId("print-sheet")));
  byId("print").addEventListener("click", () => fillSheet().then(() => print()));
}
