// Finds the move that clicks on places mean: from and to, a place, a column.

/** How many words a move has besides its name; a column is one word that names many places. */
function words(move) {
  return Math.max(0, move.replace(/[()]/g, " ").trim().split(/\s+/).length - 1);
}

/** Whether any of its places means the move: it names a row, a column, or things by their kind. */
function takesAnyPlace(option) {
  return option.cells.length > Math.max(1, words(option.move));
}

export class MovePicker {
  /** Options are moves with their places: [{role, move, cells}]; those without places are left out. */
  constructor(options = []) {
    this.options = options.filter((option) => option.cells.length);
    this.clicked = [];
  }

  /** Take a click: {move} where it is clear, {several} where a list must decide, or {}. */
  click(cell) {
    const before = this.clicked;
    if (before.length && before.at(-1) === cell) return this.#again(cell);
    this.clicked = [...before, cell];
    if (!this.candidates.length) this.clicked = [cell];
    if (!this.candidates.length) this.clicked = [];
    return this.#result(false);
  }

  /** Forget the clicks. */
  clear() {
    this.clicked = [];
  }

  /** The moves that fit the clicks so far. */
  get candidates() {
    return this.options.filter((option) => follows(this.clicked, option));
  }

  /** The places that can be clicked next. */
  get next() {
    const count = this.clicked.length;
    const found = new Set();
    for (const option of this.candidates) {
      if (takesAnyPlace(option)) continue;
      const cells = count ? option.cells.slice(option.cells.indexOf(this.clicked.at(-1)) + 1) : option.cells.slice(0, 1);
      for (const cell of count ? cells.slice(-1) : cells) found.add(cell);
    }
    return [...found];
  }

  /** A second click on a place makes the move that needs no other, or takes the click back. */
  #again(cell) {
    const result = this.#result(true);
    if (result.move) return result;
    this.clicked = [];
    return {};
  }

  #result(again) {
    if (!this.clicked.length) return {};
    const found = this.candidates;
    const complete = found.filter((option) => this.#isComplete(option));
    if (complete.length === 1 && (found.length === 1 || again || this.#isLast(complete[0]))) {
      return { move: complete[0] };
    }
    const isAll = complete.length === found.length;
    return complete.length ? { several: isAll ? complete : found } : {};
  }

  /** Whether no other place could follow: the clicks end where the move does, and no other begins. */
  #isLast(option) {
    return this.clicked.length > 1 && option.cells.at(-1) === this.clicked.at(-1);
  }

  #isComplete(option) {
    if (option.cells.length === 1 || takesAnyPlace(option)) return true;
    return this.clicked.length > 1 && option.cells.at(-1) === this.clicked.at(-1);
  }
}

/** Whether the clicks are places of a move in its order; of two, the first is where it begins. */
function follows(clicked, option) {
  if (takesAnyPlace(option)) return clicked.every((cell) => option.cells.includes(cell));
  let at = -1;
  for (const cell of clicked) {
    at = option.cells.indexOf(cell, at + 1);
    if (at < 0) return false;
  }
  return !clicked.length || option.cells[0] === clicked[0];
}
