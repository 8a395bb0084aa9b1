import type { EventToStore } from '../log/tables.js';
import { invalidArgument, missingMetadata } from './errors.js';
import type { StreamMessages } from './messages.js';
import { fromUuid } from './uuid.js';

type ProposedMessage = StreamMessages.AppendReq.ProposedMessage | StreamMessages.BatchAppendReq.ProposedMessage;

/** @throws ServiceError when the id, the type or the content type is missing */
export function fromProposedMessage(message: ProposedMessage): EventToStore {
  const properties = message.getMetadataMap();
  const type = properties.get('type');
  const contentType = properties.get('content-type');
  if (!type || !contentType) throw missingMetadata(['type', 'content-type'].filter((name) => !properties.get(name)));
  const id = fromUuid(message.getId());
  if (!id) throw invalidArgument('an event has no id');
  return { id, type, contentType, data: message.getData_asU8(), metadata: message.getCustomMetadata_asU8() };
}

/** What an event counts for against the limit of an append: as the server's `Event.SizeOnDisk`. */
export const sizeOf = ({ type, data, metadata }: EventToStore): number =>
  2 * type.length + data.length + metadata.length;
