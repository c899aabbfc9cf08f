// The choice of a language: a cookie has it, and the page is loaded again.

import { byId, remember } from "./dom.js";

byId("language").addEventListener("change", (event) => {
  remember("ggp_player_language", event.target.value);
  location.reload();
});

// A page that the browser has kept may be in the language before.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
