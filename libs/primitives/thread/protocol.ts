/** Messages between a thread and its starter. Lists are flat, because cloning many small objects costs more. */

export interface ThreadStart {
  readonly services: readonly ServiceToStart[];
}

export interface ServiceToStart {
  /** The name that calls address it by. */
  readonly name: string;
  /** URL of the compiled module that exports `createService`: `import.meta.resolve('./writer.js')`. */
  readonly module: string;
  readonly options?: unknown;
}

/** Calls of one event-loop turn: `[id, service index, method, args]`, one after another. */
export type CallsMessage = { readonly kind: 'calls'; readonly calls: readonly unknown[] } | { readonly kind: 'close' };

export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: ClonedError }
  /** `[id, ok, value or ClonedError]`, one after another: one group of one service. `ms` is how long it took. */
  | { readonly kind: 'answers'; readonly service: number; readonly answers: readonly unknown[]; readonly ms: number }
  | { readonly kind: 'emitted'; readonly service: number; readonly topic: string; readonly message: unknown };

/** An error as it travels: its class is lost, its name, code and own fields are not. */
export interface ClonedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly code: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export function cloneError(error: unknown): ClonedError {
  if (!(error instanceof Error)) {
    return { name: 'Error', message: String(error), stack: '', code: null, details: {} };
  }
  const { name, message, stack = '' } = error;
  const { code } = error as { code?: unknown };
  return { name, message, stack, code: typeof code === 'string' ? code : null, details: cloneable({ ...error }) };
}

/** Keeps only the fields that can be cloned: an error that cannot be sent would hide the real one. */
function cloneable(fields: Record<string, unknown>): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
