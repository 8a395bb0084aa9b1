import { readFileSync } from 'node:fs';
import type { JsonObject } from '#domain/json.js';

export interface GoldenEvent {
  readonly stream: string;
  readonly type: string;
  readonly data: JsonObject;
}

/**
 * A sample of every version of every event ever written, in one story: what a released version stored must be read by all
 * later ones. Samples are added, never changed.
 */
export const goldenEvents = JSON.parse(
  readFileSync(new URL('./events.json', import.meta.url), 'utf8'),
) as readonly GoldenEvent[];
