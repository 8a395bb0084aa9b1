import type { ContentRead, ContentsRead } from '#domain/content-read/index.js';
import type { Projection } from '#log/projector/projection.js';

/** Reads of one second by one process. `id` is the event's. */
export type ReadsDocument = {
  readonly id: string;
  readonly workspaceId: string;
  /** Number among the workspace's, from 1 in log order. */
  readonly n: number | null;
  readonly from: string;
  readonly until: string;
  /** The actors, one to a line; queries look for whole lines. */
  readonly actors: string;
  readonly resources: string;
  readonly reads: readonly ContentRead[];
  readonly event: { readonly position: string; readonly stream: string; readonly revision: number };
};

export const reads: Projection<ReadsDocument, ContentsRead> = {
  name: 'reads',
  version: 1,
  indexes: [{ fields: ['workspaceId', 'n'] }],
  ordinals: [{ field: 'n', within: ['workspaceId'] }],
  key: ({ id }) => id,
  on: {
    'contents-read.v1': (_, { id, position, stream, revision, data }) => ({
      ...{ id, n: null, event: { position, stream, revision } },
      ...{ workspaceId: data.workspaceId, from: data.from, until: data.until, reads: data.reads },
      actors: linesOf(data.reads.map(({ actor }) => actor)),
      resources: linesOf(data.reads.map(({ resource }) => resource)),
    }),
  },
};

/** Each once, between line feeds. */
export const linesOf = (texts: readonly string[]): string =>
  ['', ...new Set(texts.map((text) => text.replaceAll('\n', ' '))), ''].join('\n');
