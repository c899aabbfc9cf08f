// The tree of the lines that a search has visited most, as a list in lists.

import { drawing, element, jointMove, said, setText, short, value } from "./dom.js";

export class BranchesPanel {
  constructor() {
    this.top = element("ul", { class: "branches" });
    this.tree = [];
    this.element = element("details", { hidden: true, toggle: () => this.#draw() },
      element("summary", {}, said("The lines that are searched most")), this.top);
  }

  /** Show a tree, in place of the one before; moves are called by names. It is drawn while open. */
  show(tree, names) {
    [this.tree, this.names] = [tree, names];
    this.element.hidden = !tree.length;
    this.#draw();
  }

  #draw() {
    if (!this.element.open) return;
    const visits = this.tree.reduce((sum, branch) => sum + branch.visits, 0);
    this.#fill(this.top, this.tree, Math.max(1, visits));
  }

  /** Bring a list up to date: items of the same moves stay, so that what is selected does, too. */
  #fill(list, branches, all) {
    const old = new Map([...list.children].map((item) => [item.dataset.moves, item]));
    const items = branches.map((branch) => this.#item(old.get(JSON.stringify(branch.moves)), branch, all));
    const kept = new Set(items);
    for (const item of old.values()) if (!kept.has(item)) item.remove();
    items.forEach((item, index) => {
      if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
    });
  }

  #item(old, branch, all) {
    const item = old ?? newItem(branch);
    const [label, list] = item.children;
    const [moves, told, bar] = label.children;
    setText(moves, jointMove(branch.moves, this.names));
    const worth = branch.value === null ? "" : said("value {value}", { value: value(branch.value) });
    setText(told, [worth, said("{count} visits", { count: short(branch.visits) })].filter(Boolean).join(" · "));
    bar.lastChild.setAttribute("width", (100 * branch.visits) / all);
    this.#fill(list, branch.children, all);
    list.hidden = !branch.children.length;
    return item;
  }
}

function newItem(branch) {
  const bar = drawing("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawing("rect", { class: "ground", x: 0, y: 3, width: 100, height: 4 }),
    drawing("rect", { class: "range", x: 0, y: 1, width: 0, height: 8 }));
  const label = element("div", { class: "branch" }, element("span", { class: "mono" }), element("span", { class: "soft small" }), bar);
  return element("li", { "data-moves": JSON.stringify(branch.moves) }, label, element("ul"));
}
