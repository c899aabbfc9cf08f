// A search tree that can be moved, zoomed and unfolded. Its nodes are those of ggp_player.inspect.

import { byId, drawing, setText } from "./dom.js";
import { LETTER, layOut, shapeOf, stroke, textAt } from "./tree_parts.js";
import { TreeView } from "./tree_view.js";

const MOST_OPENED = 3000; // nodes that "Unfold all" opens

const tree = JSON.parse(byId("page-data").textContent);
const view = new TreeView(byId("tree"), { pansByArrows: true });

number(tree, null);
draw();
view.fit();

byId("unfold").addEventListener("click", () => { unfoldAll(); draw(); view.fit(); });
byId("fold").addEventListener("click", () => { each(tree, (node) => { node.open = node === tree || (node.principal && node.open); }); draw(); view.fit(); });

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

function draw() {
  view.size = layOut(tree, below, widthOf);
  const edges = [], nodes = [];
  const visit = (node) => {
    for (const child of below(node)) {
      edges.push(edgeOf(node, child));
      visit(child);
    }
    nodes.push(nodeOf(node));
  };
  visit(tree);
  view.scene.replaceChildren(...edges, ...nodes);
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
  const bars = child.shape === "pruned" ? stroke(node, child) : [];
  return drawing("g", { class: kind.filter(Boolean).join(" ") },
    drawing("line", { x1: node.x, y1: top, x2: child.x, y2: bottom - 4 - 12 * lines.length }),
    drawing("line", { x1: child.x, y1: bottom - 12 * lines.length, x2: child.x, y2: bottom, class: "end" }),
    ...bars, ...texts);
}

function nodeOf(node) {
  const lines = linesOf(node);
  const canTurn = node.children.length > 0;
  const kind = ["node", isFolded(node) ? "folded" : node.shape, node.principal ? "principal" : "", node.seen ? "seen" : "", canTurn ? "turns" : ""];
  const made = drawing("g", {
    class: kind.filter(Boolean).join(" "), transform: `translate(${node.x} ${node.y})`,
    ...(canTurn ? { tabindex: 0, role: "button", "aria-expanded": String(node.open), "aria-label": labelOf(node) } : {}),
    click: () => turn(node), keydown: (event) => onNodeKey(event, node), focus: () => view.showInside(node),
  }, drawing("title", {}, node.title), shapeOf(isFolded(node) ? "folded" : node.shape, halfOf(node)),
  ...lines.map((text, index) => drawing("text", {
    y: textAt(isFolded(node) ? "folded" : node.shape) + 12 * (index - (lines.length - 1) / 2), class: index || !node.text ? "states" : "value",
  }, text)));
  node.element = made;
  return made;
}

function labelOf(node) {
  const what = [node.edge, node.text ? `value ${node.text}` : "", isFolded(node) ? `folded, ${statesText(node.hidden || node.states)}` : ""];
  return what.filter(Boolean).join(", ");
}

function halfOf(node) {
  return Math.max(20, (LETTER * Math.max(0, ...linesOf(node).map((text) => text.length)) + 8) / 2);
}

/** Fold or unfold a node; it stays where it is on the screen. */
function turn(node) {
  if (view.isMoved || !node.children.length) return;
  const before = { x: node.x, y: node.y };
  node.open = !node.open;
  draw();
  view.shift((node.x - before.x) * view.scale, (node.y - before.y) * view.scale);
  node.element.focus({ preventScroll: true });
}

function onNodeKey(event, node) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  turn(node);
}
