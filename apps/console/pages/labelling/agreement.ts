import type { Annotation } from '../../components/editor/annotation.js';
import { fromRow, textOfRow, type Row } from './row.js';

interface Pass {
  readonly row: Row;
  readonly annotation: Annotation;
}

/** A text that two passes labelled. */
export interface Pair {
  /** Index of its row in the first pass. */
  readonly row: number;
  readonly first: Pass;
  readonly second: Pass;
  readonly differs: boolean;
}

/** The texts of both passes, in the order of the first one. */
export function compared(first: readonly Row[], second: readonly Row[]): readonly Pair[] {
  const others = new Map(second.map((row) => [textOfRow(row), row]));
  return first.flatMap((row, index) => {
    const other = others.get(textOfRow(row));
    if (!other) return [];
    const passes = { first: passOf(row), second: passOf(other) };
    return [{ row: index, ...passes, differs: said(passes.first) !== said(passes.second) }];
  });
}

const passOf = (row: Row): Pass => ({ row, annotation: fromRow(row) });

/** A pass's labels of a text, in an order that does not depend on how they were given. */
const said = ({ annotation: { spans, classes, records, relations } }: Pass): string =>
  JSON.stringify([
    spans.map(({ start, end, label }) => `${start} ${end} ${label}`).sort(),
    classesSaid(classes),
    records.map((record) => JSON.stringify(record)).sort(),
    relations.map((relation) => JSON.stringify(relation)).sort(),
  ]);

/**
 * `f1` of the entities, which agree if label and both ends do; null if neither pass has any. `kappa` is Cohen's, of the
 * classes: null if the texts have none, or both passes gave the same one throughout.
 */
export function figuresOf(pairs: readonly Pair[]): {
  readonly agreed: number;
  readonly f1: number | null;
  readonly kappa: number | null;
} {
  const entities = ({ annotation }: Pass): readonly string[] =>
    annotation.spans.map(({ start, end, label }) => `${start} ${end} ${label}`);
  let [common, all] = [0, 0];
  for (const { first, second } of pairs) {
    const [one, other] = [entities(first), new Set(entities(second))];
    common += one.filter((entity) => other.has(entity)).length;
    all += one.length + other.size;
  }
  return {
    agreed: pairs.filter(({ differs }) => !differs).length,
    f1: all === 0 ? null : (2 * common) / all,
    kappa: kappaOf(pairs.map(({ first, second }) => [classOf(first), classOf(second)])),
  };
}

/** The classes of a text, with their tasks if there are several. */
const classOf = ({ annotation }: Pass): string => classesSaid(annotation.classes).join('; ');

const classesSaid = (classes: Annotation['classes']): readonly string[] => {
  const said = Object.entries(classes).filter(([, labels]) => labels.length > 0);
  return said.map(([task, labels]) => `${task}: ${labels.toSorted().join(', ')}`).sort();
};

/** Cohen's kappa. https://doi.org/10.1177/001316446002000104 */
function kappaOf(pairs: readonly (readonly [string, string])[]): number | null {
  const labelled = pairs.filter((pair) => pair.some((label) => label !== ''));
  if (labelled.length === 0) return null;
  const share = (holds: (pair: readonly [string, string]) => boolean): number =>
    labelled.filter(holds).length / labelled.length;
  const labels = new Set(labelled.flat());
  const observed = share(([a, b]) => a === b);
  const chance = [...labels].reduce(
    (sum, label) => sum + share(([a]) => a === label) * share(([, b]) => b === label),
    0,
  );
  return chance === 1 ? null : (observed - chance) / (1 - chance);
}
