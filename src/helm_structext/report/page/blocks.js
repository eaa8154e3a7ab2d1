// Pictures, texts and plans stand in blocks that are read when they are shown: at the end of the
// file, where one may still be on its way while the browser loads a large file, or in a report that
// is a folder in shards, which are scripts that are loaded then.

const SHARDS_KEPT = 160; // those that were asked for last
const CHUNK = 64; // answers whose texts are read at a time
const SEARCH_PAUSE = 1_000; // milliseconds between what a search shows on its way

const shards = new Map(); // name to the promise of what a shard holds, and to that when it has come
const arriving = new Map();

/** What the script of a shard calls. */
function shard(name, text) {
  arriving.set(name, JSON.parse(text));
}

function shardOf(id) {
  const place = Math.floor(Number(id.slice(1)) / data.shards[id[0]]);
  return `${id[0]}/${Math.floor(place / 1000)}/${place}`;
}

function loadShard(name) {
  const found = shards.get(name) ?? { content: null, promise: requestShard(name) };
  shards.delete(name);
  shards.set(name, found);
  if (shards.size > SHARDS_KEPT) shards.delete(shards.keys().next().value);
  return found.promise;
}

function requestShard(name) {
  return new Promise((resolve, reject) => {
    const script = make("script", { src: `data/${name}.js` });
    const end = () => {
      script.remove();
      const content = arriving.get(name);
      arriving.delete(name);
      if (shards.has(name)) shards.get(name).content = content;
      if (content) return resolve(content);
      shards.delete(name);
      reject(new Error(`The report's folder is not whole: data/${name}.js can't be read`));
    };
    script.addEventListener("load", end);
    script.addEventListener("error", end);
    document.head.append(script);
  });
}

/** Says whether the browser has read all of a block of the file. */
const isComplete = (element) => element && (element.nextElementSibling || document.readyState !== "loading");

async function block(id) {
  if (data.shards) return (await loadShard(shardOf(id)))[id];
  for (;;) {
    const element = byId(id);
    if (isComplete(element)) return element.textContent;
    if (document.readyState !== "loading") throw new Error(`The report has no ${id}: the file is cut off`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A block's content: a shard's is read already. */
const contentOf = (found) => (typeof found === "string" ? JSON.parse(found) : found);
const blockOf = async (id) => contentOf(await block(id));

/** The content of a block that can be had at once, or undefined. */
function blockHere(id) {
  if (data.shards) return shards.get(shardOf(id))?.content?.[id];
  return isComplete(byId(id)) ? contentOf(byId(id).textContent) : undefined;
}

const isLarge = (picture) => data.thumbnail?.some((most, i) => data.pictures[picture][i] > most);

/** Sets an image's picture, or a small one, and waits until it can be drawn. */
async function load(image, picture, small = false) {
  image.src = `data:image/webp;base64,${await block(`${small && isLarge(picture) ? "t" : "p"}${picture}`)}`;
  await image.decode();
  return image;
}

const searchTexts = new Map();

/** What a filter by text looks at: `id`, and what `say` finds in some blocks, if they have been read. */
function searchText(blocks, id, say) {
  const key = blocks.join();
  const found = searchTexts.get(key);
  if (found !== undefined) return found;
  const contents = blocks.map(blockHere);
  if (contents.some((content) => content === undefined)) return null;
  const text = [id, ...say(...contents)].join("\n").toLowerCase();
  searchTexts.set(key, text);
  return text;
}

/**
 * A filter by text. Of what a folder has not given yet it notes `unread`, the blocks and what is said
 * of them, for `readOn`; in a file this comes by itself, and until then an answer has its id alone.
 */
const textFilter = (wanted, unread) => (blocks, id, say) => {
  const text = searchText(blocks, id, say);
  if (text === null && data.shards) unread.push([blocks, id, say]);
  return (text ?? id.toLowerCase()).includes(wanted.toLowerCase());
};

const turns = {}; // of searches, by benchmark: a later one ends those before it

/** Reads what a search has not seen yet, and shows now and then what it found. */
async function readOn(name, unread, show) {
  const turn = (turns[name] = (turns[name] ?? 0) + 1);
  const end = performance.now() + SEARCH_PAUSE;
  for (let done = 0; done < unread.length && performance.now() < end; done += CHUNK) {
    const reading = unread.slice(done, done + CHUNK).map(async ([blocks, id, say]) => {
      await Promise.all(blocks.map(block));
      searchText(blocks, id, say);
    });
    const results = await Promise.allSettled(reading);
    if (turns[name] !== turn) return;
    const failed = results.find(({ status }) => status === "rejected");
    if (failed) return console.error(failed.reason);
  }
  if (unread.length) show();
}
