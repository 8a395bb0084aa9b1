import {
  CONFIDENCE_BINS,
  confidenceBin,
  counted,
  NO_COUNTS,
  NO_WORDS,
  sampled,
  weekOf,
  type DriftWeek,
  type CountedText,
} from '#domain/drift/index.js';
import { contentIn, textsOf, type CallContent, type CallMetered } from '#domain/inference/index.js';
import { isRecord, type Json } from '#domain/json.js';
import type { Projection } from '#log/projector/projection.js';
import { labelsIn, lowestConfidence } from '../inferences/facts.js';

/** A week of recorded calls of one version of a named model, as counters: about 10 KB, however many calls there are. */
export type DriftDocument = DriftWeek & {
  readonly id: string;
  readonly workspaceId: string;
  readonly modelName: string;
  readonly modelVersion: number;
};

/** Counts what encoders answered under a name. Calls with `store: false` have no content, and are not counted. */
export const drift: Projection<DriftDocument, CallContent | CallMetered> = {
  name: 'drift',
  version: 2,
  indexes: [
    { fields: ['workspaceId', 'modelName', 'modelVersion', 'week'] },
    { fields: ['workspaceId', 'modelName', 'week'] },
  ],
  key({ type, data, metadata }) {
    const { workspaceId, modelName, modelVersion } = (type === 'call-metered.v1' ? contentIn(data) : data) ?? {};
    return modelName === undefined || modelVersion === undefined
      ? null
      : [workspaceId, modelName, modelVersion, weekOf(metadata.occurredAt)].join('/');
  },
  on: {
    'call-metered.v1': (document, { data, metadata }) => withCall(document, contentIn(data)!, metadata.occurredAt),
    'call-content.v1': (document, { data, metadata }) => withCall(document, data, metadata.occurredAt),
  },
};

function withCall(document: DriftDocument | null, call: CallContent['data'], occurredAt: string): DriftDocument {
  const before = document ?? none(call, weekOf(occurredAt));
  const { texts, labelled, output } = textsIn(call.content);
  // Shadow calls have no confidence of their own.
  const confidence = call.leastCertain?.confidence ?? lowestConfidence(output);
  return {
    ...before,
    calls: before.calls + 1,
    counts: counted(before.counts, labelled),
    confidence:
      confidence === null
        ? before.confidence
        : before.confidence.map((count, bin) => count + (bin === confidenceBin(confidence) ? 1 : 0)),
    words: sampled(before.words, texts),
  };
}

const none = ({ workspaceId, modelName = '', modelVersion = 0 }: CallContent['data'], week: string): DriftDocument => ({
  id: [workspaceId, modelName, modelVersion, week].join('/'),
  ...{ workspaceId, modelName, modelVersion, week, calls: 0 },
  ...{ counts: NO_COUNTS, confidence: Array.from({ length: CONFIDENCE_BINS }, () => 0), words: NO_WORDS },
});

/** Texts of a content, or those left of one that was cut; the text that was cut counts among the longest. */
function textsIn(content: CallContent['data']['content']): {
  readonly texts: readonly string[];
  readonly labelled: readonly CountedText[];
  readonly output: Json;
} {
  const summary = isRecord(content['summary']) ? content['summary'] : null;
  const { input = null, output = null } = (summary ?? content) as { readonly input?: Json; readonly output?: Json };
  const fields = isRecord(input) ? input : {};
  const found: readonly unknown[] = textsOf(fields) ?? [];
  const texts = found.filter((text) => typeof text === 'string');
  const isBatch = Array.isArray(fields['text']);
  const labelled = texts.map((text, at): CountedText => {
    const answer = isBatch ? (Array.isArray(output) ? ((output as readonly Json[])[at] ?? null) : null) : output;
    const isCut = summary !== null && at === texts.length - 1 && text.endsWith('…');
    return { length: isCut ? Infinity : text.length, labels: answer === null ? null : labelsIn(answer) };
  });
  return { texts, labelled, output };
}
