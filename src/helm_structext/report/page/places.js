// Where the reader is. A section that was gone to stands first in the address, and at the top of the
// screen: lists above it may grow and shrink, it is held there until the reader scrolls.

import { addressOf, isShown, parameters, sectionIn } from "./address.js";
import { byId } from "./dom.js";

const held = { place: null, offset: 0, scroll: 0 };

/** How far below the top of the document an element begins. */
const offsetOf = (place) => place.getBoundingClientRect().top + scrollY;

/** Brings an element to the top of the screen and holds it there; nothing holds nothing. */
export function hold(place) {
  held.place = place;
  settle();
}

/** Puts what is held back where it belongs, and says whether anything is. */
export function settle() {
  if (!held.place) return false;
  held.place.scrollIntoView({ behavior: "instant" });
  [held.offset, held.scroll] = [offsetOf(held.place), scrollY];
  return true;
}

/** Lets go once the reader scrolls: what moves by itself begins elsewhere in the document, too. */
function onScroll() {
  if (!held.place || Math.abs(scrollY - held.scroll) < 1) return;
  if (Math.abs(offsetOf(held.place) - held.offset) < 1) held.place = null;
}

/** Goes to the section that the address names; where it names none, the browser knows the way. */
function followAddress() {
  const section = byId(sectionIn(location.hash));
  history.scrollRestoration = section ? "manual" : "auto";
  hold(section);
  section?.focus({ preventScroll: true });
}

/** Goes to a section, from which "back" leads here. */
export function goTo(section) {
  if (sectionIn(location.hash) !== section) history.pushState(null, "", `#${addressOf(section, parameters())}`);
  followAddress();
}

export function startPlaces() {
  const top = byId("top");
  const onResize = () => {
    document.documentElement.style.setProperty("--top", `${top.offsetHeight}px`);
    settle();
  };
  const sizes = new ResizeObserver(onResize);
  for (const element of [top, ...document.querySelectorAll("main > *")]) sizes.observe(element);
  for (const section of document.querySelectorAll("main section")) section.setAttribute("tabindex", "-1");
  document.addEventListener("click", (event) => {
    const link = /** @type {any} */ (event.target).closest("nav a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab or window
    event.preventDefault();
    goTo(link.hash.slice(1));
  });
  addEventListener("scroll", onScroll, { passive: true });
  // Between two sections of what is shown one just moves.
  addEventListener("hashchange", () => (isShown() ? followAddress() : location.reload()));
  onResize();
  followAddress();
}
