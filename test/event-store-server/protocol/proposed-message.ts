import type { EventToStore } from '../log/tables.js';
import { unknown } from './errors.js';
import { fromUuid } from './identifiers.js';
import type { StreamMessages } from './messages.js';

/** @throws ServiceError when the id or the type is missing */
export function fromProposedMessage(message: StreamMessages.AppendReq.ProposedMessage): EventToStore {
  const properties = message.getMetadataMap();
  const type = properties.get('type');
  if (!type) throw unknown('an event has no type');
  return {
    id: fromUuid(message.getId()),
    type,
    contentType: properties.get('content-type')!,
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** The size of an event that counts against the limit of an append: the server's `Event.SizeOnDisk`. */
export const sizeOf = ({ type, data, metadata }: EventToStore): number =>
  2 * type.length + data.length + metadata.length;
