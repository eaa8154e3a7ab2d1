// Pictures, texts and plans stand in blocks that are read when they are shown: at the end of the
// file, where one may still be on its way while the browser loads a large file, or in a report that
// is a folder in shards, which are scripts that are loaded then.

import { data } from "./data.js";
import { byId, make } from "./dom.js";

const SHARDS_KEPT = 160; // those that were asked for last
const CHUNK = 64; // answers whose texts are read at a time
const SEARCH_PAUSE = 1_000; // milliseconds between what a search shows on its way

export const shards = new Map(); // name to the promise of what a shard holds, and to that when it has come
const arriving = new Map();

// By which the page's policy knows the scripts of shards: no other script that got into the page has it.
const { nonce } = document.currentScript;

// What the script of a shard calls.
globalThis.shard = (name, text) => arriving.set(name, JSON.parse(text));

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
    const script = make("script", { nonce, src: `data/${name}.js` });
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
export const isComplete = (element) => element && (element.nextElementSibling || document.readyState !== "loading");

export async function read(id) {
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
export const blockOf = async (id) => contentOf(await read(id));

/** The content of a block that can be had at once, or undefined. */
export function blockHere(id) {
  if (data.shards) return shards.get(shardOf(id))?.content?.[id];
  return isComplete(byId(id)) ? contentOf(byId(id).textContent) : undefined;
}

const isLarge = (picture) => data.thumbnail?.some((most, i) => data.pictures[picture][i] > most);

/** Sets an image's picture, or a small one, and waits until it can be drawn. */
export async function load(image, picture, small = false) {
  image.src = `data:image/webp;base64,${await read(`${small && isLarge(picture) ? "t" : "p"}${picture}`)}`;
  await image.decode();
  return image;
}

const searchTexts = new Map();

/** All that a block's panels and error say, in any order. */
function wordsOf(content) {
  if (typeof content === "string") return [content];
  return content && typeof content === "object" ? Object.values(content).flatMap(wordsOf) : [];
}

/** What a filter by text looks at of an answer, if its blocks have been read. */
function searchText({ block, instance }) {
  const found = searchTexts.get(block);
  if (found !== undefined) return found;
  const contents = [block, instance.block].map(blockHere);
  if (contents.some((content) => content === undefined)) return null;
  const words = contents.flatMap(({ panels, error }) => [...wordsOf(panels.map(({ title, kind, language, verdicts, ...content }) => content)), error ?? ""]);
  const text = [instance.id, ...words].join("\n").toLowerCase();
  searchTexts.set(block, text);
  return text;
}

/**
 * A filter by text. Of what a folder has not given yet it notes `unread` answers for `readOn`; in a file
 * texts come by themselves, and until then an answer has the id of its instance alone.
 */
export const textFilter = (wanted, unread) => (answer) => {
  const text = searchText(answer);
  if (text === null && data.shards) unread.push(answer);
  return (text ?? answer.instance.id.toLowerCase()).includes(wanted.toLowerCase());
};

const turns = new Map(); // of searches, by view: a later one ends those before it

/** Reads what a search has not seen yet, and shows now and then what it found. */
export async function readOn(view, unread, show) {
  const turn = (turns.get(view) ?? 0) + 1;
  turns.set(view, turn);
  const end = performance.now() + SEARCH_PAUSE;
  for (let done = 0; done < unread.length && performance.now() < end; done += CHUNK) {
    const reading = unread.slice(done, done + CHUNK).map(async (answer) => {
      await Promise.all([answer.block, answer.instance.block].map(read));
      searchText(answer);
    });
    const results = await Promise.allSettled(reading);
    if (turns.get(view) !== turn) return;
    const failed = results.find(({ status }) => status === "rejected");
    if (failed) return console.error(/** @type {PromiseRejectedResult} */ (failed).reason);
  }
  if (unread.length) show();
}
