import type { PromptVersions, Unmapped, WantedHead } from '#domain/distillation/index.js';

/** With the field names of `POST /models/{name}/distil`, which its errors name. Null is as good as absent. */
export interface DistillationOrder {
  /** The name that gets the new version; it is created if there is none. */
  readonly name: string;
  readonly teacher: string;
  readonly from?: {
    readonly model?: string | null;
    readonly project_id?: string | null;
    readonly since?: string | null;
    readonly until?: string | null;
  } | null;
  readonly label?: {
    readonly dataset: { readonly name: string; readonly version?: string | number | null };
    /** Dollars. */
    readonly budget: number;
  } | null;
  readonly task?: string | null;
  readonly unmapped?: Unmapped | null;
  readonly prompt_versions?: PromptVersions | null;
  readonly heads?: readonly WantedHead[] | null;
  readonly target_agreement?: number | null;
  readonly audit_share?: number | null;
  readonly base_model?: string | null;
}

export const DEFAULT_TARGET = 0.95;
export const DEFAULT_AUDIT_SHARE = 0.02;
