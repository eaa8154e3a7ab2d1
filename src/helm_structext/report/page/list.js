// A list of which only what is on the screen is in the page. How tall a card will be is known or
// guessed, and measured when it is there.

import { byId, fill, make, onceAFrame } from "./dom.js";
import { clamp } from "./numbers.js";
import { hold, settle } from "./places.js";

const OVERSCAN = 600; // pixels above and below the screen
const CARD_GAP = 14;
const TALLEST = 4e6; // pixels of a list: browsers place nothing below some 18 million of all lists
const ASTRAY = 5e4; // pixels by which a scroll bar may be wrong

export const lists = [];

/**
 * Makes a list in an element: `tall` says about how tall an item's card is, `card` makes it, with a
 * function `fill` for what is not there yet, and the form's filters cover the top of the screen.
 */
export function newList(place, form, tall, card) {
  /** @type {any} */
  const list = { place, form, tall, card, items: [], heights: [], tops: [0], cards: new Map(), selected: 0, lead: 0, at: 0 };
  list.sizes = new ResizeObserver((entries) => measure(list, entries));
  lists.push(list);
  return list;
}

export const endOf = (list) => list.tops[list.items.length];

/** Shows items, one of which is selected. */
export function showItems(list, items, selected = 0) {
  list.items = items;
  list.selected = clamp(selected, 0, Math.max(0, items.length - 1));
  list.heights = Float64Array.from(items, (item) => list.tall(item) + CARD_GAP);
  list.tops = new Float64Array(items.length + 1);
  for (const position of list.cards.keys()) dropCard(list, position);
  placeCards(list);
  showCards(list);
}

export function placeCards(list) {
  const { heights, tops } = list;
  for (let i = 0; i < heights.length; i++) tops[i + 1] = tops[i] + heights[i];
  list.place.style.height = `${Math.min(endOf(list), TALLEST)}px`;
  for (const [position, card] of list.cards) card.style.top = `${tops[position] - list.lead}px`;
}

function dropCard(list, position) {
  const card = list.cards.get(position);
  list.sizes.unobserve(card);
  list.cards.delete(position);
  card.remove();
}

/** Takes heights from the cards; what is held stays where it is, or else what is on the screen. */
function measure(list, entries) {
  const top = topOf(list);
  let [above, changed] = [0, false];
  for (const { target } of entries) {
    const by = target.offsetHeight + CARD_GAP - list.heights[target.position];
    if (list.cards.get(target.position) !== target || !target.offsetHeight || Math.abs(by) < 1) continue;
    if (list.tops[target.position] < top) above += by;
    list.heights[target.position] += by;
    changed = true;
  }
  if (!changed) return;
  placeCards(list);
  if (!settle() && above) scrollList(list, above);
  requestAnimationFrame(() => showCards(list));
}

function scrollList(list, by) {
  list.at += by;
  scrollBy({ top: by, behavior: "instant" });
}

/**
 * Where the top of the screen is in a list. One that is taller than a page can be is shown from `lead`
 * on: a jump leads to the same share of the whole, steps are as long as they are, and the scroll bar
 * is put right when they have led it astray.
 */
function topOf(list) {
  const y = -list.place.getBoundingClientRect().top;
  const [reach, whole] = [TALLEST - innerHeight, endOf(list) - innerHeight];
  if (whole <= reach) list.lead = 0;
  else if (y <= 0 || y >= reach) list.lead = y <= 0 ? 0 : whole - reach;
  else if (Math.abs(y - list.at) > innerHeight) list.lead = (y / reach) * whole - y;
  else {
    const right = (clamp(y + list.lead, 0, whole) / whole) * reach;
    if (Math.abs(right - y) > Math.min(ASTRAY, right / 2, (reach - right) / 2)) {
      list.lead -= right - y;
      list.at = y;
      scrollList(list, right - y);
      return right + list.lead;
    }
  }
  list.at = y;
  return y + list.lead;
}

