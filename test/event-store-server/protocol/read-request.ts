import type { Direction } from '../log/tables.js';
import { invalidArgument } from './errors.js';
import { fromFilterOptions, type EventFilter } from './event-filter.js';
import { streams, type StreamMessages } from './messages.js';
import { toRevision } from './expected-version.js';
import { fromStreamIdentifier } from './identifiers.js';

export interface ReadRequest {
  readonly source:
    | { readonly kind: 'stream'; readonly name: string; readonly from: number | 'start' | 'end' }
    | { readonly kind: 'all'; readonly from: LogPosition | 'start' | 'end' };
  readonly direction: Direction;
  readonly filter: EventFilter | null;
  /** Maximum number of events; null for a subscription, which has no end. */
  readonly count: number | null;
}

/** Decimal strings, because they may exceed JavaScript's integers. */
export interface LogPosition {
  readonly commit: string;
  readonly prepare: string;
}

/** @throws ServiceError when the request makes no sense */
export function fromReadRequest(request: StreamMessages.ReadReq): ReadRequest {
  const options = request.getOptions();
  if (!options) throw invalidArgument('a read request has no options');
  const filter = options.getFilter();
  if (!options.hasSubscription() && !options.hasCount()) throw invalidArgument('a read request has no count');
  return {
    source: sourceOf(options),
    direction:
      options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS ? 'backwards' : 'forwards',
    filter: filter ? fromFilterOptions(filter) : null,
    count: options.hasSubscription() ? null : Number(options.getCount()),
  };
}

function sourceOf(options: StreamMessages.ReadReq.Options): ReadRequest['source'] {
  const stream = options.getStream();
  if (stream) {
    const name = fromStreamIdentifier(stream.getStreamIdentifier());
    const from = stream.hasRevision() ? toRevision(stream.getRevision()) : stream.hasEnd() ? 'end' : 'start';
    return { kind: 'stream', name, from };
  }
  const all = options.getAll();
  if (!all) throw invalidArgument('a read request names neither a stream nor all');
  const position = all.getPosition();
  if (!position) return { kind: 'all', from: all.hasEnd() ? 'end' : 'start' };
  return { kind: 'all', from: { commit: position.getCommitPosition(), prepare: position.getPreparePosition() } };
}
