import type { TaskOfFile } from '../formats/layouts/layout.js';
import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';

/** A row of feedback, `{text, result, source_inference_id}`, the named tasks of the models that answered, and when its verdict was given. */
export interface FeedbackRow {
  readonly text: string;
  readonly result: JsonObject;
  readonly source_inference_id: string;
  readonly at: string;
  readonly class_tasks?: readonly { readonly name: string; readonly multi_label: boolean }[];
}

/**
 * A job of the process that merges: its input has a number of rows of feedback, then rows whose texts go to another dataset, then the rows
 * of the version, all as JSON lines.
 */
export interface MergeJob {
  readonly corrections: number;
  readonly heldOut: number;
  readonly base: {
    readonly datasetType: DatasetType;
    readonly multiLabel: boolean;
    /** Null: its rows have at most one task. */
    readonly classTasks: readonly TaskOfFile[] | null;
  };
  /** Whether the source of every row is requested, since calls of some persons give no row. */
  readonly asksAll: boolean;
}

/** Counts of the version's rows, by outcome. */
export interface MergeCounts {
  readonly kept: number;
  readonly replaced: number;
  readonly duplicates: number;
  readonly newer: number;
  readonly held_out: number;
  readonly excluded_subjects: number;
}

export type MergeMessage =
  /** Requests the known facts about calls, and waits for a `SourcesAnswer`. */
  | { readonly kind: 'sources'; readonly ids: readonly string[] }
  | {
      readonly kind: 'merged';
      readonly counts: MergeCounts;
      /** Texts of replaced rows, the first ones. */
      readonly conflicting: readonly string[];
      readonly datasetType: DatasetType;
    };

/** A call that a row comes from. */
export interface MergedSource {
  /** Time of the newest verdict on it; null: there is none. */
  readonly givenAt: string | null;
  /** Rows of it are left out. */
  readonly isExcluded: boolean;
}

export type SourcesAnswer = readonly (readonly [id: string, source: MergedSource])[];
