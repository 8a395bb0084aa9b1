import type { ServerWritableStream } from '@grpc/grpc-js';
import { TOMBSTONE, type StoredEvent } from '../log/tables.js';
import { accessDenied, asServiceError, streamDeleted } from '../protocol/errors.js';
import { streams, type StreamMessages } from '../protocol/messages.js';
import { fromReadRequest, type ReadRequest } from '../protocol/read-request.js';
import { toReadEvent } from '../protocol/recorded-event.js';
import { toStreamIdentifier } from '../protocol/identifiers.js';
import type { ServiceContext } from './context.js';
import { PAGE, pagesOf, startInLog } from './paging.js';
import { Outbox } from './outbox.js';
import { subscribe } from './subscribe.js';

type Call = ServerWritableStream<StreamMessages.ReadReq, StreamMessages.ReadResp>;

/** `Streams.Read`: a stream or the log, forwards or backwards, up to a count; or a subscription. */
export function read(context: ServiceContext) {
  return (call: Call): void => {
    carryOut(context, call).then(
      () => call.end(),
      (error: unknown) => call.emit('error', asServiceError(error)),
    );
  };
}

async function carryOut(context: ServiceContext, call: Call): Promise<void> {
  const request = fromReadRequest(call.request);
  if (context.control.denyAll && request.source.kind === 'all') throw accessDenied();
  const outbox = new Outbox(call, context.control);
  if (request.count === null) return subscribe(context, request, outbox);
  const pages = request.source.kind === 'stream' ? streamPages(context, request) : logPages(context, request);
  if (!pages) return outbox.send(streamNotFound(request));
  let left = request.count;
  for (const page of pages) {
    for (const event of page) {
      if (left <= 0 || outbox.closed) return;
      if (request.filter && !request.filter.matches(event)) continue;
      await outbox.send(toReadEvent(event));
      left -= 1;
    }
    if (left <= 0 || outbox.closed) return;
  }
}

/** Null when there is no such stream. */
function streamPages({ log }: ServiceContext, { source, direction }: ReadRequest): Pages | null {
  if (source.kind !== 'stream') throw new TypeError('not a stream');
  const { name, from } = source;
  const { id, last: end } = log.stream(name);
  if (end === TOMBSTONE) throw streamDeleted(name);
  if (id === null) return null;
  const start = from === 'start' ? 0 : from === 'end' ? end : Math.min(from, end + 1);
  return pagesOf((last) => {
    const low = direction === 'forwards' ? (last ? last.revision + 1 : start) : 0;
    const high = direction === 'forwards' ? end : last ? last.revision - 1 : start;
    return log.tables.streamPage(id, low, high, direction, PAGE);
  });
}

function logPages({ log }: ServiceContext, { source, direction }: ReadRequest): Pages {
  if (source.kind !== 'all') throw new TypeError('not the log');
  const { tables } = log;
  const start = startInLog(log, source.from, direction);
  return pagesOf((last) => {
    const place = last ? (direction === 'forwards' ? last.position + 1 : last.position) : start;
    return tables.logPage(place, direction, PAGE);
  });
}

type Pages = Iterable<readonly StoredEvent[]>;

const streamNotFound = ({ source }: ReadRequest): StreamMessages.ReadResp =>
  new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(
      toStreamIdentifier(source.kind === 'stream' ? source.name : '$all'),
    ),
  );
