import { setTimeout as sleep } from 'node:timers/promises';
import { startThread } from '#primitives/thread/thread.js';
import type { LogCheckMessage } from '../port.js';
import type { CheckedPage } from './checked-page.js';

/** Checks the log of a data folder in its own thread, up to the log's end when the check arrives there. */
export async function* checkLog(
  directory: string,
  { signal, pauseShare = 0 }: { readonly signal: AbortSignal; readonly pauseShare?: number },
): AsyncGenerator<LogCheckMessage> {
  const module = import.meta.resolve('./check-service.js');
  const thread = await startThread([{ name: 'check', module, options: { directory } }], { name: 'check' });
  try {
    let [next, events, unchecked] = [0, 0, 0];
    for (let last = false; !last && !signal.aborted;) {
      const start = performance.now();
      const page = await thread.call<CheckedPage>('check', 'page', [next]);
      for (const damage of page.damage) yield { kind: 'damage', ...damage };
      ({ next, last } = page);
      events += page.events;
      unchecked += page.unchecked;
      yield { kind: 'progress', done: Math.min(next, page.head), total: page.head };
      if (pauseShare > 0)
        await sleep((performance.now() - start) * pauseShare, undefined, { signal }).catch(() => undefined);
    }
    if (!signal.aborted) yield { kind: 'checked', events, unchecked };
  } finally {
    await thread.close();
  }
}