/** The position of the card at some height in the list. */
function positionAt(list, y) {
  let [low, high] = [0, list.items.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (list.tops[middle] <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Puts the cards near the screen into the page, and takes all others out. */
function showCards(list) {
  const lead = list.lead;
  const top = topOf(list);
  const here = list.items.length && top + innerHeight > -OVERSCAN;
  const from = here ? positionAt(list, top - OVERSCAN) : 0;
  const to = here ? positionAt(list, top + innerHeight + OVERSCAN) : -1;
  for (const position of list.cards.keys()) if (position < from || position > to) dropCard(list, position);
  if (list.lead !== lead) for (const [position, card] of list.cards) card.style.top = `${list.tops[position] - list.lead}px`;
  let before = null; // the card that the next one stands before
  for (let position = to; position >= from; position--) {
    const card = list.cards.get(position) ?? addCard(list, position, before);
    before = card;
  }
  fillCards();
}

function addCard(list, position, before) {
  const isSelected = position === list.selected;
  const card = fill(list.card(list.items[position]), {
    role: "listitem",
    tabindex: isSelected ? 0 : -1,
    "aria-current": isSelected ? "true" : null,
    "aria-posinset": position + 1,
    "aria-setsize": list.items.length,
    style: { top: `${list.tops[position] - list.lead}px` },
  });
  card.position = position;
  list.cards.set(position, card);
  list.place.insertBefore(card, before);
  list.sizes.observe(card);
  return card;
}

let filling = false;
/** Whether cards wait for their texts and pictures. */
export const isFilling = () => filling;

/** Fills one card after another, those on the screen first; one that has left is forgotten. */
async function fillCards() {
  if (filling) return;
  filling = true;
  const distance = (card) => Math.abs(card.getBoundingClientRect().top + card.offsetHeight / 2 - innerHeight / 2);
  for (;;) {
    const waiting = lists.flatMap((list) => [...list.cards.values()].filter((card) => card.fill));
    if (!waiting.length) break;
    const card = waiting.reduce((a, b) => (distance(a) < distance(b) ? a : b));
    const task = card.fill;
    card.fill = null;
    await task().catch((error) => card.append(make("p", { class: "error" }, error.message)));
    await new Promise(requestAnimationFrame);
  }
  filling = false;
}

/** Selects a position and brings it onto the screen. */
export function selectItem(list, position) {
  if (!list.items.length) return;
  for (const card of list.cards.values()) fill(card, { tabindex: -1 }).removeAttribute("aria-current");
  list.selected = clamp(position, 0, list.items.length - 1);
  reveal(list);
  showCards(list);
  const card = list.cards.get(list.selected);
  if (!card) return;
  fill(card, { tabindex: 0, "aria-current": "true" });
  if (!byId("viewer").open) card.focus({ preventScroll: true });
}

/** Scrolls until the selected card is on the screen. */
function reveal(list) {
  const top = topOf(list);
  const [start, end] = [list.tops[list.selected], list.tops[list.selected + 1]];
  const covered = list.form.getBoundingClientRect().height + byId("top").offsetHeight + 12;
  const wanted = start < top + covered ? start - covered : end > top + innerHeight ? Math.min(start - covered, end - innerHeight + 12) : top;
  const [reach, whole] = [TALLEST - innerHeight, endOf(list) - innerHeight];
  if (wanted !== top) hold(null);
  if (wanted !== top && whole > reach && Math.abs(wanted - top) > innerHeight && wanted > 0) {
    const y = (Math.min(wanted, whole) / whole) * reach;
    list.lead = Math.min(wanted, whole) - y;
    scrollList(list, y - list.at);
    placeCards(list);
  } else if (wanted !== top) scrollList(list, wanted - top);
}

/** Selects the next item or the one before; if the selected one is off the screen, the first on it. */
export function moveItem(list, by) {
  const top = topOf(list);
  const isOff = list.tops[list.selected + 1] < top || list.tops[list.selected] > top + innerHeight;
  selectItem(list, isOff ? positionAt(list, top) : list.selected + by);
}

export function startLists() {
  addEventListener("scroll", onceAFrame(() => lists.forEach(showCards)), { passive: true });
  addEventListener("resize", onceAFrame(() => lists.forEach((list) => showItems(list, list.items, list.selected))));
}
