import { setTimeout as sleep } from 'node:timers/promises';
import type { Application } from '../application.js';

/** How long a replica acts on a key or session that it has checked: from when it sent the check, on its monotonic clock. */
export const CHECKED_FOR_MS = 1_000;
/** Two machines' clocks do not run quite alike, and a timer may be a little early. */
const MARGIN_MS = 50;

/**
 * To be awaited between the acknowledgement of a revocation and its answer. Resolves when no replica lets in by it any
 * request that begins from then on: at once where there is one process, which forgets what it had checked.
 */
export async function refusedEverywhere({ deployment }: Application): Promise<void> {
  if (deployment.severalReplicas) await sleep(CHECKED_FOR_MS + MARGIN_MS);
}

/** To be awaited after a change of an account. Resolves when every request that begins from then on acts on it. */
export async function inForceEverywhere(application: Application): Promise<void> {
  application.forget();
  await refusedEverywhere(application);
}
