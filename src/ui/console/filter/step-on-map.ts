const SIDE = 16;
const LAST = SIDE * SIDE - 1;

/** The cell that a key moves to on the 16 x 16 map, without wrapping; null for other keys. */
export function stepOnMap(key: string, at: number, isFar: boolean): number | null {
  const column = at % SIDE;
  const rowStart = at - column;
  switch (key) {
    case "ArrowLeft":
      return column === 0 ? at : at - 1;
    case "ArrowRight":
      return column === SIDE - 1 ? at : at + 1;
    case "ArrowUp":
      return at < SIDE ? at : at - SIDE;
    case "ArrowDown":
      return at > LAST - SIDE ? at : at + SIDE;
    case "Home":
      return isFar ? 0 : rowStart;
    case "End":
      return isFar ? LAST : rowStart + SIDE - 1;
    default:
      return null;
  }
}
