// All games: filters, small boards that are drawn when they are seen, and rulesheets of one's own.

import { Board } from "./board.js";
import { address, byId, element, get, post, said, setText } from "./dom.js";

const KEPT = "ggp-player filters";
const AGAIN = 60_000; // milliseconds until a picture that failed is asked for again
const cards = [...byId("games").children];
const filters = byId("filters");

// ---------------------------------------------------------------------- filters

filters.addEventListener("input", filter);
filters.addEventListener("submit", (event) => event.preventDefault());

function filter() {
  const { words, players, kind, steps } = Object.fromEntries(new FormData(filters));
  const wanted = words.trim().toLowerCase();
  for (const card of cards) {
    const count = Number(card.dataset.players);
    const fits = (!players || (players === "3+" ? count > 2 : count === Number(players)))
      && (!kind || card.dataset.kinds.split(" ").includes(kind))
      && (!steps || card.dataset.steps === steps)
      && `${card.id} ${card.textContent}`.toLowerCase().includes(wanted);
    card.hidden = !fits;
  }
  const shown = cards.filter((card) => !card.hidden).length;
  setText(byId("count"), shown === cards.length ? said("{count} games", { count: shown }) : said("{count} of {all} games", { count: shown, all: cards.length }));
  byId("none").hidden = shown > 0;
  explain(byId("level").value, byId("clock").value);
  sessionStorage.setItem(KEPT, JSON.stringify({ words, players, kind, steps, level: byId("level").value, clock: byId("clock").value }));
}

/** Say what the opponents and the clock that are chosen do. */
function explain(level, clock) {
  byId("about-level").hidden = !["2", "3", "4", "adaptive"].includes(level);
  byId("about-adaptive").hidden = level !== "adaptive";
  byId("about-clock").hidden = !clock;
}

/** Choose what was chosen on this page before, as when one comes back from a match. */
function restore() {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");
  for (const name of ["words", "players", "kind", "steps"]) filters.elements[name].value = kept[name] ?? "";
  for (const name of ["level", "clock"]) {
    const option = [...byId(name).options].find(({ value }) => value === kept[name]);
    if (option) option.selected = true;
  }
  filter();
}

// ---------------------------------------------------------------------- boards

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    draw(target);
  }
}, { rootMargin: "200px" });

async function draw(picture) {
  try {
    new Board(picture).show(await get(`/board/${encodeURIComponent(picture.dataset.game)}`));
  } catch {
    picture.replaceChildren(element("p", { class: "soft small" }, said("no picture")));
    setTimeout(() => seen.observe(picture), AGAIN);
  }
}

// ---------------------------------------------------------------------- matches

for (const card of cards) card.querySelector("button").addEventListener("click", (event) => begin(card, event.currentTarget));

// A page that the browser has kept does not know of the match that was begun on it.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

async function begin(card, pressed) {
  const select = card.querySelector(".roles");
  const all = select ? [...select.options].map((option) => option.value).filter(Boolean) : [];
  const roles = select?.value ? [select.value] : all;
  pressed.disabled = true;
  pressed.setAttribute("aria-busy", "true");
  try {
    const level = byId("level").value;
    await post("/begin", { game: card.id, roles, level: level === "adaptive" ? level : Number(level), clock: byId("clock").value });
    return location.assign(address("/match/"));
  } catch (error) {
    complain(error.message);
  }
  pressed.disabled = false;
  pressed.removeAttribute("aria-busy");
}

// ---------------------------------------------------------------------- rulesheets

byId("file").addEventListener("change", (event) => {
  if (event.target.files.length) add(event.target.files[0]);
  event.target.value = ""; // the same file can be chosen again
});
for (const name of ["dragenter", "dragover"]) {
  document.addEventListener(name, (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
}
for (const name of ["dragleave", "drop"]) document.addEventListener(name, () => document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) add(file);
});

async function add(file) {
  complain("");
  showProblems([]);
  if (file.size > Number(byId("file").dataset.most)) return complain(said("a rulesheet has at most 1 MiB"));
  byId("add").setAttribute("aria-busy", "true");
  try {
    const text = await textOf(file);
    if (!text.trim()) return complain(said("the file is empty"));
    if (text.includes("\0")) return complain(said("the file is no text"));
    const { key, problems } = await post("/rules", { name: file.name, text });
    if (problems) return showProblems(problems);
    sessionStorage.removeItem(KEPT); // so that it is seen
    location.hash = key;
    location.reload();
  } catch (error) {
    complain(error.message);
  } finally {
    byId("add").removeAttribute("aria-busy");
  }
}

/** The text of a file: in UTF-16 where it begins so, or else in UTF-8, or in that of old editors. */
async function textOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mark = bytes[0] * 256 + bytes[1];
  if (mark === 0xfffe || mark === 0xfeff) return new TextDecoder(mark === 0xfffe ? "utf-16le" : "utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function showProblems(problems) {
  byId("problems").hidden = !problems.length;
  byId("problems").replaceChildren(...problems.map(({ severity, sentence, line, column, excerpt }) => {
    const place = line ? said("line {line}, column {column}:", { line, column }) : "";
    return element("li", {}, element("strong", { class: severity }, severityIn(severity)), " ", place, " ", element("span", { lang: "en" }, sentence),
      excerpt ? element("pre", { class: "mono" }, excerpt) : null);
  }));
  if (!problems.length) return;
  byId("problems").scrollIntoView({ block: "nearest" });
  byId("problems").focus();
}

function severityIn(severity) {
  return severity === "error" ? said("error") : said("warning");
}

function complain(sentence) {
  byId("complaint").hidden = !sentence;
  setText(byId("complaint"), sentence && `${sentence[0].toUpperCase()}${sentence.slice(1)}.`);
  if (sentence) byId("complaint").scrollIntoView({ block: "nearest" });
}

restore();
for (const picture of document.querySelectorAll(".picture")) seen.observe(picture);
if (location.hash) document.getElementById(location.hash.slice(1))?.querySelector("button")?.focus();
