import { setTimeout as sleep } from 'node:timers/promises';
import type { Application } from '../application.js';
import { CHECKED_FOR_MS } from './brief-cache.js';

/** Two machines' clocks run at slightly different speeds, and a timer may be a little early. */
const MARGIN_MS = 50;

/**
 * Await it between the acknowledgement of a revocation and its answer. Resolves once every replica refuses requests
 * that start from then on: immediately with one process, which forgets its checks.
 */
export async function refusedEverywhere({ deployment }: Application): Promise<void> {
  if (deployment.severalReplicas) await sleep(CHECKED_FOR_MS + MARGIN_MS);
}

/** Await it after a change of an account. Resolves once every request that starts from then on sees the change. */
export async function inForceEverywhere(application: Application): Promise<void> {
  application.forget();
  await refusedEverywhere(application);
}
