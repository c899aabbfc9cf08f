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

// The form is replaced with the rest of the page, so the document listens.
document.addEventListener("submit", (event) => {
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
  if (document.activeElement?.form) return; // somebody is writing there
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const [shown, found] = [document, page].map((one) => one.getElementById("main"));
  if (found && !found.isEqualNode(shown)) shown.replaceChildren(...found.childNodes);
}
