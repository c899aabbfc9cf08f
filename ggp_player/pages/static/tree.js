// A search tree that can be moved, zoomed and unfolded. Its nodes are those of ggp_player.inspect.

import { byId, drawing, setText } from "./dom.js";

const LETTER = 7.3, LEVEL = 92, GAP = 14; // of the layout, in units of the drawing
const STEP = 1.25; // of the zoom
const MOST_OPENED = 3000; // nodes that "Unfold all" opens

const tree = JSON.parse(byId("tree-data").textContent);
const svg = byId("tree");
const scene = drawing("g", {});
svg.append(scene);
let moved = false; // whether the pointer was dragged since it went down
let view = { x: 0, y: 0, scale: 1 }, size = { width: 1, height: 1 };

number(tree, null);
draw();
begin();

byId("fit").addEventListener("click", fit);
byId("larger").addEventListener("click", () => zoom(STEP));
byId("smaller").addEventListener("click", () => zoom(1 / STEP));
byId("unfold").addEventListener("click", () => { unfoldAll(); draw(); fit(); });
byId("fold").addEventListener("click", () => { each(tree, (node) => { node.open = node === tree || (node.principal && node.open); }); draw(); begin(); });
svg.addEventListener("wheel", onWheel, { passive: false });
svg.addEventListener("keydown", onKey);
addEventListener("resize", place);
listenToPointers();

/** Give each node its parent. */
function number(node, parent) {
  node.parent = parent;
  for (const child of node.children) number(child, node);
}

function each(node, visit) {
  visit(node);
  for (const child of node.children) each(child, visit);
}

function unfoldAll() {
  const waiting = [tree];
  for (let count = 0; waiting.length && count < MOST_OPENED;) {
    const node = waiting.shift();
    node.open = true;
    count += node.children.length;
    waiting.push(...node.children);
  }
}

function below(node) {
  return node.open ? node.children : [];
}

function isFolded(node) {
  return node.hidden > 0 || (!node.open && node.children.length > 0);
}

/** The lines in a node: its value, and how much is folded in it. */
function linesOf(node) {
  const lines = node.text ? [node.text] : [];
  if (isFolded(node)) lines.push(statesText(node.hidden || node.states));
  return lines;
}

/** What stands at the edge above a node: its move, and its window; why it was cut, if that is seen. */
function edgeLinesOf(node) {
  const isShown = (remark) => node.open || !remark.startsWith("cut");
  return [node.edge, ...node.remarks.filter(isShown)];
}

function statesText(count) {
  return `${count.toLocaleString("en")} state${count === 1 ? "" : "s"}`;
}

function widthOf(node) {
  const texts = [...linesOf(node), ...edgeLinesOf(node)];
  return Math.max(34, LETTER * Math.max(...texts.map((text) => text.length)) + 6);
}

/** Set x and y of all shown nodes: subtrees stand as close as they fit, a node above its children. */
function layOut() {
  const outline = placeBelow(tree, 0);
  const left = -Math.min(...outline.map(([from]) => from));
  const set = (node, x) => {
    node.x = x + node.shift;
    for (const child of below(node)) set(child, node.x);
  };
  set(tree, left);
  const right = left + Math.max(...outline.map(([, to]) => to));
  size = { width: right, height: (outline.length - 1) * LEVEL + 60 };
}

/**
 * Shift the children of a node, relative to it. The outline has what each level takes, from and to,
 * relative to the node.
 */
function placeBelow(node, level) {
  node.y = level * LEVEL;
  node.shift = 0;
  const half = widthOf(node) / 2, levels = [];
  const children = below(node);
  for (const child of children) {
    const outline = placeBelow(child, level + 1);
    child.shift = Math.max(0, ...outline.map(([from], at) => (levels[at] ? levels[at][1] + GAP - from : 0)));
    outline.forEach(([from, to], at) => {
      levels[at] = [levels[at]?.[0] ?? from + child.shift, to + child.shift];
    });
  }
  const middle = children.length ? (children[0].shift + children.at(-1).shift) / 2 : 0;
  for (const child of children) child.shift -= middle;
  return [[-half, half], ...levels.map(([from, to]) => [from - middle, to - middle])];
}

