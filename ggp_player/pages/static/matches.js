// The list of matches, as it changes.

import { address, byId, element, goalsTold, moment, setText, value } from "./dom.js";
import { follow } from "./stream.js";

const body = document.querySelector("#matches tbody");

follow(address("/events"), ({ matches }) => {
  if (!matches) return;
  byId("none").hidden = matches.length > 0;
  byId("matches").hidden = matches.length === 0;
  body.replaceChildren(...matches.map(row));
}, (state) => {
  const told = { open: "", lost: "The server does not answer; trying again.", closed: "Not kept up to date any more; load the page again." };
  setText(byId("connection"), told[state]);
});

function row(match) {
  const isRunning = match.status === "running";
  const goals = goalsTold(match.goals);
  return element("tr", {},
    element("td", {}, element("a", { href: address(`/matches/${match.match}`) }, match.match_id)),
    element("td", { "data-label": "role" }, match.role),
    element("td", {}, element("span", { class: isRunning ? "badge" : "soft" }, goals && !isRunning ? `${match.status}: ${goals}` : match.status)),
    element("td", { class: "number", "data-label": "turn" }, String(match.turn)),
    element("td", { class: "number", "data-label": "value" }, value(match.value) + (match.proved ? " ✓" : "")),
    element("td", { class: "wide" }, match.manager),
    element("td", { class: "wide" }, moment(match.start_time)));
}
