import { HEADS } from '#domain/dataset/index.js';
import {
  MAX_EXAMPLES,
  MAX_LISTED_LABELS,
  MIN_ROWS_OF_LABEL,
  type Examples,
  type HeadReport,
  type LabelCount,
  type RareLabel,
  type SimilarLabels,
} from './report.js';
import { normalised } from './normalised.js';
import { hasLabels, type RowLabels } from './row-labels.js';

interface HeadCounts {
  rows: number;
  emptyRows: number;
  /** A version has a bounded number of labels. */
  readonly labels: Map<string, { rows: number; count: number }>;
}

/** Counts the labels of each head. */
export class LabelCounts {
  private readonly heads = new Map<string, HeadCounts>();

  add({ head, labels }: RowLabels): void {
    let counts = this.heads.get(head);
    if (!counts) this.heads.set(head, (counts = { rows: 0, emptyRows: 0, labels: new Map() }));
    counts.rows += 1;
    if (labels.length === 0 && hasLabels(head)) counts.emptyRows += 1;
    for (const label of new Set(labels)) this.of(counts, label).rows += 1;
    for (const label of labels) this.of(counts, label).count += 1;
  }

  reports(): HeadReport[] {
    return [...this.heads].map(([head, { rows, emptyRows, labels }]) => {
      const counts = [...labels].map(([label, found]): LabelCount => ({ label, ...found }));
      counts.sort((a, b) => b.rows - a.rows || byName(a, b));
      return { head, rows, emptyRows, labels: { total: counts.length, shown: counts.slice(0, MAX_LISTED_LABELS) } };
    });
  }

  rare(): Examples<RareLabel> {
    const rare = [...this.heads].flatMap(([head, { labels }]) =>
      [...labels].flatMap(([label, { rows }]): RareLabel[] =>
        rows < MIN_ROWS_OF_LABEL ? [{ head, label, rows }] : [],
      ),
    );
    rare.sort((a, b) => a.rows - b.rows || byName(a, b));
    return { total: rare.length, shown: rare.slice(0, MAX_EXAMPLES) };
  }

  similar(): Examples<SimilarLabels> {
    const similar = [...this.heads].flatMap(([head, { labels }]) => {
      const groups = Map.groupBy(labels.keys(), normalised);
      const rowsOf = (label: string) => labels.get(label)!.rows;
      return [...groups.values()].flatMap((group) =>
        group.length < 2 ? [] : [{ head, labels: group.toSorted((a, b) => rowsOf(b) - rowsOf(a) || (a < b ? -1 : 1)) }],
      );
    });
    return { total: similar.length, shown: similar.slice(0, MAX_EXAMPLES) };
  }

  hasOneClass(): boolean {
    return [...this.heads].some(([head, { rows, labels }]) => {
      const [only, ...others] = labels.values();
      return isOfClasses(head) && only !== undefined && others.length === 0 && only.rows === rows;
    });
  }

  private of({ labels }: HeadCounts, label: string): { rows: number; count: number } {
    let found = labels.get(label);
    if (!found) labels.set(label, (found = { rows: 0, count: 0 }));
    return found;
  }
}

/** Tasks of classes are heads by their own names. */
const isOfClasses = (head: string): boolean =>
  head === 'classification' || !(HEADS as readonly string[]).includes(head);

const byName = (a: { readonly label: string }, b: { readonly label: string }): number => (a.label < b.label ? -1 : 1);
