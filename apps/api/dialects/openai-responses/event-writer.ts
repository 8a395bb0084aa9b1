import type { JsonObject } from '#domain/json.js';
import { namedEvent } from '../../edge/event-stream.js';

/** Writes the events of one response, numbered from 0. */
export class EventWriter {
  private sequence = 0;

  event(type: string, fields: JsonObject): string {
    return namedEvent({ type, sequence_number: this.sequence++, ...fields });
  }

  /** Writes events that differ only in `delta`: serialises the rest once. */
  deltas(type: string, fields: JsonObject): (delta: string) => string {
    const head = namedEvent({ type, ...fields }).slice(0, -'}\n\n'.length);
    return (delta) => `${head},"delta":${JSON.stringify(delta)},"sequence_number":${this.sequence++}}\n\n`;
  }
}
