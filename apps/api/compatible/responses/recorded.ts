import type { Produced } from '#application/calls/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { endOf, outputItems } from './output.js';

/** What says how a request is answered, and nothing of what is asked. */
const NOT_RECORDED = new Set(['model', 'stream', 'stream_options', 'store', 'project_id']);

/** What the history shows as input: the request's own words. Of a turn that continues others, it names the one before. */
export const recordedInput = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !NOT_RECORDED.has(name)));

/** What the history shows as output. */
export function recordedOutput({ choices }: Produced): Json {
  const choice = choices[0]!;
  return { ...endOf(choice), output: outputItems(choice) as JsonObject[] };
}
