import type { System } from '#apps/composition/compose.js';
import { severalReplicas } from '#apps/composition/locations.js';

/** A tenth of a core. */
const PAUSE_SHARE = 9;

/**
 * Reads the whole log once, slowly, so that damage is told by `/health` before anybody needs what is there. Servers look after
 * their own files.
 */
export function startScan({ application, locations }: System): { close(): Promise<void> } {
  if (severalReplicas(locations)) return { close: async () => undefined };
  const ending = new AbortController();
  const scanning = (async () => {
    const { signal } = ending;
    // Damage is told to the log's health as it is met.
    for await (const _ of application.ports.eventStore.check({ signal, pauseShare: PAUSE_SHARE }));
  })().catch((error: unknown) => console.error('the event log could not be checked:', error));
  return {
    close: () => {
      ending.abort();
      return scanning;
    },
  };
}
