import type { Projection } from '#log/projector/projection.js';

/** An event of the load: the n-th of its stream, in an append of `of` events. */
export interface Written {
  readonly [key: string]: string | number;
  readonly n: number;
  readonly append: string;
  readonly of: number;
}

export const WRITTEN = 'written.v1';
/** A kept event that says that `data.stream` is deleted. */
export const ERASED = 'erased.v1';

/** Streams of this category are deleted now and then; others are kept. */
export const ERASABLE = 'erasable';
const isErasable = (stream: string): boolean => stream.startsWith(`${ERASABLE}-`);

/** Counts and remembers in an order-sensitive way, so that an event lost, doubled or out of order shows. */
const kept: Projection = {
  name: 'crash-kept',
  version: 1,
  indexes: [{ fields: ['load', 'n'] }],
  ordinals: [{ field: 'n', within: ['load'] }],
  key: ({ stream }) => (isErasable(stream) ? null : stream),
  on: {
    [WRITTEN]: (document, { stream, revision, id }) => ({
      load: 'crash',
      stream,
      events: ((document?.['events'] as number | undefined) ?? 0) + 1,
      lastRevision: revision,
      history: fingerprint((document?.['history'] as number | undefined) ?? 0, id),
    }),
  },
};

/** The same of streams that are deleted: a document goes with its stream. */
const erasable: Projection = {
  ...kept,
  name: 'crash-erasable',
  indexes: [],
  ordinals: [],
  key: ({ type, stream, data }) => {
    if (type === ERASED) return data['stream'] as string;
    return isErasable(stream) ? stream : null;
  },
  on: { ...kept.on, [ERASED]: () => null },
};

const fingerprint = (so: number, id: string): number => {
  let hash = so;
  for (let at = 0; at < id.length; at += 1) hash = (Math.imul(hash, 31) + id.charCodeAt(at)) >>> 0;
  return hash;
};

export const projections: readonly Projection[] = [kept, erasable];
