import type { DomainEvent } from '#domain/decider.js';
import type { JsonObject } from '#domain/json.js';
import { evolve, type Handlers } from '#log/projector/handlers.js';
import type { Application } from '#application/application.js';
import { eventsOf } from '../calls/call-on-log.js';

/**
 * The document that a projection gives for the events of one stream, taken from the log: for what is decided by it, since a read model may
 * be behind, or changed.
 * @returns null if there is no such stream, or its document is removed
 */
export async function streamDocument<Document extends JsonObject, Event extends DomainEvent>(
  application: Application,
  { on }: { readonly on: Handlers<Document | null, Event> },
  stream: string,
): Promise<Document | null> {
  const handlers = on as Handlers<JsonObject | null>;
  const events = await eventsOf(application, stream);
  return events.reduce<JsonObject | null>((state, event) => evolve(handlers, state, event), null) as Document | null;
}
