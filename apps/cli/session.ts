import type { Json, JsonObject } from '#domain/json.js';
import { askRunning, NoSystemError } from '#apps/operator/socket.js';
import { readSettings } from '#settings/index.js';
import { openOffline } from './offline.js';

/**
 * Asks the running system, or, when none runs, opens its folder for as long as the answer takes.
 * Ends when the user interrupts.
 */
export async function* ask(operation: string, args: JsonObject): AsyncIterable<Json> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const settings = readSettings(process.env);
  try {
    yield* askRunning(settings.dataDir, operation, args, interrupted.signal);
    return;
  } catch (error) {
    if (interrupted.signal.aborted) return;
    if (!(error instanceof NoSystemError)) throw error;
  }
  const system = await openOffline(settings);
  try {
    yield* system.operations[operation]!(args, interrupted.signal);
  } finally {
    await system.close();
  }
}
