export const EXPORT_FORMAT = 'anneal-audit-export/1';

/** Conditions on the events of an export; an event must meet all. */
export interface ExportScope {
  readonly stream: string | null;
  /** ISO 8601 in UTC with milliseconds, inclusive. */
  readonly from: string | null;
  readonly to: string | null;
}

/** The first line. */
export interface ExportHead extends ExportScope {
  readonly format: typeof EXPORT_FORMAT;
  /** Whether it has the whole log, so that every leaf of the tree has its line. */
  readonly whole_log: boolean;
  /** The signed note of the tree that the proofs lead to. */
  readonly checkpoint: string;
  /** All keys that checkpoints of this log were signed with, the newest last. */
  readonly public_keys: readonly string[];
  readonly exported_at: string;
}

/** Why an event has no proof: no checkpoint covers it yet; or the tree is not the log's, which `audit verify` explains. */
export type Unproven = 'newer_than_checkpoint' | 'not_in_tree' | 'tree_damaged';
/** Why an event is without its texts: its caller had the content erased; the reader may not see `content`; or the log has no event for the leaf, as after a deletion. */
export type Withheld = 'erased' | 'content' | 'not_in_log';

/** The line of an event. */
export interface ExportedEvent {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  /** The hashed texts. */
  readonly id?: string;
  readonly data?: string;
  readonly metadata?: string;
  readonly salt?: string;
  /** JSON of what `data` has encrypted, where the export was asked for it, and the key that opens it, in base64. */
  readonly content?: string;
  readonly content_key?: string;
  /** The digest that the tree has in place of withheld texts. */
  readonly digest?: string;
  readonly leaf_index?: number;
  /** Base64. */
  readonly inclusion_proof?: readonly string[];
  readonly withheld?: Withheld;
  readonly unproven?: Unproven;
}

/** Revisions of the exported stream that are not the caller's to see. */
export interface HiddenRevisions {
  readonly stream: string;
  readonly first_revision: number;
  readonly last_revision: number;
  readonly withheld: 'another_workspace';
}

/** The last line: a file without it is not whole. */
export interface ExportEnd {
  readonly events: number;
  readonly proven: number;
  readonly withheld: number;
  readonly unproven: number;
}
