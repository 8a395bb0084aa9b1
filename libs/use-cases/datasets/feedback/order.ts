import type { DecidedVerdict } from '#domain/feedback/index.js';
import type { ConflictRule } from './rows.js';

/** With the field names of `POST /felix/datasets/from-feedback`, which its errors name. Null is as good as absent. */
export interface FeedbackOrder {
  readonly dataset_name: string;
  readonly dataset_type?: 'decoder' | null;
  readonly model?: string | null;
  readonly project_id?: string | null;
  readonly since?: string | null;
  readonly until?: string | null;
  readonly verdict?: DecidedVerdict | null;
  readonly label?: string | null;
  readonly conflicts?: ConflictRule | null;
  readonly held_out_share?: number | null;
  readonly merge_with?: string | null;
  readonly merge_with_version?: string | number | null;
  readonly exclude_subjects?: readonly string[] | null;
}

/** Calls and verdicts that gave no row, by reason, as they are stored and answered. */
export interface LeftOutFeedback {
  unsure: number;
  without_content: number;
  other_tasks: number;
  excluded_subjects: number;
  without_pair: number;
  duplicates: number;
}

/** The version that feedback was merged with, as it is stored and answered: its rows by what became of them. */
export interface MergedVersion {
  readonly dataset_id: string;
  readonly dataset_name: string;
  readonly version_number: string;
  readonly rows: number;
  readonly kept: number;
  readonly replaced: number;
  readonly duplicates: number;
  readonly newer: number;
  readonly held_out: number;
  readonly excluded_subjects: number;
  /** Texts of replaced rows, the first 100. */
  readonly conflicting: readonly string[];
}
