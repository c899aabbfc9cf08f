// Keeps the page of the manager up to date: what it shows is fetched again when something happens.

import { address, post, setText } from "./dom.js";
import { follow } from "./stream.js";

/** Milliseconds between two fetches, however much happens. */
const PAUSE = 1000;

let isDue = false;
let isWaiting = false;

follow(address("/api/news"), renew, (state) => {
  if (state === "open") renew(); // what happened before is on no stream
});

// Other forms are sent as they are; without scripts, they work too.
document.querySelector("form.seat")?.addEventListener("submit", (event) => {
  event.preventDefault();
  takeSeat(event.target);
});

/** Become a player, on the page where matches are played by hand. */
async function takeSeat(form) {
  const complaint = form.querySelector("[role=alert]");
  try {
    const { page } = await post("/api/people", { name: form.elements.name.value.trim() });
    location.assign(address(page));
  } catch (error) {
    complaint.hidden = false;
    setText(complaint, error.message);
  }
}

async function renew() {
  isDue = true;
  if (isWaiting) return;
  isWaiting = true;
  while (isDue) {
    isDue = false;
    await fetchAgain().catch(() => {}); // the stream says when the manager is there again
    await new Promise((done) => setTimeout(done, PAUSE));
  }
  isWaiting = false;
}

async function fetchAgain() {
  const parts = document.querySelectorAll("[data-live]");
  if (!parts.length) return;
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  isDue ||= page.querySelector("[data-due]") !== null; // a board that comes later is no news
  const ids = (root) => [...root.querySelectorAll("[data-live]")].map((part) => part.id).join();
  if (ids(page) !== ids(document)) { // a part has come, such as the cross table
    if (!document.activeElement?.form) location.reload();
    return;
  }
  for (const shown of parts) {
    const found = page.getElementById(shown.id);
    if (!found.isEqualNode(shown) && !shown.contains(document.activeElement)) shown.replaceWith(found);
  }
}
