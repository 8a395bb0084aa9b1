import type { JsonObject } from '#domain/json.js';

export type Path = readonly (string | number)[];

/** A content block that passed the schema: the required fields of its type are present. */
export interface Block {
  readonly type: string;
  readonly cache_control?: JsonObject | null;
  readonly text?: string;
  readonly source?: BlockSource;
  readonly title?: string | null;
  readonly citations?: unknown;
  readonly thinking?: string;
  readonly signature?: string | null;
  readonly data?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: JsonObject;
  readonly caller?: unknown;
  readonly tool_use_id?: string;
  readonly tool_name?: unknown;
  readonly content?: string | readonly Block[] | null;
  readonly is_error?: boolean | null;
}

export interface BlockSource {
  readonly type: string;
  readonly media_type?: string;
  readonly data?: string;
  readonly url?: string;
  readonly file_id?: string;
  readonly content?: unknown;
}

/** The known fields of a type of block: its own, and those common to all. */
export const fieldsOfBlock = (...own: readonly string[]): ReadonlySet<string> =>
  new Set(['type', 'cache_control', ...own]);

/** Keeps a marker unchanged; the provider checks its content. */
export const markerOf = ({
  cache_control: cacheControl,
}: {
  readonly cache_control?: JsonObject | null;
}): { cacheControl?: JsonObject } => (cacheControl ? { cacheControl } : {});
