import type { ImprovementPolicy } from '#domain/improvement/index.js';

/** A model whose policy lets the system act by itself. */
export interface RuledModel {
  readonly modelId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly policy: ImprovementPolicy;
  readonly policySetAt: string;
  /** An improvement, or a distillation, that has not ended. */
  readonly isImproving: boolean;
  /** Verdicts in the workspace since the last of these began: of any model, so at least those on this one. */
  readonly verdicts: number;
  /** When the last one was requested, and the last weekly one. */
  readonly improvedAt: string | null;
  readonly lastWeekly: string | null;
  /** The corrected calls when the last one began: of the training job of the version in use then, null: of the name. */
  readonly learned: { readonly trainingJobId: string | null; readonly corrections: number } | null;
  /** The last promotion; null if it was a rollback, which is not watched, or there was no version before. */
  readonly promoted: { readonly version: number; readonly previous: number; readonly at: string } | null;
}

export type PolicyCommand =
  | {
      readonly type: 'improve';
      readonly trigger: 'corrections' | 'weekly';
      readonly model: RuledModel;
      readonly due: string;
    }
  | { readonly type: 'watch'; readonly model: RuledModel }
  | { readonly type: 'drift'; readonly model: RuledModel };
