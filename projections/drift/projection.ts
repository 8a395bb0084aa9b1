import {
  CONFIDENCE_BINS,
  confidenceBin,
  counted,
  NO_COUNTS,
  NO_WORDS,
  OTHER_LABELS,
  sampled,
  weekOf,
  type DriftWeek,
  type CountedText,
} from '#domain/drift/index.js';
import { contentIn, textsOf, type CallAsRow, type CallContent, type CallMetered } from '#domain/inference/index.js';
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

/** Counts what encoders, and distilled versions with their teachers, answered under a name. Calls with `store: false` have no content, and are not counted. */
export const drift: Projection<DriftDocument, CallContent | CallMetered> = {
  name: 'drift',
  version: 3,
  indexes: [
    { fields: ['workspaceId', 'modelName', 'modelVersion', 'week'] },
    { fields: ['workspaceId', 'modelName', 'week'] },
  ],
  key({ type, data, metadata }) {
    const call = type === 'call-metered.v1' ? contentIn(data) : data;
    return call && idOf(call, weekOf(metadata.occurredAt));
  },
  on: {
    'call-metered.v1': (document, { data, metadata }) => withCall(document, contentIn(data)!, metadata.occurredAt),
    'call-content.v1': (document, { data, metadata }) => withCall(document, data, metadata.occurredAt),
  },
};

function withCall(document: DriftDocument | null, call: CallContent['data'], occurredAt: string): DriftDocument {
  const before = document ?? none(call, weekOf(occurredAt));
  const { texts, labelled, confidence } = call.asRow ? asRow(call.asRow) : answered(call);
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

/** The version that a call counts for; null: none. */
function versionOf({ modelName, modelVersion, asRow }: CallContent['data']) {
  if (asRow) return { modelName: asRow.modelName, modelVersion: asRow.modelVersion };
  return modelName === undefined || modelVersion === undefined ? null : { modelName, modelVersion };
}

function idOf(call: CallContent['data'], week: string): string | null {
  const of = versionOf(call);
  return of && [call.workspaceId, of.modelName, of.modelVersion, week].join('/');
}

const none = (call: CallContent['data'], week: string): DriftDocument => ({
  ...{ id: idOf(call, week)!, workspaceId: call.workspaceId, ...versionOf(call)!, week, calls: 0 },
  ...{ counts: NO_COUNTS, confidence: Array.from({ length: CONFIDENCE_BINS }, () => 0), words: NO_WORDS },
});

interface Counted {
  /** As much of them as their words are counted of. */
  readonly texts: readonly string[];
  readonly labelled: readonly CountedText[];
  readonly confidence: number | null;
}

const asRow = ({ beginning, length, labels, certainty }: CallAsRow): Counted => ({
  texts: [beginning],
  labelled: [{ length, labels: labels ?? OTHER_LABELS }],
  confidence: certainty,
});

function answered({ content, leastCertain }: CallContent['data']): Counted {
  const { output, ...texts } = textsIn(content);
  // Shadow calls have no confidence of their own.
  return { ...texts, confidence: leastCertain?.confidence ?? lowestConfidence(output) };
}

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
