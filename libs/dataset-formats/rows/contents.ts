import type { Contents, Head, SourceFormat } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { UnreadableFileError, type FileLimits } from '../limits.js';
import type { FieldProblem, RowContents } from './validate.js';

/** What is listed in an event; free rows may have any number of keys. */
const MOST_COLUMNS = 1000;
const MOST_COLUMN_CHARACTERS = 20_000;

/** Gathers, row by row, what a dataset version holds. */
export class ContentsTally {
  #rows = 0;
  readonly #heads = new Set<Head>();
  readonly #entityLabels = new Set<string>();
  readonly #classLabels = new Set<string>();
  readonly #otherLabels = new Set<string>();
  #labelCount = 0;
  #labelCharacters = 0;
  readonly #columns = new Set<string>();
  #columnCharacters = 0;
  #mode: { readonly mode: 'label' | 'labels'; readonly row: number } | null = null;

  constructor(private readonly limits: FileLimits) {}

  /**
   * @param row from 1
   * @returns what is wrong between this row and those before it, null when nothing is
   * @throws UnreadableFileError when there are more labels than a dataset may have
   */
  add(row: number, value: JsonObject, contents: RowContents): FieldProblem | null {
    this.#rows += 1;
    this.#gatherColumns(value);
    for (const head of contents.heads) this.#heads.add(head);
    this.#gather(this.#entityLabels, contents.entityLabels);
    this.#gather(this.#classLabels, contents.classLabels);
    this.#gather(this.#otherLabels, contents.otherLabels);
    if (contents.mode === null) return null;
    this.#mode ??= { mode: contents.mode, row };
    if (this.#mode.mode === contents.mode) return null;
    const reason = `row ${this.#mode.row} has ${this.#mode.mode}; the rows of a dataset all have label, or all labels`;
    return { field: contents.mode, reason };
  }

  contents(format: SourceFormat): Contents {
    const entityLabels = [...this.#entityLabels].sort();
    const classLabels = [...this.#classLabels].sort();
    return {
      rows: this.#rows,
      heads: HEAD_ORDER.filter((head) => this.#heads.has(head)),
      labels: [...new Set([...entityLabels, ...classLabels, ...[...this.#otherLabels].sort()])],
      entityLabels,
      classLabels,
      multiLabel: this.#mode?.mode === 'labels',
      format,
      columns:
        this.#columns.size > MOST_COLUMNS || this.#columnCharacters > MOST_COLUMN_CHARACTERS
          ? null
          : [...this.#columns],
    };
  }

  #gatherColumns(value: JsonObject): void {
    for (const column of Object.keys(value)) {
      if (this.#columns.size > MOST_COLUMNS || this.#columnCharacters > MOST_COLUMN_CHARACTERS) return;
      if (this.#columns.has(column)) continue;
      this.#columns.add(column);
      this.#columnCharacters += column.length;
    }
  }

  #gather(known: Set<string>, labels: readonly string[]): void {
    for (const label of labels) {
      if (known.has(label)) continue;
      known.add(label);
      this.#labelCount += 1;
      this.#labelCharacters += label.length;
      if (this.#labelCount > this.limits.labels || this.#labelCharacters > this.limits.labelCharacters)
        throw new UnreadableFileError(
          `there are more than ${this.limits.labels} different labels, or more than ${this.limits.labelCharacters} ` +
            'characters in all of them; is the column of labels the right one?',
        );
    }
  }
}

const HEAD_ORDER: readonly Head[] = ['entities', 'classification', 'structures', 'relations', 'messages'];
