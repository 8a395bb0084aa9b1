import { candidatesOf, logsOf } from '../spans/candidates.js';
import { likelySegments, SERVED_FLOOR } from '../lattice/segments.js';
import { Lattice } from '../lattice/lattice.js';
import { readTags } from '../lattice/tags.js';
import type { CrfLearner } from './learner.js';
import type { CompiledRows } from './rows.js';
import type { LabelledCandidate, LabelledSegment } from './span-learner.js';

/**
 * The spans that a learner thinks likely in rows, as it would when served at a temperature, and those that are labelled. Segments without
 * vectors are left out.
 */
export function labelledSegments(
  learner: CrfLearner,
  rows: CompiledRows,
  temperature: number,
): readonly LabelledSegment[] {
  const { vectors } = rows;
  if (vectors === null) return [];
  const lattice = new Lattice(learner.lattice.labels);
  lattice.setTransitions(learner.transitions, temperature);
  const segments: LabelledSegment[] = [];
  learner.score(rows, (scores, from, tokens) => {
    const place = vectors.places[from]!;
    if (place < 0) return;
    lattice.reserve(tokens);
    for (let k = 0; k < tokens * lattice.tags; k++) lattice.scores[k] = scores[k]! / temperature;
    lattice.forwardBackward(tokens);
    segments.push({
      vectors: vectors.numbers.subarray(place * vectors.dimensions, (place + tokens) * vectors.dimensions),
      tokens,
      candidates: candidatesIn(lattice, rows.gold.subarray(from, from + tokens)),
    });
  });
  return segments;
}

function candidatesIn(lattice: Lattice, gold: Uint16Array): LabelledCandidate[] {
  const { labels } = lattice;
  const truth = new Map(readTags(gold, 0, gold.length, labels).map((span) => [keyOf(span), span]));
  const likely = candidatesOf(likelySegments(lattice, gold.length, SERVED_FLOOR), labels).map((candidate) => {
    const right = truth.get(keyOf(candidate));
    truth.delete(keyOf(candidate));
    return { ...candidate, gold: right?.label ?? labels, isLikely: true };
  });
  const missed = [...truth.values()].map(({ first, end, label }) => {
    return { first, end, logs: logsOf([], labels), gold: label, isLikely: false };
  });
  return [...likely, ...missed];
}

const keyOf = ({ first, end }: { readonly first: number; readonly end: number }): string => `${first} ${end}`;
