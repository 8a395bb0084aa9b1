import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { ExampleList } from './example-list.js';
import { MAX_TEXTS_COMPARED, type Examples } from './report.js';
import { labelsOf, textOf } from './row-labels.js';
import { shortHash, TextTable } from './text-table.js';

/** Changes of one kind that are listed. */
export const MAX_LISTED_CHANGES = 1000;

export type ChangeKind = 'added' | 'removed' | 'changed';

/** Rows are counted from 1; null on the side without the text. */
interface RowChange {
  readonly fromRow: number | null;
  readonly toRow: number | null;
}

/** Differences between the rows of a version and those of an earlier one. */
export interface VersionDiff {
  /** Rows read of either version, and how many of them were compared. */
  readonly from: { readonly rows: number; readonly comparedRows: number };
  readonly to: { readonly rows: number; readonly comparedRows: number };
  /** Rows with the same text and labels. */
  readonly unchanged: number;
  readonly changes: Readonly<Record<ChangeKind, Examples<RowChange>>>;
}

/**
 * Compares the rows of two versions: rows are matched by their text, and of several with one text the first with the
 * first. Labels are compared by content, in any order. Rows of the earlier version are added before any of the later
 * one.
 */
export class DiffTally {
  private readonly from = new Side();
  private readonly to = new Side();
  /** Texts of the earlier version, each with its number among equal ones, and what its labels say. */
  private readonly known = new TextTable();
  private readonly matched = new Set<number>();
  private unchanged = 0;
  private readonly added = new ExampleList<RowChange>(MAX_LISTED_CHANGES);
  private readonly changed = new ExampleList<RowChange>(MAX_LISTED_CHANGES);

  addFrom(row: JsonObject, datasetType: DatasetType): void {
    const at = this.from.next(row, datasetType);
    if (at) this.known.add(at.key, at.row, at.labels);
  }

  addTo(row: JsonObject, datasetType: DatasetType): void {
    const at = this.to.next(row, datasetType);
    if (!at) return;
    const slot = this.known.find(at.key);
    if (slot === null) {
      this.added.add({ fromRow: null, toRow: at.row });
      return;
    }
    const fromRow = this.known.rowAt(slot);
    this.matched.add(fromRow);
    if (this.known.valueAt(slot) === at.labels) this.unchanged += 1;
    else this.changed.add({ fromRow, toRow: at.row });
  }

  diff(): VersionDiff {
    const removed = new ExampleList<RowChange>(MAX_LISTED_CHANGES);
    for (let row = 1; row <= this.from.comparedRows; row += 1)
      if (!this.matched.has(row)) removed.add({ fromRow: row, toRow: null });
    return {
      from: { rows: this.from.rows, comparedRows: this.from.comparedRows },
      to: { rows: this.to.rows, comparedRows: this.to.comparedRows },
      unchanged: this.unchanged,
      changes: { added: this.added.list(), removed: removed.list(), changed: this.changed.list() },
    };
  }
}

class Side {
  rows = 0;
  /** The value of a text is the number of rows that have it. */
  private readonly texts = new TextTable();

  get comparedRows(): number {
    return Math.min(this.rows, MAX_TEXTS_COMPARED);
  }

  /** Null after the last compared row. A row without a text must be equal as a whole. */
  next(row: JsonObject, datasetType: DatasetType): { key: string; row: number; labels: number } | null {
    this.rows += 1;
    if (this.rows > MAX_TEXTS_COMPARED) return null;
    const text = textOf(row, datasetType);
    const known = text === null ? `row ${JSON.stringify(row)}` : `text ${text}`;
    const slot = this.texts.add(known, this.rows);
    const among = this.texts.valueAt(slot) + 1;
    this.texts.setValue(slot, among);
    const said = labelsOf(row, datasetType).map(({ head, meaning }) => [head, meaning]);
    return { key: `${among} ${known}`, row: this.rows, labels: shortHash(JSON.stringify(said)) };
  }
}
