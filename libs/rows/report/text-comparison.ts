import { ExampleList } from './example-list.js';
import { normalised } from './normalised.js';
import { MAX_TEXTS_COMPARED, type Conflict, type HeldOutReport, type Leak, type Repetition } from './report.js';
import type { RowLabels } from './row-labels.js';
import { shortHash, TextTable } from './text-table.js';

/** Finds texts that come again: in the version, with other labels, and in a held-out version. */
export class TextComparison {
  comparedRows = 0;
  readonly exactDuplicates = new ExampleList<Repetition>();
  readonly normalisedDuplicates = new ExampleList<Repetition>();
  readonly conflicts = new ExampleList<Conflict>();
  private readonly exact = new TextTable();
  private readonly same = new TextTable();
  /** Labels of a head in the first row with a text. */
  private readonly meanings = new TextTable();
  private readonly heldOut = new HeldOutTexts();

  constructor(private readonly maxRows = MAX_TEXTS_COMPARED) {}

  /** Rows of the held-out version, before any row of the version. */
  addHeldOut(row: number, text: string | null): void {
    if (row > this.maxRows) return;
    this.heldOut.add(row, text);
  }

  add(row: number, text: string | null, labels: readonly RowLabels[]): void {
    if (row > this.maxRows) return;
    this.comparedRows += 1;
    if (text === null) return;
    const key = normalised(text);
    const exact = this.exact.rowAt(this.exact.add(text, row));
    const same = this.same.rowAt(this.same.add(key, row));
    if (exact !== row) this.exactDuplicates.add({ row, sameAs: exact });
    else if (same !== row) this.normalisedDuplicates.add({ row, sameAs: same });
    for (const { head, meaning } of labels) {
      const said = shortHash(meaning);
      const slot = this.meanings.add(`${head} ${key}`, row, said);
      if (this.meanings.valueAt(slot) !== said) this.conflicts.add({ row, sameAs: this.meanings.rowAt(slot), head });
    }
    this.heldOut.compare(row, text, key);
  }

  leaks(): Omit<HeldOutReport, 'rows'> {
    return this.heldOut.report();
  }
}

class HeldOutTexts {
  private comparedRows = 0;
  private exactLeaks = 0;
  private leakedRows = 0;
  private readonly leaks = new ExampleList<Leak>();
  private readonly exact = new TextTable();
  /** The value of a text is the number of rows that have it, 0 once they are counted. */
  private readonly same = new TextTable();

  add(row: number, text: string | null): void {
    this.comparedRows += 1;
    if (text === null) return;
    this.exact.add(text, row);
    const slot = this.same.add(normalised(text), row);
    this.same.setValue(slot, this.same.valueAt(slot) + 1);
  }

  compare(row: number, text: string, key: string): void {
    if (this.comparedRows === 0) return;
    const slot = this.same.find(key);
    if (slot === null) return;
    const exact = this.exact.find(text);
    if (exact !== null) this.exactLeaks += 1;
    this.leakedRows += this.same.valueAt(slot);
    this.same.setValue(slot, 0);
    const heldOutRow = exact === null ? this.same.rowAt(slot) : this.exact.rowAt(exact);
    this.leaks.add({ row, heldOutRow, isExact: exact !== null });
  }

  report(): Omit<HeldOutReport, 'rows'> {
    const { comparedRows, exactLeaks, leakedRows } = this;
    return { comparedRows, exactLeaks, leakedRows, leaks: this.leaks.list() };
  }
}
