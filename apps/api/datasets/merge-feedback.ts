import { isDeepStrictEqual } from 'node:util';
import { answerRows, exampleOf, LineSplitter } from '#dataset-formats/index.js';
import type { DatasetType, ReadyVersion } from '#domain/dataset/index.js';
import { DamagedError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { verified } from '#ports/object-store/verified.js';
import type { MergedWith } from './feedback-dto.js';

const MAX_SHOWN = 100;

/** A row of feedback, `{text, result, source_inference_id}`, and when its verdict was given. */
export interface FeedbackRow {
  readonly text: string;
  readonly result: JsonObject;
  readonly source_inference_id: string;
  readonly at: string;
}

/**
 * The rows of a dataset version, in which a correction takes the place of the rows with its text. The heads that it does not correct
 * stay.
 */
export class FeedbackMerge {
  readonly datasetType: DatasetType;
  private readonly isMultiLabel: boolean;
  private readonly corrections: ReadonlyMap<string, JsonObject>;
  private readonly given: ReadonlyMap<string, string>;
  private readonly written = new Set<string>();
  private readonly counts = { kept: 0, replaced: 0, duplicates: 0, newer: 0, held_out: 0 };
  private readonly conflicting: string[] = [];

  /**
   * @param heldOut texts that go to another dataset: no row with one stays
   * @param givenAt when the newest verdict on a call was given; null: there is none
   */
  constructor(
    private readonly base: ReadyVersion,
    rows: readonly FeedbackRow[],
    private readonly heldOut: ReadonlySet<string>,
    private readonly givenAt: (inferenceId: string) => Promise<string | null>,
  ) {
    const hasEntities = rows.some(({ result }) => result['entities'] !== undefined);
    this.datasetType = hasEntities ? 'ner' : base.datasetType;
    const read = (isMultiLabel: boolean) =>
      answerRows(
        rows.map(({ text, result, source_inference_id }) => ({ text, result, source_inference_id })),
        { datasetType: this.datasetType, isMultiLabel },
      );
    const labelled = read(true);
    this.isMultiLabel =
      base.contents.multiLabel || labelled.some(({ labels }) => Array.isArray(labels) && labels.length > 1);
    this.corrections = new Map((this.isMultiLabel ? labelled : read(false)).map((row) => [row['text'] as string, row]));
    this.given = new Map(rows.map(({ text, at }) => [text, at]));
  }

  /** The rows as JSON lines. @throws DamagedError */
  async *lines(store: ObjectStore): AsyncGenerator<Buffer> {
    const { key, sha256 } = this.base.object;
    const splitter = new LineSplitter();
    for await (const chunk of verified(await store.get(key), sha256, damaged))
      for (const line of splitter.push(Buffer.from(chunk))) {
        const row = await this.merged(JSON.parse(line.toString()) as JsonObject);
        if (row) yield lineOf(row);
      }
    for (const line of splitter.end()) {
      const row = line.length === 0 ? null : await this.merged(JSON.parse(line.toString()) as JsonObject);
      if (row) yield lineOf(row);
    }
    for (const [text, row] of this.corrections) if (!this.written.has(text)) yield lineOf(row);
  }

  /** Report on the rows, once all lines were read. */
  report(): MergedWith {
    const { name, versionNumber, versionId, contents } = this.base;
    return {
      ...{ dataset_id: versionId, dataset_name: name, version_number: String(versionNumber), rows: contents.rows },
      ...this.counts,
      conflicting: this.conflicting,
    };
  }

  /** @returns null where another row stands for it */
  private async merged(row: JsonObject): Promise<JsonObject | null> {
    const { text } = row;
    if (typeof text === 'string' && this.heldOut.has(text)) {
      this.counts.held_out += 1;
      return null;
    }
    const correction = typeof text === 'string' ? this.corrections.get(text) : undefined;
    const own = this.isMultiLabel && typeof row['label'] === 'string' ? severalLabels(row) : row;
    if (typeof text !== 'string' || !correction) {
      this.counts.kept += 1;
      return own;
    }
    const isFirst = !this.written.has(text);
    this.written.add(text);
    const together = { ...own, ...correction };
    if (saysTheSame(own, together)) this.counts.duplicates += 1;
    else if (await this.isNewer(own, text)) {
      this.counts.newer += 1;
      return own;
    } else {
      this.counts.replaced += 1;
      if (this.conflicting.length < MAX_SHOWN) this.conflicting.push(text);
    }
    return isFirst ? together : null;
  }

  /** Whether the row comes of a later verdict. */
  private async isNewer({ source_inference_id: source }: JsonObject, text: string): Promise<boolean> {
    if (typeof source !== 'string') return false;
    const at = await this.givenAt(source);
    return at !== null && at > this.given.get(text)!;
  }
}

const lineOf = (row: JsonObject): Buffer => Buffer.from(`${JSON.stringify(row)}\n`);

const severalLabels = ({ label, ...row }: JsonObject): JsonObject => ({ ...row, labels: [label!] });

const saysTheSame = (one: JsonObject, two: JsonObject): boolean => isDeepStrictEqual(exampleOf(one), exampleOf(two));

const damaged = () =>
  new DamagedError(
    'The stored rows of the version of merge_with are gone or damaged. Restore the object store from a backup.',
  );
