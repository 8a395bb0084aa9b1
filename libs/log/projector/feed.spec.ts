import { jest } from '@jest/globals';
import type { EventReader, RecordedEvent, SubscribeOptions } from '#ports/event-store/port.js';
import { LiveFeed } from './feed.js';

const NOW = 1_000;

describe('the live feed', () => {
  beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(NOW));
  afterEach(() => jest.restoreAllMocks());

  /** How long events of a type may wait after batches of so many, in milliseconds. @param apartMs between batches */
  async function waitsAfter(counts: readonly number[], apartMs = 0): Promise<(type: string) => number> {
    const over = new AbortController();
    const asked = Promise.withResolvers<SubscribeOptions>();
    const eventStore = {
      async *readAll() {},
      async *subscribe(options: SubscribeOptions) {
        for (const [batch, count] of counts.entries()) {
          jest.spyOn(performance, 'now').mockReturnValue(NOW + batch * apartMs);
          const events = Array.from({ length: count }, (_, index) => ({ position: String(index) }) as RecordedEvent);
          yield { kind: 'events' as const, events };
        }
        asked.resolve(options);
      },
    };
    const running = new LiveFeed(eventStore as unknown as EventReader).run(over.signal);
    const { notBefore } = await asked.promise;
    over.abort();
    await running;
    return (type) => Math.max(0, notBefore!(type) - performance.now());
  }

  it('gives the next call at once after a few events', async () => {
    const wait = await waitsAfter([4]);
    expect([wait('call-metered.v1'), wait('project-created.v1')]).toEqual([0, 0]);
  });

  it('lets calls wait for others after many events, and nothing else', async () => {
    const wait = await waitsAfter([21]);
    expect(wait('call-opened.v1')).toBe(250);
    expect([wait('project-created.v1'), wait('call-content-erased.v1')]).toEqual([0, 0]);
  });

  it('counts the events of several batches, as many calls a second come in small ones', async () => {
    expect((await waitsAfter([8, 8, 8], 20))('call-metered.v1')).toBe(250);
    expect((await waitsAfter([8, 8, 8], 130))('call-metered.v1')).toBe(0);
  });
});
