// A search step by step: the tree as it was at each step, and the line that was running. The steps
// are those of ggp_player.search_steps; #step=12 in the address is the step that is shown.

import { byId, drawing, element, get, setText } from "./dom.js";
import { LETTER, layOut, shapeOf, stroke, textAt } from "./tree_parts.js";
import { TreeView } from "./tree_view.js";

const LEAST_SCALE = 0.5; // of a whole tree; one that would be smaller opens with the way to the node only

class Stepper {
  constructor(data) {
    this.sources = data.sources;
    this.nodes = data.nodes.map(([tree, parent, edge, title, born, history], number) =>
      ({ number, tree, parent, edge, title, born, history, children: [] }));
    this.roots = [];
    for (const node of this.nodes) {
      if (node.born < 0) continue;
      if (node.parent < 0) this.roots[node.tree] = node;
      else this.nodes[node.parent].children.push(node);
    }
    this.steps = data.steps.map(([node, tree, place, callers, variables, says]) =>
      ({ node, tree, place, callers, variables, says }));
    this.cut = data.cut;
    this.step = -1;
    this.timer = null;
    this.view = new TreeView(byId("tree"), { pansByArrows: false });
    this.#listen();
    this.#showSources();
    byId("slider").max = this.last;
    byId("way").checked = this.#isWide();
    this.#goToAddress();
  }

  get last() {
    return Math.max(0, this.steps.length - 1);
  }

