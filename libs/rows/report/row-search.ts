import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { normalised } from './normalised.js';
import { labelsOf, textOf } from './row-labels.js';
import { TextTable } from './text-table.js';

/** What rows must have, all of it. Characters are code points of the text that a model reads. */
export interface RowFilter {
  /** A part of the row as JSON, in any case. */
  readonly text?: string | undefined;
  /** Of any head. */
  readonly label?: string | undefined;
  readonly minCharacters?: number | undefined;
  readonly maxCharacters?: number | undefined;
  /** Whether an earlier row has its text, but for case, white space and punctuation. */
  readonly isDuplicate?: boolean | undefined;
}

export interface RowSearchPage {
  readonly filter: RowFilter;
  readonly limit: number;
  readonly offset: number;
  /** Characters of JSON from which on no more rows are given. */
  readonly maxCharacters: number;
}

export interface FoundRows {
  /** Rows that were searched. */
  readonly rows: number;
  /** Rows that the filter takes. */
  readonly total: number;
  /** Those of the page, by their number from 1. */
  readonly page: readonly { readonly row: number; readonly data: JsonObject }[];
}

/** Finds the rows of a version that a filter takes, one after another. */
export class RowSearch {
  private rows = 0;
  private total = 0;
  private characters = 0;
  private readonly page: { row: number; data: JsonObject }[] = [];
  private readonly texts = new TextTable();

  constructor(
    private readonly datasetType: DatasetType,
    private readonly search: RowSearchPage,
  ) {}

  add(row: JsonObject): void {
    this.rows += 1;
    if (!this.takes(row)) return;
    this.total += 1;
    const { limit, offset, maxCharacters } = this.search;
    if (this.total <= offset || this.page.length >= limit || this.characters > maxCharacters) return;
    this.page.push({ row: this.rows, data: row });
    this.characters += JSON.stringify(row).length;
  }

  found(): FoundRows {
    return { rows: this.rows, total: this.total, page: this.page };
  }

  private takes(row: JsonObject): boolean {
    const { text, label, minCharacters = 0, maxCharacters = Infinity, isDuplicate } = this.search.filter;
    const read = textOf(row, this.datasetType);
    // Every row counts as an earlier one, also one that the rest of the filter does not take.
    const isRepeated = isDuplicate === undefined ? undefined : this.repeats(read);
    if (isRepeated !== isDuplicate) return false;
    const length = read === null ? 0 : [...read].length;
    if (length < minCharacters || length > maxCharacters) return false;
    if (label !== undefined && !labelsOf(row, this.datasetType).some(({ labels }) => labels.includes(label)))
      return false;
    return text === undefined || JSON.stringify(row).toLowerCase().includes(inJson(text));
  }

  private repeats(text: string | null): boolean {
    if (text === null) return false;
    return this.texts.rowAt(this.texts.add(normalised(text), this.rows)) !== this.rows;
  }
}

/** A text as it stands within a string of JSON. */
const inJson = (text: string): string => JSON.stringify(text.toLowerCase()).slice(1, -1);
