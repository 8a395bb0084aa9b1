import { allOperations } from '#apps/operator/index.js';
import type { Operations } from '#apps/operator/operation.js';
import { composeEmbedded } from '#apps/standalone/compose.js';
import type { Settings } from '#settings/index.js';

/** The operations on a folder that no system has open. Holds its lock until closed. */
export async function openOffline(settings: Settings): Promise<{ operations: Operations; close(): Promise<void> }> {
  const embedded = await composeEmbedded(settings);
  return { operations: allOperations(embedded), close: () => embedded.close() };
}
