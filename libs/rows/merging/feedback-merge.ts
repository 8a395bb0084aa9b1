import { isDeepStrictEqual } from 'node:util';
import { exampleOf } from '../formats/examples.js';
import { answerRows, tasksOfAnswers } from '../formats/layouts/anneal/answer-rows.js';
import { isObject } from '../formats/rows/kinds.js';
import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import type { FeedbackRow, MergeCounts, MergeJob, MergedSource } from './protocol.js';

const MAX_SHOWN = 100;

/**
 * Rows of a dataset version in which a correction replaces the rows with its text. The heads that it does not correct
 * stay.
 */
export class FeedbackMerge {
  readonly datasetType: DatasetType;
  readonly conflicting: string[] = [];
  readonly counts: { -readonly [Name in keyof MergeCounts]: MergeCounts[Name] } = {
    ...{ kept: 0, replaced: 0, duplicates: 0, newer: 0, held_out: 0, excluded_subjects: 0 },
  };
  private readonly asksAll: boolean;
  private readonly isMultiLabel: boolean;
  private readonly corrections: ReadonlyMap<string, JsonObject>;
  private readonly given: ReadonlyMap<string, string>;
  private readonly written = new Set<string>();

  /** @param heldOut texts that go to another dataset: no row with one stays */
  constructor(
    { base, asksAll }: Pick<MergeJob, 'base' | 'asksAll'>,
    rows: readonly FeedbackRow[],
    private readonly heldOut: ReadonlySet<string>,
  ) {
    const hasEntities = rows.some(({ result }) => result['entities'] !== undefined);
    this.asksAll = asksAll;
    this.datasetType = hasEntities ? 'ner' : base.datasetType;
    const answers = rows.map(({ at: _, ...row }) => row);
    const classTasks = tasksOfAnswers(answers, base.classTasks);
    const read = (isMultiLabel: boolean) =>
      answerRows(answers, { datasetType: this.datasetType, isMultiLabel, classTasks });
    const labelled = read(true);
    this.isMultiLabel = base.multiLabel || labelled.some(({ labels }) => Array.isArray(labels) && labels.length > 1);
    this.corrections = new Map((this.isMultiLabel ? labelled : read(false)).map((row) => [row['text'] as string, row]));
    this.given = new Map(rows.map(({ text, at }) => [text, at]));
  }

  /** The call that decides about the row; null: none does. */
  sourceOf(row: JsonObject): string | null {
    const { source_inference_id: source, text } = row;
    if (typeof source !== 'string') return null;
    return this.asksAll || (typeof text === 'string' && this.corrections.has(text)) ? source : null;
  }

  /**
   * @param source of the row's call, if it decides
   * @returns null if another row or none replaces it
   */
  merged(row: JsonObject, source: MergedSource | null): JsonObject | null {
    if (source?.isExcluded) return this.leftOut('excluded_subjects');
    const { text } = row;
    if (typeof text === 'string' && this.heldOut.has(text)) return this.leftOut('held_out');
    const correction = typeof text === 'string' ? this.corrections.get(text) : undefined;
    const own = this.isMultiLabel && typeof row['label'] === 'string' ? severalLabels(row) : row;
    if (typeof text !== 'string' || !correction) {
      this.counts.kept += 1;
      return own;
    }
    const isFirst = !this.written.has(text);
    this.written.add(text);
    const together = {
      ...(correction['labels'] === undefined ? own : withoutLabel(own)),
      ...correction,
      ...tasksTogether(own, correction),
    };
    if (saysTheSame(own, together)) this.counts.duplicates += 1;
    else if (source?.givenAt && source.givenAt > this.given.get(text)!) {
      this.counts.newer += 1;
      return own;
    } else {
      this.counts.replaced += 1;
      if (this.conflicting.length < MAX_SHOWN) this.conflicting.push(text);
    }
    return isFirst ? together : null;
  }

  /** The corrections whose texts no row had. */
  rest(): readonly JsonObject[] {
    return [...this.corrections].flatMap(([text, row]) => (this.written.has(text) ? [] : [row]));
  }

  private leftOut(why: 'held_out' | 'excluded_subjects'): null {
    this.counts[why] += 1;
    return null;
  }
}

/** Tasks that the correction says nothing of stay. */
const tasksTogether = ({ labels: own }: JsonObject, { labels: given }: JsonObject): JsonObject =>
  isObject(own) && isObject(given) ? { labels: { ...own, ...given } } : {};

/** Of a row that gets `labels`: a dataset whose other rows have `label` is refused for having both kinds. */
const withoutLabel = ({ label: _, ...row }: JsonObject): JsonObject => row;

const severalLabels = ({ label, ...row }: JsonObject): JsonObject => ({ ...row, labels: [label!] });

const saysTheSame = (one: JsonObject, two: JsonObject): boolean => isDeepStrictEqual(exampleOf(one), exampleOf(two));
