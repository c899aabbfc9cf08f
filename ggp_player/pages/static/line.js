// Marks the line that a search expects on the board.

const SHOWN = 6;

/** Marks for a line of joint moves; cells has the names of the places of each move. */
export function marksOf(line, cells, has = () => true) {
  const marks = new Map();
  line.slice(0, SHOWN).forEach((moves, index) => {
    for (const move of moves) {
      const found = (cells[move] ?? []).filter(has);
      const isWhole = found.length > 2; // a move that names a row or a column
      found.forEach((cell, place) => {
        if (marks.has(cell)) return;
        const isTarget = isWhole ? place === 0 : place === found.length - 1;
        if (isWhole && place > 0) return;
        marks.set(cell, { cell, kind: index === 0 ? "chosen" : "line", text: isTarget ? String(index + 1) : "" });
      });
    }
  });
  return [...marks.values()];
}
