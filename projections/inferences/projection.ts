import type { CallContent, CallMetered } from '#domain/inference/index.js';
import type { FeedbackGiven } from '#domain/feedback/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { Projection } from '#projection/projection.js';

/** One recorded call. Calls with `store: false` have none. */
export interface InferenceDocument extends JsonObject {
  readonly id: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly modelId: string;
  readonly baseModel: string;
  readonly trainingJobId: string | null;
  readonly projectId: string | null;
  readonly task: string;
  readonly source: string;
  readonly format: string;
  readonly status: string;
  readonly errorType: string | null;
  readonly latencyMs: number;
  readonly ttftMs: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costPicodollars: string;
  readonly createdAt: string;
  /** null until the `call-content` event, which may come first or second. */
  readonly content: CallContent['data']['content'] | null;
  readonly feedback: Feedback | null;
  /** Dense numbers from 1: in the workspace, and there for the model, the job, the project. */
  readonly n?: number;
  readonly nModel?: number;
  readonly nJob?: number;
  readonly nProject?: number;
}

interface Feedback extends JsonObject {
  readonly verdict: 'correct' | 'incorrect';
  readonly correctedOutput: Json;
  readonly notes: string | null;
  readonly at: string;
}

/** Content whose call has not been seen yet: of no workspace, so that nobody finds it, and not numbered. */
const unmetered = (id: string) => ({ id, workspaceId: null, feedback: null }) as unknown as InferenceDocument;

type HandledEvent = CallMetered | CallContent | FeedbackGiven;

export const inferences: Projection<InferenceDocument> = {
  name: 'inferences',
  version: 2,
  handles: ['call-metered.v1', 'call-content.v1', 'feedback-given.v1'],
  indexes: [
    // Those after the number are what lists are filtered by, in whatever combination.
    {
      fields: ['workspaceId', 'n', 'createdAt', 'latencyMs', 'task', 'modelId', 'projectId', 'trainingJobId'],
      scanned: true,
    },
    { fields: ['workspaceId', 'modelId', 'nModel'] },
    { fields: ['workspaceId', 'trainingJobId', 'nJob'] },
    { fields: ['workspaceId', 'projectId', 'nProject'] },
  ],
  ordinals: [
    { field: 'n', within: ['workspaceId'] },
    { field: 'nModel', within: ['workspaceId', 'modelId'] },
    { field: 'nJob', within: ['workspaceId', 'trainingJobId'] },
    { field: 'nProject', within: ['workspaceId', 'projectId'] },
  ],
  key(recorded) {
    const event = recorded as unknown as HandledEvent;
    if (event.type === 'call-metered.v1' && !event.data.stored) return null;
    return event.data.inferenceId;
  },
  apply(document, recorded) {
    const event = recorded as unknown as HandledEvent;
    switch (event.type) {
      case 'call-metered.v1':
        return {
          ...document,
          ...metered(event.data),
          content: document?.content ?? null,
          feedback: document?.feedback ?? null,
        };
      case 'call-content.v1':
        return { ...(document ?? unmetered(event.data.inferenceId)), content: event.data.content };
      case 'feedback-given.v1': {
        const { verdict, correctedOutput, notes, at } = event.data;
        return document && { ...document, feedback: { verdict, correctedOutput, notes, at } };
      }
    }
  },
};

function metered(call: CallMetered['data']) {
  const { inferenceId, at, teamId: _team, keyId: _key, price: _price, chargedTo: _charged, ...rest } = call;
  const { stored: _stored, contentHmac: _hmac, ...shown } = rest;
  return { id: inferenceId, createdAt: at, ...shown };
}
