import { readFileSync } from 'node:fs';
import type { JsonObject } from '#domain/json.js';
import { upcasters } from '#domain/upcasters.js';

export interface GoldenEvent {
  readonly stream: string;
  readonly type: string;
  readonly data: JsonObject;
}

/**
 * A sample of every version of every event ever written, as it was stored, in one story: each later release must read what any
 * release has stored. Samples are added, never changed.
 */
export const goldenEvents = JSON.parse(
  readFileSync(new URL('./events.json', import.meta.url), 'utf8'),
) as readonly GoldenEvent[];

/** The same story in the shapes that this release knows. */
export const upcastGoldenEvents: readonly GoldenEvent[] = goldenEvents.map((event) => upcasters.upcast(event));
