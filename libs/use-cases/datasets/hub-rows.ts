import type { HubRequest } from '#models/hub/index.js';

/** Rows of a dataset repository on the hub. Null is as good as absent. */
export interface HubRowsOrder {
  readonly repo_id: string;
  readonly config?: string | null;
  readonly split?: string | null;
  readonly revision?: string | null;
  /** For private and gated repositories. */
  readonly hf_token?: string | null;
}

export const hubRequest = ({ repo_id, revision, config, split, hf_token }: HubRowsOrder): HubRequest => ({
  repoId: repo_id,
  revision: revision ?? null,
  config: config ?? null,
  split: split ?? null,
  token: hf_token ?? null,
});
