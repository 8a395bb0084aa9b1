import { parse, stringify } from 'uuid';
import { shared, type SharedMessages } from './messages.js';

/** A UUID message, in the form that the reader asked for. */
export function toUuid(id: string, structured = false): SharedMessages.UUID {
  const uuid = new shared.UUID();
  if (!structured) return uuid.setString(id);
  const view = new DataView(Uint8Array.from(parse(id)).buffer);
  return uuid.setStructured(
    new shared.UUID.Structured()
      .setMostSignificantBits(view.getBigInt64(0).toString())
      .setLeastSignificantBits(view.getBigInt64(8).toString()),
  );
}

/** Lower case, as ids are compared. */
export function fromUuid(uuid: SharedMessages.UUID | undefined): string | null {
  const structured = uuid?.getStructured();
  if (!structured) return uuid?.getString().toLowerCase() || null;
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setBigInt64(0, BigInt(structured.getMostSignificantBits()));
  view.setBigInt64(8, BigInt(structured.getLeastSignificantBits()));
  return stringify(bytes);
}
