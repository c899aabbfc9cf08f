// Small helpers for pages. Whatever is shown is set as text, never as markup.

/** Make an element: element("p", {class: "soft"}, "text", another). Functions are listeners. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Make an element of SVG. */
export function drawing(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const words = JSON.parse(document.documentElement.dataset.words ?? "{}");
const language = document.documentElement.lang || "en";
const list = new Intl.ListFormat(language);
const naturalOrder = new Intl.Collator(language, { numeric: true });

/** Say a sentence in the page's language: said("Your move, {role}.", { role }). */
export function said(sentence, values = {}) {
  return (words[sentence] ?? sentence).replace(/\{(\w+)\}/g, (whole, name) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole);
}

/** Texts in a list for people: "white and black". */
export function listed(texts) {
  return list.format(texts);
}

/** A number with so many digits after the point, or the comma. */
export function decimal(number, digits) {
  return number.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false });
}

/** A number with all its digits, in groups. */
export function grouped(number) {
  return number.toLocaleString(language, { maximumFractionDigits: 1 });
}

/** The element of an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Give the focus to what is found once the page is painted: before, the browser would lay it out for that alone. */
export function focusLater(find) {
  requestAnimationFrame(() => setTimeout(() => find()?.focus()));
}

/** Set an element's text, and leave it alone where it has that already. */
export function setText(target, text) {
  const wanted = String(text);
  if (target.textContent !== wanted) target.textContent = wanted;
}

/** The address of a path of this server, "/archive" for instance. */
export function address(path) {
  return document.documentElement.dataset.base + path;
}

/** Keep a word in a cookie, for this browser and a year. */
export function remember(name, value) {
  document.cookie = `${name}=${value}; path=/; max-age=${365 * 24 * 60 * 60}; samesite=lax`;
}

/** Have the server change something; the reply's JSON. Throws an Error with its sentence. */
export async function post(path, values = {}) {
  const response = await answered(path, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Page-Token": document.documentElement.dataset.token,
    },
    body: JSON.stringify(values),
  });
  if (!response.ok) throw new Error(await sentenceOf(response));
  return response.json();
}

/** Fetch JSON. Throws an Error with the server's sentence. */
export async function get(path) {
  const response = await answered(path);
  if (!response.ok) throw new Error(await sentenceOf(response));
  return response.json();
}

/** What the server answers. Throws an Error with a sentence where it is not there. */
function answered(path, options = {}) {
  return fetch(address(path), options).catch(() => {
    throw new Error(said("the program does not answer"));
  });
}

async function sentenceOf(response) {
  const text = await response.text();
  if (response.headers.get("Content-Type")?.startsWith("application/json")) {
    return JSON.parse(text).error?.what ?? text;
  }
  return text.startsWith("<") ? said("the server says {status}", { status: response.status }) : text;
}

/** A number for people: 1234567 is 1.23 M. */
export function short(number) {
  if (number === null || number === undefined) return "–";
  for (const [size, unit] of [[1e9, " G"], [1e6, " M"], [1e3, " k"]]) {
    if (Math.abs(number) >= size) return ofThreeDigits(number / size) + unit;
  }
  return Number.isInteger(number) ? String(number) : ofThreeDigits(number);
}

function ofThreeDigits(number) {
  return number.toLocaleString(language, { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
}

/** A value between 0 and 100 for people. */
export function value(number) {
  if (number === null || number === undefined) return "–";
  return Number.isInteger(number) ? String(number) : decimal(number, 1);
}

/** A moment, in milliseconds since 1970, as the reader's clock has it. */
export function moment(milliseconds) {
  return milliseconds ? new Date(milliseconds).toLocaleString() : "–";
}

/** What a move is called; empty where it only waits. The names are by the moves' texts in the rules. */
export function nameOf(move, names) {
  return names?.[move] ?? move;
}

/** Things in the order of what they are called, with numbers by their values: a2 before a10. */
export function inOrder(things, called) {
  return [...things].sort((one, other) => naturalOrder.compare(called(one), called(other)));
}

/** Whether a role is that by which chance moves, to which no goal means anything. */
export function isChance(role) {
  return role.toLowerCase() === "random";
}

/** What was reached, in one line. */
export function goalsTold(goals) {
  return Object.entries(goals).filter(([role]) => !isChance(role)).map(([role, goal]) => `${role} ${goal ?? "–"}`).join(", ");
}

/** A joint move in one line, without those that only wait. */
export function jointMove(moves, names = {}) {
  const told = moves.map((move) => nameOf(move, names)).filter((name) => name && name.toLowerCase() !== "noop");
  return (told.length ? told : moves.slice(0, 1)).join("  ");
}
