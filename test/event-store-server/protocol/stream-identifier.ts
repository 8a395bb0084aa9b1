import { invalidArgument } from './errors.js';
import { shared, type SharedMessages } from './messages.js';

export const toStreamIdentifier = (name: string): SharedMessages.StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(name));

/** @throws ServiceError when it is missing or empty */
export function fromStreamIdentifier(identifier: SharedMessages.StreamIdentifier | undefined): string {
  const name = identifier && Buffer.from(identifier.getStreamName_asU8()).toString();
  if (!name) throw invalidArgument('a stream name is missing');
  return name;
}
