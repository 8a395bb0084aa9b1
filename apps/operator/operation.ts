import type { Json, JsonObject } from '#domain/json.js';
import { isPrintable } from '#domain/printable.js';

/**
 * An operation on a running system: a stream of frames, each plain JSON. Long work adds `{progress: {done, total,
 * unit}}` frames.
 */
export type Operation = (args: JsonObject, signal: AbortSignal) => AsyncIterable<Json>;

/** Operations by name: `key.list`, `events.read`. */
export type Operations = Readonly<Record<string, Operation>>;

/** The operator requested something impossible. One line, shown unchanged. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
}

const MAX_REASON = 500;

/** An operator's reason for something that the log records. @throws OperationError */
export function reasonOf(given: unknown): string {
  const reason = typeof given === 'string' ? given.trim() : '';
  if (reason === '' || reason.length > MAX_REASON || !isPrintable(reason))
    throw new OperationError(`--reason must be a printable text of 1 to ${MAX_REASON} characters: the log keeps it`);
  return reason;
}

export interface OperationProgress extends JsonObject {
  readonly progress: { readonly done: number; readonly total: number; readonly unit: string };
}

export const isProgress = (frame: Json): frame is OperationProgress =>
  typeof frame === 'object' && frame !== null && 'progress' in frame;