  /** Show a step. */
  go(wanted) {
    const step = Math.min(this.last, Math.max(0, wanted));
    if (!this.steps.length || step === this.step) return;
    const before = this.steps[this.step];
    this.step = step;
    const now = this.steps[step];
    if (before?.tree !== now.tree) this.view.isFitted = true;
    history.replaceState(null, "", `#step=${step}`);
    byId("slider").value = step;
    byId("slider").setAttribute("aria-valuetext", `step ${step} of ${this.last}`);
    byId("first").disabled = byId("back").disabled = step === 0;
    byId("last").disabled = byId("forward").disabled = step === this.last;
    setText(byId("says"), `${step} of ${this.last}: ${now.says}`);
    byId("cut").hidden = !this.cut || step !== this.last;
    setText(byId("cut"), this.cut);
    byId("variables").replaceChildren(...now.variables.map(([name, text]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, text))));
    this.#markLines(now);
    this.draw();
  }

  play(isPlaying = this.timer === null) {
    clearInterval(this.timer);
    this.timer = null;
    if (isPlaying) {
      if (this.step === this.last) this.go(0);
      this.timer = setInterval(() => (this.step < this.last ? this.go(this.step + 1) : this.play(false)), Number(byId("pace").value));
    }
    byId("play").setAttribute("aria-pressed", String(isPlaying));
    setText(byId("play"), isPlaying ? "Pause" : "Play");
  }

  #listen() {
    const steps = { first: () => this.go(0), back: () => this.go(this.step - 1), forward: () => this.go(this.step + 1), last: () => this.go(this.last) };
    for (const [name, act] of Object.entries(steps)) {
      byId(name).addEventListener("click", () => { this.play(false); act(); });
    }
    byId("play").addEventListener("click", () => this.play());
    byId("pace").addEventListener("change", () => this.timer !== null && this.play(true));
    byId("slider").addEventListener("input", (event) => { this.play(false); this.go(Number(event.target.value)); });
    byId("way").addEventListener("change", () => { this.view.isFitted = true; this.draw(); });
    addEventListener("hashchange", () => this.#goToAddress());
    const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
    addEventListener("keydown", (event) => {
      const at = event.target.tagName ?? "";
      if (event.ctrlKey || event.altKey || event.metaKey || at === "INPUT" && event.target.type !== "checkbox" || at === "SELECT") return;
      const name = keys[event.key];
      if (name) {
        this.play(false);
        steps[name]();
      } else if (event.key === " " && at !== "BUTTON" && at !== "INPUT" && at !== "A") this.play();
      else return;
      event.preventDefault();
    });
  }

  /** Whether some tree as a whole would be too small to be read. */
  #isWide() {
    const room = byId("tree").getBoundingClientRect().width / LEAST_SCALE;
    return this.roots.some((root) => layOut(root, (node) => node.children, (node) => this.#widthOf(node)).width > room);
  }

  #goToAddress() {
    const found = /^#step=(\d{1,7})$/.exec(location.hash);
    this.go(found ? Number(found[1]) : 0);
  }

  // ---------------------------------------------------------------------- source

  #showSources() {
    this.lines = this.sources.map((source) => source && source.lines.map((text, index) =>
      element("li", { "data-line": source.first + index }, text || " ")));
    byId("source").replaceChildren(...this.sources.flatMap((source, index) => source
      ? [element("section", {}, element("h3", {}, `${source.file}: ${source.name}`), element("ol", {}, ...this.lines[index]))] : []));
    this.marked = [];
  }

  #markLines(step) {
    for (const line of this.marked) {
      line.classList.remove("runs", "waits");
      line.removeAttribute("aria-current");
    }
    const at = ([number, line]) => this.lines[number][line - this.sources[number].first];
    const running = at(step.place), waiting = step.callers.map(at);
    for (const line of waiting) line.classList.add("waits");
    running.classList.remove("waits");
    running.classList.add("runs");
    running.setAttribute("aria-current", "true");
    this.marked = [running, ...waiting];
    const box = byId("source"), top = running.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (top < 40 || top > box.clientHeight - 60) box.scrollTop += top - box.clientHeight / 3;
  }

  // ---------------------------------------------------------------------- tree

  draw() {
    const now = this.steps[this.step], current = this.nodes[now.node], root = this.roots[now.tree];
    const way = new Set();
    for (let node = current; node; node = this.nodes[node.parent]) way.add(node);
    const isWay = byId("way").checked;
    const isShown = (node) => node.born <= this.step;
    const below = (node) => (isWay ? (way.has(node) ? node.children.filter(isShown) : []) : node.children);
    if (isWay || this.laidOut !== root) this.view.size = layOut(root, below, (node) => this.#widthOf(node));
    this.laidOut = isWay ? null : root;
    const principal = this.#principal(root);
    const edges = [], nodes = [];
    const visit = (node) => {
      for (const child of below(node).filter(isShown)) {
        edges.push(this.#edgeOf(node, child, way.has(child), principal.has(child)));
        visit(child);
      }
      nodes.push(this.#nodeOf(node, node === current, principal.has(node)));
    };
    visit(root);
    this.view.scene.replaceChildren(...edges, ...nodes);
    if (this.view.isFitted) this.view.fit();
    else this.view.showInside(current);
  }

  /** How a node looks at the step: shape, text, what is beside it, the best child. */
  #look(node) {
    let found = node.history[0];
    for (const look of node.history) {
      if (look[0] > this.step) break;
      found = look;
    }
    return { shape: found?.[1] ?? "leaf", text: found?.[2] ?? "", beside: found?.[3] ?? "", best: found?.[4] ?? -1 };
  }

  #principal(root) {
    const found = new Set();
    for (let node = root; node && node.born <= this.step; node = this.nodes[this.#look(node).best]) found.add(node);
    return found;
  }

  /** What a node takes at most, so that the tree stays where it is while it grows. */
  #widthOf(node) {
    const texts = [node.edge, ...node.history.flatMap((look) => [look[2], look[3]])];
    return Math.max(34, LETTER * Math.max(...texts.map((text) => text.length)) + 6);
  }

  #edgeOf(node, child, isOnWay, isPrincipal) {
    const look = this.#look(child);
    const kind = ["edge", look.shape === "pruned" ? "pruned" : "", isOnWay ? "on-way" : "", isPrincipal ? "principal" : ""];
    const lines = [child.edge, look.beside].filter(Boolean);
    const top = node.y + 16, bottom = child.y - 16, at = bottom - 6 - 12 * (lines.length - 1);
    return drawing("g", { class: kind.filter(Boolean).join(" ") },
      drawing("line", { x1: node.x, y1: top, x2: child.x, y2: bottom - 4 - 12 * lines.length }),
      ...(look.shape === "pruned" ? stroke(node, child) : []),
      ...lines.map((text, index) => drawing("text", { x: child.x, y: at + 12 * index, class: index ? "remark" : "move" }, text)));
  }

  #nodeOf(node, isCurrent, isPrincipal) {
    const { shape, text, beside } = this.#look(node);
    const half = Math.max(20, (LETTER * text.length + 8) / 2);
    const kind = ["node", shape, isCurrent ? "current" : "", isPrincipal ? "principal" : ""];
    const isRoot = node.parent < 0;
    return drawing("g", {
      class: kind.filter(Boolean).join(" "), transform: `translate(${node.x} ${node.y})`,
      "data-node": node.number, ...(isCurrent ? { "aria-current": "step" } : {}),
    }, drawing("title", {}, node.title), shapeOf(shape, half),
    drawing("text", { y: textAt(shape), class: "value" }, text),
    ...(isRoot && beside ? [drawing("text", { y: -26, class: "states" }, beside)] : []));
  }
}

async function readSteps() {
  const inFile = byId("page-data");
  return inFile ? JSON.parse(inFile.textContent) : get(byId("stepper").dataset.source);
}

try {
  const data = await readSteps();
  if (data.steps.length) new Stepper(data);
  else setText(byId("says"), data.cut || "There is nothing to search.");
} catch (error) {
  setText(byId("says"), "");
  byId("failure").hidden = false;
  setText(byId("failure"), `${error.message[0].toUpperCase()}${error.message.slice(1)}.`);
}
