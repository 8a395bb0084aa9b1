import type { Json } from '#domain/json.js';
import { busContract } from '../contract.js';
import { BusClosedError, BusFullError } from '../port.js';
import { InProcessBus } from './in-process-bus.js';

const quiet = { onError: () => undefined };

busContract('in process', async () => new InProcessBus({ firstRetryMs: 1, maxRetryMs: 5, ...quiet }));

describe('in-process bus', () => {
  it('forgets an id after its time, so that the same id is delivered again much later', async () => {
    let now = 0;
    const bus = new InProcessBus({ rememberIdsMs: 120_000, clock: () => now });
    const taken: Json[] = [];
    bus.take('jobs', async (body) => void taken.push(body));
    await bus.offer('jobs', 'same', 1);
    now = 119_999;
    await bus.offer('jobs', 'same', 2);
    now = 120_000;
    await bus.offer('jobs', 'same', 3);
    await turn();
    expect(taken).toEqual([1, 3]);
    await bus.close();
  });

  it('refuses an offer beyond the queue limit, and accepts the same id once there is room', async () => {
    const bus = new InProcessBus({ maxWaiting: 1 });
    await bus.offer('jobs', '1', 1);
    await expect(bus.offer('jobs', '2', 2)).rejects.toThrow(BusFullError);
    const taken: Json[] = [];
    bus.take('jobs', async (body) => void taken.push(body));
    await turn();
    await bus.offer('jobs', '2', 2);
    await turn();
    expect(taken).toEqual([1, 2]);
    await bus.close();
  });

  it('reports an error thrown by a listener', async () => {
    const errors: unknown[] = [];
    const bus = new InProcessBus({ onError: (error, subject) => errors.push([subject, (error as Error).message]) });
    bus.listen('progress', () => {
      throw new Error('broken');
    });
    bus.signal('progress', 1);
    await turn();
    expect(errors).toEqual([['progress', 'broken']]);
    await bus.close();
  });

  it('refuses offers and calls once closed, and drops signals', async () => {
    const bus = new InProcessBus();
    await bus.close();
    await expect(bus.offer('jobs', '1', 1)).rejects.toThrow(BusClosedError);
    expect(() => bus.call('x', null, { deadlineMs: 1 })).toThrow(BusClosedError);
    bus.signal('progress', 1);
  });
});

const turn = () => new Promise((resolve) => setImmediate(resolve));