function draw() {
  layOut();
  const edges = [], nodes = [];
  const visit = (node) => {
    for (const child of below(node)) {
      edges.push(edgeOf(node, child));
      visit(child);
    }
    nodes.push(nodeOf(node));
  };
  visit(tree);
  scene.replaceChildren(...edges, ...nodes);
  const shown = nodes.length;
  setText(byId("shown"), `${shown.toLocaleString("en")} node${shown === 1 ? "" : "s"} shown`);
}

function edgeOf(node, child) {
  const kind = ["edge", child.shape === "pruned" ? "pruned" : "", child.principal ? "principal" : ""];
  const top = node.y + 16, bottom = child.y - 16;
  const lines = edgeLinesOf(child);
  const at = bottom - 6 - 12 * (lines.length - 1);
  const texts = lines.map((text, index) => drawing("text", {
    x: child.x, y: at + 12 * index, class: index ? (text.startsWith("cut") ? "cut" : "remark") : "move",
  }, text));
  const bars = child.shape === "pruned" ? [stroke(node, child, 0.3), stroke(node, child, 0.36)] : [];
  return drawing("g", { class: kind.filter(Boolean).join(" ") },
    drawing("line", { x1: node.x, y1: top, x2: child.x, y2: bottom - 4 - 12 * lines.length }),
    drawing("line", { x1: child.x, y1: bottom - 12 * lines.length, x2: child.x, y2: bottom, class: "end" }),
    ...bars, ...texts);
}

/** A stroke across an edge that was cut. */
function stroke(node, child, part) {
  const x = node.x + (child.x - node.x) * part, y = node.y + 16 + (LEVEL - 50) * part;
  return drawing("line", { x1: x - 6, y1: y, x2: x + 6, y2: y, class: "across" });
}

function nodeOf(node) {
  const lines = linesOf(node);
  const canTurn = node.children.length > 0;
  const kind = ["node", isFolded(node) ? "folded" : node.shape, node.principal ? "principal" : "", node.seen ? "seen" : "", canTurn ? "turns" : ""];
  const made = drawing("g", {
    class: kind.filter(Boolean).join(" "), transform: `translate(${node.x} ${node.y})`,
    ...(canTurn ? { tabindex: 0, role: "button", "aria-expanded": String(node.open), "aria-label": nameOf(node) } : {}),
    click: () => turn(node), keydown: (event) => onNodeKey(event, node), focus: () => showInside(node),
  }, drawing("title", {}, node.title), shapeOf(node),
  ...lines.map((text, index) => drawing("text", {
    y: textAt(node) + 12 * (index - (lines.length - 1) / 2), class: index || !node.text ? "states" : "value",
  }, text)));
  node.element = made;
  return made;
}

function nameOf(node) {
  const what = [node.edge, node.text ? `value ${node.text}` : "", isFolded(node) ? `folded, ${statesText(node.hidden || node.states)}` : ""];
  return what.filter(Boolean).join(", ");
}

function textAt(node) {
  if (isFolded(node)) return 4;
  return { up: 8, down: 0 }[node.shape] ?? 4;
}

function shapeOf(node) {
  const half = Math.max(20, (LETTER * Math.max(0, ...linesOf(node).map((text) => text.length)) + 8) / 2);
  if (isFolded(node)) return drawing("rect", { x: -half, y: -16, width: 2 * half, height: 34, rx: 3 });
  switch (node.shape) {
    case "up": return drawing("path", { d: `M0 -20 L${half + 8} 16 H${-half - 8} Z` });
    case "down": return drawing("path", { d: `M0 22 L${half + 8} -14 H${-half - 8} Z` });
    case "together": case "chance": return drawing("ellipse", { rx: half, ry: 16 });
    case "each": return drawing("rect", { x: -half, y: -14, width: 2 * half, height: 28, rx: 8 });
    case "pruned": return drawing("circle", { r: 4, cy: -12 });
    default: return drawing("rect", { x: -half, y: -14, width: 2 * half, height: 28 });
  }
}

