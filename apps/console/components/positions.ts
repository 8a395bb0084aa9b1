const SURROGATE = /[\ud800-\udbff]/;

/** Places in a text: the API counts code points, the browser UTF-16 code units. They differ after characters beyond U+FFFF. */
interface Positions {
  readonly units: (points: number) => number;
  readonly points: (units: number) => number;
}

export function positionsIn(text: string): Positions {
  if (!SURROGATE.test(text)) return { units: (points) => points, points: (units) => units };
  const starts = [0];
  for (const character of text) starts.push(starts.at(-1)! + character.length);
  return {
    units: (points) => starts[points] ?? text.length,
    points: (units) => starts.findIndex((start) => start >= units),
  };
}
