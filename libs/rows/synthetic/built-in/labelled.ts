import { resolveSpans } from '../../formats/index.js';
import type { JsonObject } from '#domain/json.js';
import { textOf, type Piece } from './grammar.js';

/** The row of pieces, with the labels of the wanted types; null if the pairs of a row would not mean these very places in the text. */
export function rowOf(pieces: readonly Piece[], wanted: ReadonlyMap<string, string>): JsonObject | null {
  const text = textOf(pieces);
  const spans: { start: number; end: number; label: string }[] = [];
  let at = 0;
  const visit = (piece: Piece): void => {
    const type = piece.types.find((each) => wanted.has(each));
    if (type === undefined && piece.parts) for (const part of piece.parts) visit(part);
    else {
      if (type !== undefined) spans.push({ start: at, end: at + piece.text.length, label: wanted.get(type)! });
      at += piece.text.length;
    }
  };
  pieces.forEach(visit);
  const entities = spans.map(({ start, end, label }) => [text.slice(start, end), label]);
  const resolved = resolveSpans(text, entities);
  const exact = spans.every(
    ({ start, end }, index) => resolved[index]!.start === start && resolved[index]!.end === end,
  );
  return exact ? { text, entities } : null;
}