/** Fold or unfold a node; it stays where it is on the screen. */
function turn(node) {
  if (moved || !node.children.length) return;
  const before = { x: node.x, y: node.y };
  node.open = !node.open;
  draw();
  view.x += (node.x - before.x) * view.scale;
  view.y += (node.y - before.y) * view.scale;
  place();
  node.element.focus({ preventScroll: true });
}

function onNodeKey(event, node) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  turn(node);
}

// ------------------------------------------------------------------------- pan and zoom

/** Show the root, as large as the letters have to be, or the whole where it fits. */
function begin() {
  const box = svg.getBoundingClientRect();
  const whole = Math.min((box.width - 20) / size.width, (box.height - 60) / size.height, 1.2);
  view.scale = Math.max(whole, 0.75);
  const isWhole = view.scale === whole;
  view.x = (isWhole ? size.width / 2 : tree.x) * view.scale - box.width / 2;
  view.y = -45;
  place();
}

function fit() {
  const box = svg.getBoundingClientRect();
  view.scale = Math.min((box.width - 20) / size.width, (box.height - 60) / size.height, 1.2);
  view.x = (size.width * view.scale - box.width) / 2;
  view.y = -45;
  place();
}

function zoom(factor, x = null, y = null) {
  const box = svg.getBoundingClientRect();
  const at = { x: x === null ? box.width / 2 : x - box.left, y: y === null ? box.height / 2 : y - box.top };
  const scale = Math.min(4, Math.max(0.01, view.scale * factor));
  view.x = (view.x + at.x) * scale / view.scale - at.x;
  view.y = (view.y + at.y) * scale / view.scale - at.y;
  view.scale = scale;
  place();
}

/** Move the tree so that a node is on the screen. */
function showInside(node) {
  const box = svg.getBoundingClientRect(), rim = 40;
  const inside = (at, from, length) => Math.min(Math.max(from, at - length + rim), at - rim);
  view.x = inside(node.x * view.scale, view.x, box.width);
  view.y = inside(node.y * view.scale, view.y, box.height);
  place();
}

function place() {
  scene.setAttribute("transform", `translate(${-view.x} ${-view.y}) scale(${view.scale})`);
}

function onWheel(event) {
  event.preventDefault();
  zoom(event.deltaY < 0 ? STEP : 1 / STEP, event.clientX, event.clientY);
}

function onKey(event) {
  const ways = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] };
  const way = ways[event.key];
  if (way) {
    view.x += way[0];
    view.y += way[1];
    place();
  } else if (event.key === "+" || event.key === "=") zoom(STEP);
  else if (event.key === "-") zoom(1 / STEP);
  else if (event.key === "0") fit();
  else return;
  event.preventDefault();
}



/** One pointer moves the tree, two zoom it. */
function listenToPointers() {
  const down = new Map();
  moved = false;
  svg.addEventListener("pointerdown", (event) => {
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved = false;
  });
  addEventListener("pointermove", (event) => {
    const old = down.get(event.pointerId);
    if (!old) return;
    const way = { x: event.clientX - old.x, y: event.clientY - old.y };
    if (!moved && Math.hypot(way.x, way.y) < 4) return;
    moved = true;
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (other) {
      const far = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
      zoom(far({ x: event.clientX, y: event.clientY }) / far(old), other.x, other.y);
      return;
    }
    view.x -= way.x;
    view.y -= way.y;
    place();
  });
  for (const name of ["pointerup", "pointercancel"]) {
    addEventListener(name, (event) => down.delete(event.pointerId));
  }
}
