import type { Projection } from '#projection/projection.js';

/** What the load appends: the n-th event of its stream, in an append of `of` events. */
export interface Written {
  readonly [key: string]: string | number;
  readonly n: number;
  readonly append: string;
  readonly of: number;
}

export const WRITTEN = 'written.v1';

/** Counts and remembers in an order-sensitive way, so that an event lost, doubled or out of order shows. */
const streams: Projection = {
  name: 'crash-streams',
  version: 1,
  handles: [WRITTEN],
  indexes: [{ fields: ['load', 'n'] }],
  ordinals: [{ field: 'n', within: ['load'] }],
  key: ({ stream }) => stream,
  apply: (document, { stream, revision, id }) => ({
    load: 'crash',
    stream,
    events: ((document?.['events'] as number | undefined) ?? 0) + 1,
    lastRevision: revision,
    history: fingerprint((document?.['history'] as number | undefined) ?? 0, id),
  }),
};

const fingerprint = (so: number, id: string): number => {
  let hash = so;
  for (let at = 0; at < id.length; at += 1) hash = (Math.imul(hash, 31) + id.charCodeAt(at)) >>> 0;
  return hash;
};

export const projections: readonly Projection[] = [streams];
