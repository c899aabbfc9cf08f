// The layout of trees and the shapes of their nodes, for pages that draw them.

import { drawing } from "./dom.js";

export const LETTER = 7.3; // the width of one, in units of the drawing
export const LEVEL = 92; // from one level to the next
const GAP = 14; // between nodes

/**
 * Set x and y of the nodes: subtrees stand as close as they fit, a node above its children. Returns
 * the size of all.
 */
export function layOut(root, below, widthOf) {
  const outline = placeBelow(root, 0, below, widthOf);
  const left = -Math.min(...outline.map(([from]) => from));
  const set = (node, x) => {
    node.x = x + node.shift;
    for (const child of below(node)) set(child, node.x);
  };
  set(root, left);
  const right = left + Math.max(...outline.map(([, to]) => to));
  return { width: right, height: (outline.length - 1) * LEVEL + 60 };
}

/**
 * Shift the children of a node, relative to it. The outline has what each level takes, from and to,
 * relative to the node.
 */
function placeBelow(node, level, below, widthOf) {
  node.y = level * LEVEL;
  node.shift = 0;
  const half = widthOf(node) / 2, levels = [];
  const children = below(node);
  for (const child of children) {
    const outline = placeBelow(child, level + 1, below, widthOf);
    child.shift = Math.max(0, ...outline.map(([from], at) => (levels[at] ? levels[at][1] + GAP - from : 0)));
    outline.forEach(([from, to], at) => {
      levels[at] = [levels[at]?.[0] ?? from + child.shift, to + child.shift];
    });
  }
  const middle = children.length ? (children[0].shift + children.at(-1).shift) / 2 : 0;
  for (const child of children) child.shift -= middle;
  return [[-half, half], ...levels.map(([from, to]) => [from - middle, to - middle])];
}

/** The outline of a node that is so wide from its middle. */
export function shapeOf(shape, half) {
  switch (shape) {
    case "folded": return drawing("rect", { x: -half, y: -16, width: 2 * half, height: 34, rx: 3 });
    case "up": return drawing("path", { d: `M0 -20 L${half + 8} 16 H${-half - 8} Z` });
    case "down": return drawing("path", { d: `M0 22 L${half + 8} -14 H${-half - 8} Z` });
    case "together": case "chance": return drawing("ellipse", { rx: half, ry: 16 });
    case "each": return drawing("rect", { x: -half, y: -14, width: 2 * half, height: 28, rx: 8 });
    case "pruned": return drawing("circle", { r: 4, cy: -12 });
    default: return drawing("rect", { x: -half, y: -14, width: 2 * half, height: 28 });
  }
}

/** Where the text of a node stands. */
export function textAt(shape) {
  return { up: 8, down: 0 }[shape] ?? 4;
}

/** Two strokes across an edge that was cut. */
export function stroke(node, child) {
  return [0.3, 0.36].map((part) => {
    const x = node.x + (child.x - node.x) * part, y = node.y + 16 + (LEVEL - 50) * part;
    return drawing("line", { x1: x - 6, y1: y, x2: x + 6, y2: y, class: "across" });
  });
}
