import type { Confusion, EvaluationMetrics } from '#domain/evaluation/index.js';
import type { Example, Span } from '#gpu-runner/engines/engine.js';

/** Maximum number of confusions in an event. */
const MAX_CONFUSIONS = 100;

/**
 * Counts the labels that a model answered instead of others. An entity is confused with one of another label at the same
 * place; a class with the only wrong class of a row that lacks only that class. Any other wrong label was missed or added.
 * @param predicted one for each gold row, in order
 */
export function confusionsOf(
  gold: readonly Example[],
  predicted: readonly Example[],
): NonNullable<EvaluationMetrics['confusions']> {
  const found = new Map<string, Confusion & { count: number }>();
  const count = (head: Confusion['head'], pairs: readonly Pair[]) => {
    for (const [expected, answered] of pairs) {
      const key = JSON.stringify([head, expected, answered]);
      const known = found.get(key);
      if (known) known.count += 1;
      else found.set(key, { head, expected, predicted: answered, count: 1 });
    }
  };
  gold.forEach((row, index) => {
    const guess = predicted[index] ?? { text: row.text };
    if (row.entities) count('entities', confusedSpans(row.entities, guess.entities ?? []));
    if (row.labels) count('classification', paired(...apart(row.labels, guess.labels ?? [])));
    for (const { task, labels } of row.tasks ?? [])
      count(task, paired(...apart(labels, guess.tasks?.find((each) => each.task === task)?.labels ?? [])));
  });
  const all = [...found.values()].sort((a, b) => b.count - a.count);
  return { total: all.length, shown: all.slice(0, MAX_CONFUSIONS) };
}

/** `expected` is null for an added label, `predicted` for a missed one. */
type Pair = readonly [expected: string | null, predicted: string | null];

function confusedSpans(gold: readonly Span[], predicted: readonly Span[]): Pair[] {
  const placeOf = ({ start, end }: Span) => `${start} ${end}`;
  const [expected, answered] = [Map.groupBy(gold, placeOf), Map.groupBy(predicted, placeOf)];
  const labelsAt = (spans: ReadonlyMap<string, readonly Span[]>, place: string) =>
    (spans.get(place) ?? []).map(({ label }) => label);
  return [...new Set([...expected.keys(), ...answered.keys()])].flatMap((place) =>
    paired(...apart(labelsAt(expected, place), labelsAt(answered, place))),
  );
}

/** The labels that only one of the two has. */
function apart(gold: readonly string[], predicted: readonly string[]): [missed: string[], added: string[]] {
  const [expected, answered] = [new Set(gold), new Set(predicted)];
  return [[...expected.difference(answered)], [...answered.difference(expected)]];
}

function paired(missed: readonly string[], added: readonly string[]): Pair[] {
  if (missed.length === 1 && added.length === 1) return [[missed[0]!, added[0]!]];
  return [...missed.map((label): Pair => [label, null]), ...added.map((label): Pair => [null, label])];
}
