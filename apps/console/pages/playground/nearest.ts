/** Rows of a dataset that are compared with a text: one request's worth. */
export const MAX_COMPARED = 2_000;

export interface Near {
  /** Place in the list. */
  readonly place: number;
  /** Cosine of the angle between the vectors: 1 for the same direction. */
  readonly nearness: number;
}

/**
 * The vectors nearest to the first one, the nearest first.
 * @param vectors of one length, none zero
 */
export function nearest([first, ...others]: readonly Float32Array[], most: number): readonly Near[] {
  if (!first) return [];
  return others
    .map((vector, place) => ({ place, nearness: cosine(first, vector) }))
    .toSorted((a, b) => b.nearness - a.nearness)
    .slice(0, most);
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (const [axis, value] of a.entries()) {
    const other = b[axis]!;
    ab += value * other;
    aa += value * value;
    bb += other * other;
  }
  return ab / Math.sqrt(aa * bb);
}

/** A vector as the API writes it: base64 of little-endian 32-bit floats. */
export function vectorOf(base64: string): Float32Array {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(4 * at, true));
}
