import type { EventsOf, EventTypes } from '../decider.js';
import type { PinnedObject } from '../dataset/index.js';

/** Routes whose requests a batch may contain. */
export const BATCH_ENDPOINTS = ['/v1/chat/completions', '/v1/responses', '/v1/completions', '/v1/embeddings'] as const;
export type BatchEndpoint = (typeof BATCH_ENDPOINTS)[number];

// Type aliases rather than interfaces: only those are assignable to JSON.

type BatchRequester = {
  readonly kind: 'key' | 'session';
  readonly userId: string;
  readonly teamId: string;
  readonly keyId: string | null;
};

export type BatchRequest = {
  readonly batchId: string;
  readonly workspaceId: string;
  /** The calls are made on behalf of this caller. */
  readonly requestedBy: BatchRequester;
  readonly endpoint: BatchEndpoint;
  /** The dataset version that holds the requests, and its file as it was uploaded. */
  readonly input: { readonly versionId: string; readonly source: PinnedObject };
  /** Lines of the file. */
  readonly requests: number;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** What its calls may cost, in picodollars; absent: as much as their caller may spend. */
  readonly budget?: string;
  /** When unanswered requests expire. */
  readonly expiresAt: string;
};

export type BatchOutcome = 'completed' | 'failed' | 'cancelled' | 'expired';

export type BatchEnd = {
  readonly outcome: BatchOutcome;
  /** Why it failed; null for every other outcome. */
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly completed: number;
  readonly failed: number;
  /** Dataset versions with the answers, and with the errors; null if there are none. */
  readonly outputVersionId: string | null;
  readonly errorVersionId: string | null;
};

export type BatchEvent = EventsOf<{
  'batch-requested.v1': BatchRequest & { requestedAt: string };
  'batch-cancel-requested.v1': { batchId: string; requestedAt: string };
  'batch-ended.v1': BatchEnd & { batchId: string; endedAt: string };
}>;

export const BATCH_EVENT_TYPES: EventTypes<BatchEvent> = {
  'batch-requested.v1': true,
  'batch-cancel-requested.v1': true,
  'batch-ended.v1': true,
};
