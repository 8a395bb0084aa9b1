import type { CallRecorder } from '#calls/recording/call-recorder.js';
import { meteredOf, type CallFacts } from '#calls/recording/metered.js';
import { NO_USAGE } from '#calls/hosted/port.js';

/** How the model of a recorded call was called. */
export const WAYS = ['by id', 'by name', 'by name, with a shadow', 'the shadow call'] as const;
export type Way = (typeof WAYS)[number];

const facts = (way: Way, inferenceId: string, at: string): CallFacts => ({
  ...{
    inferenceId,
    teamId: 't',
    userId: 'u',
    keyId: 'k',
    modelId: way === 'by id' ? 'anneal/encoder-base-v1' : 'tickets',
  },
  ...{ baseModel: 'anneal/encoder-base-v1', trainingJobId: null, projectId: null, task: 'extract_entities' },
  ...{ source: 'api', format: 'native', price: { input: '1', output: '0', cacheRead: '0', cacheWrite: '0' }, at },
  ...(way !== 'by id' && { modelName: 'tickets', modelVersion: way === 'the shadow call' ? 2 : 1 }),
  ...(way === 'the shadow call' && { shadowOf: `other ${inferenceId}` }),
});
const input = { text: 'Please refund order 4711, which Ada Lovelace placed last Tuesday.', schema: ['person'] };
const output = { entities: { person: [{ text: 'Ada Lovelace', start: 32, end: 44, confidence: 0.95 }] } };

let made = 0;

/** Records another call of an encoder. */
export function record(recorder: CallRecorder, way: Way): Promise<void> {
  const isCompared = way === 'by name, with a shadow' || way === 'the shadow call';
  const inferenceId = `0190b6a0-0000-7000-8000-${String((made += 1)).padStart(12, '0')}`;
  const now = new Date().toISOString();
  const end = { errorType: null, usage: { ...NO_USAGE, inputTokens: 14 }, latencyMs: 1.25, ttftMs: null };
  const metered = meteredOf(facts(way, inferenceId, now), null, end);
  const context = {
    ...{ workspaceId: 'w', actor: 'key:k', correlationId: inferenceId, commandId: inferenceId, now },
  };
  return recorder.record({ metered, content: { input, output, errorMessage: null }, isCompared }, context);
}
