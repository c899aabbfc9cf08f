// Marks the line that a search expects on the board.

/** Marks for the places of joint moves; where moves share a place, the first is shown. */
export function marksOf(places) {
  const marks = new Map();
  places.forEach((cells, index) => {
    cells.forEach((cell, place) => {
      if (marks.has(cell)) return;
      const text = place === cells.length - 1 ? String(index + 1) : "";
      marks.set(cell, { cell, kind: index === 0 ? "chosen" : "line", text });
    });
  });
  return [...marks.values()];
}
