import { invalidArgument, unknown } from './errors.js';
import { shared, type SharedMessages } from './messages.js';

export const toUuid = (id: string): SharedMessages.UUID => new shared.UUID().setString(id);

/** Lower case, as ids are compared. @throws ServiceError when it is missing or not text */
export function fromUuid(uuid: SharedMessages.UUID | undefined): string {
  const id = uuid?.getString().toLowerCase();
  if (!id) throw invalidArgument('an event has no id');
  return id;
}

export const toStreamIdentifier = (name: string): SharedMessages.StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(name));

/** @throws ServiceError when it is missing or empty */
export function fromStreamIdentifier(identifier: SharedMessages.StreamIdentifier | undefined): string {
  const name = identifier && Buffer.from(identifier.getStreamName_asU8()).toString();
  if (!name) throw unknown('a stream name is missing');
  return name;
}
