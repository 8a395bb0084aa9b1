import { setTimeout as sleep } from 'node:timers/promises';

const READY_WITHIN_MS = 120_000;
const ASK_EVERY_MS = 20;

interface Health {
  readonly details?: { readonly projections?: Readonly<Record<string, unknown>> };
}

/**
 * Resolves once the API at this address is ready, and a worker leads its read models, all of which are live. (Without a leader an
 * API is ready too, with lists that may be 503 a moment later.)
 */
export async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const response = await fetch(`${url}/health`);
    const health = (await response.json()) as Health;
    if (response.status === 200 && areLive(health)) break;
    if (performance.now() > deadline) throw new Error(`${url} is not ready: ${JSON.stringify(health)}`);
    await sleep(ASK_EVERY_MS);
  }
  // An API hears of them by signals, which a leader repeats every second.
  await sleep(SIGNAL_MS);
}

const SIGNAL_MS = 1_500;

function areLive({ details }: Health): boolean {
  const states = Object.values(details?.projections ?? {}).flatMap((one) =>
    typeof one === 'object' && one !== null && 'state' in one ? [one.state] : [],
  );
  return states.length > 0 && states.every((state) => state === 'live');
}
