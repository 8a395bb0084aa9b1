import type { BatchBudget } from '#application/caller.js';
import type { BatchEndpoint } from '#domain/batch/index.js';
import type { Json, JsonObject } from '#domain/json.js';

/** The subject on which API processes answer the requests of batches. */
export const BATCH_LINE = 'batches.line';

/** A request of a batch, to be answered as if its caller had sent it. */
export type BatchLine = {
  /** The path of a POST. */
  readonly endpoint: BatchEndpoint;
  readonly body: JsonObject;
  /** The id under which the call is recorded. */
  readonly requestId: string;
  readonly caller: {
    readonly kind: 'key' | 'session';
    readonly userId: string;
    readonly teamId: string;
    readonly workspaceId: string;
    readonly keyId: string | null;
  };
  /** The budget of its batch, if it has one. */
  readonly budget?: BatchBudget;
  /** Time of the caller's request that this one is part of, ISO 8601. */
  readonly askedAt: string;
};

export type BatchLineAnswer = {
  readonly status: number;
  readonly body: Json;
  /** Seconds after which a retry is worthwhile; null if none is. */
  readonly retryAfterSeconds: number | null;
};

/** Lines of a batch in progress, by outcome. Informational: the end of a batch counts its lines itself. */
export type BatchProgress = { readonly completed: number; readonly failed: number };

/** The coordination key of a batch's progress. */
export const batchProgressKey = (batchId: string): string => `batch-progress/${batchId}`;
