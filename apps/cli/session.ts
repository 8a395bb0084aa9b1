import { userInfo } from 'node:os';
import type { Json, JsonObject } from '#domain/json.js';
import { askRunning, NoSystemError } from '#apps/operator/socket.js';
import { readSettings } from '#settings/index.js';
import { isShared, openBeside, openOffline, openReader, type Opened } from './open.js';

/**
 * Asks the running system. When none runs on the data folder, opens the folder until the answer is complete. Where processes
 * share a bus, joins them instead. Ends when the user interrupts.
 */
export async function* ask(operation: string, given: JsonObject): AsyncIterable<Json> {
  const args = { ...given, operator: userInfo().username };
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const settings = readSettings(process.env);
  if (isShared(settings)) {
    yield* within(await openBeside(settings), operation, args, interrupted.signal);
    return;
  }
  try {
    yield* askRunning(settings.dataDir, operation, args, interrupted.signal);
    return;
  } catch (error) {
    if (interrupted.signal.aborted) return;
    if (!(error instanceof NoSystemError)) throw error;
  }
  const reader = operation.startsWith('events.') ? openReader(settings) : null;
  yield* within(reader ?? (await openOffline(settings)), operation, args, interrupted.signal);
}

async function* within(system: Opened, operation: string, args: JsonObject, signal: AbortSignal): AsyncIterable<Json> {
  try {
    yield* system.operations[operation]!(args, signal);
  } finally {
    await system.close();
  }
}
