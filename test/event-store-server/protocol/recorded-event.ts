import { HIGHEST_REVISION, TOMBSTONE, type StoredEvent } from '../log/tables.js';
import { streams, type StreamMessages } from './messages.js';
import { toStreamIdentifier, toUuid } from './identifiers.js';

/** An event as reads and subscriptions give it. */
export function toReadEvent(event: StoredEvent): StreamMessages.ReadResp {
  const position = String(event.position);
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(toUuid(event.id))
    .setStreamIdentifier(toStreamIdentifier(event.stream))
    .setStreamRevision(event.revision === TOMBSTONE ? HIGHEST_REVISION : String(event.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', event.contentType)
    .set('created', String(BigInt(event.created) * TICKS_PER_MS));
  return new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(position),
  );
}

/** .NET's ticks, since 1970, of 100 ns. */
const TICKS_PER_MS = 10_000n;
