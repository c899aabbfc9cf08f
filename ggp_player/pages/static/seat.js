// A person who waits for a match: the page is loaded again when one begins.

import { address, byId, said, setText } from "./dom.js";
import { follow } from "./stream.js";

follow(address(`/events?page=${byId("seat").dataset.number}`), () => {}, (state) => {
  if (state === "closed") return location.reload();
  byId("connection").hidden = state === "open";
  setText(byId("connection"), said("The manager does not answer; trying again."));
}, { goesOnUnseen: true }); // whoever waits is here for as long as this goes on
