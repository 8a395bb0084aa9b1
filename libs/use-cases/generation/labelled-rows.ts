import { resolveSpans } from '#rows/formats/index.js';
import type { Json, JsonObject } from '#domain/json.js';

/** A hit as `/inference` shows it, offsets in code points. */
interface Hit extends JsonObject {
  readonly text: string;
  readonly confidence: number;
  readonly start: number;
  readonly end: number;
}

/**
 * A training row of the entities that a model found: of those that overlap, the most confident. They are `[span,
 * label]` pairs, or have offsets if a pair would mean another place in the text.
 * @param result the answer of `/inference` for the text, with confidences and spans
 */
export function entityRow(text: string, result: JsonObject): JsonObject {
  const byLabel = (result['entities'] ?? {}) as Readonly<Record<string, readonly Hit[]>>;
  const hits = Object.entries(byLabel).flatMap(([label, found]) => found.map((hit) => ({ ...hit, label })));
  const taken = withoutOverlaps(hits, text.length).toSorted((a, b) => a.start - b.start);
  const pairs = taken.map((hit) => [hit.text, hit.label]);
  const starts = utf16Indices(
    text,
    taken.map(({ start }) => start),
  );
  const exact = resolveSpans(text, pairs).every(({ start }, index) => start === starts[index]);
  const placed = taken.map(({ text: span, label, start, end }) => ({ text: span, label, start, end }));
  return {
    text,
    entities: exact ? pairs : placed,
    details: {
      entities: taken.map(({ text: span, label, confidence, start, end }) => ({
        text: span,
        label,
        confidence,
        start,
        end,
      })),
    },
  };
}

/** The most confident first, each if no other overlaps it. A text may be long and full of them. */
function withoutOverlaps<Each extends Hit>(hits: readonly Each[], length: number): Each[] {
  const taken = new Uint8Array(length);
  return hits
    .toSorted((a, b) => b.confidence - a.confidence)
    .filter(({ start, end }) => {
      if (taken.subarray(start, end).includes(1)) return false;
      taken.fill(1, start, end);
      return true;
    });
}

/** UTF-16 indices of code points. @param points ascending */
function utf16Indices(text: string, points: readonly number[]): number[] {
  let [at, count] = [0, 0];
  return points.map((point) => {
    for (; count < point; count += 1) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
    return at;
  });
}

interface Scored extends JsonObject {
  readonly label: string;
  readonly confidence: number;
}

/** A training row of the class, or the classes, that a model gives a text. */
export function classRow(text: string, result: JsonObject, task: string, multiLabel: boolean): JsonObject {
  const scored = result[task] as Json;
  if (!multiLabel) {
    const { label, confidence } = scored as Scored;
    return { text, label, details: { classes: [{ label, confidence }] } };
  }
  const several = scored as readonly Scored[];
  return {
    text,
    labels: several.map(({ label }) => label),
    details: { classes: several.map(({ label, confidence }) => ({ label, confidence })) },
  };
}
