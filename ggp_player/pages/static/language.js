// The choice of a language: a cookie has it, and the page is loaded again.

import { byId } from "./dom.js";

const YEAR = 365 * 24 * 60 * 60;

byId("language").addEventListener("change", (event) => {
  document.cookie = `ggp_player_language=${event.target.value}; path=/; max-age=${YEAR}; samesite=lax`;
  location.reload();
});

// A page that the browser has kept may be in the language before.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
