import { setTimeout as sleep } from 'node:timers/promises';

const READY_WITHIN_MS = 120_000;
const ASK_EVERY_MS = 20;

/**
 * Resolves once the API at this address says that it is ready: a worker leads its read models, and they are whole. Until then
 * lists are 503.
 */
export async function untilReady(url: string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const { status } = await fetch(`${url}/health/ready`);
    if (status === 200) return;
    if (performance.now() > deadline) throw new Error(`${url} is not ready: ${await health(url)}`);
    await sleep(ASK_EVERY_MS);
  }
}

const health = async (url: string): Promise<string> => (await fetch(`${url}/health`)).text();
