import { v4 as uuid4, v7 as uuid7 } from 'uuid';
import { PROJECTION_ADVANCED, Visibility } from '#log/visibility.js';
import { NotFoundError } from '#domain/errors.js';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { eventually } from '#test/support/eventually.js';
import { patientWithYoung } from './patience.js';

const HOUR_MS = 3_600_000;

describe('a read of what may have been recorded just now', () => {
  let bus: InProcessBus;
  let visibility: Visibility;
  let heads: number;
  beforeEach(() => {
    bus = new InProcessBus();
    visibility = new Visibility(bus);
    heads = 0;
  });
  afterEach(() => visibility.close());

  /** The read model tells where it is. */
  async function reach(position: string, live = true): Promise<void> {
    const heard = new Promise<void>((resolve) => bus.listen(PROJECTION_ADVANCED, () => resolve()));
    bus.signal(PROJECTION_ADVANCED, { collection: 'calls', position, live, complete: true, stale: false });
    await heard;
  }
  const log = (position: string) => ({
    ports: { eventStore: { head: async () => ({ logId: 'log', position: ((heads += 1), position) }) } },
    visibility,
  });
  const read = (id: string, ask: () => Promise<string>, isWhole?: (value: string) => boolean) =>
    patientWithYoung(log('5'), { id, seenIn: 'calls', read: ask, ...(isWhole && { isWhole }) });

  it('is repeated until the read model has reached the end of the log', async () => {
    await reach('4');
    let asked = 0;
    let isThere = false;
    const ask = async () => {
      asked += 1;
      if (isThere) return 'call';
      throw new NotFoundError('inference', 'it');
    };
    const answer = read(uuid7(), ask);
    await eventually(() => asked > 1);
    isThere = true;
    await reach('5');
    expect(await answer).toBe('call');
  });

  it('is repeated beside a read model that no request waits for', async () => {
    await reach('4', false);
    let asked = 0;
    const ask = async () => {
      if ((asked += 1) > 3) return 'call';
      throw new NotFoundError('inference', 'it');
    };
    expect(await read(uuid7(), ask)).toBe('call');
  });

  it('is repeated until the content of the call is there as well', async () => {
    await reach('4');
    const stored = ['call'];
    const answer = read(
      uuid7(),
      async () => stored.join(),
      (value) => value === 'call,content',
    );
    stored.push('content');
    await reach('5');
    expect(await answer).toBe('call,content');
  });

  it('finds nothing as soon as the read model is at the end of the log', async () => {
    await reach('5');
    let asked = 0;
    const nothing = async () => {
      asked += 1;
      throw new NotFoundError('inference', 'it');
    };
    await expect(read(uuid7(), nothing)).rejects.toThrow(NotFoundError);
    expect(asked).toBe(2);
  });

  it.each([true, false])(
    'is 503 with Retry-After, never 404, where an acknowledged call is not in the read model yet: live %p',
    async (live) => {
      await reach('4', live);
      const wanted = { id: uuid7(), seenIn: 'calls', maxMs: 60 };
      const nothing = () => Promise.reject(new NotFoundError('inference', 'it'));
      await expect(patientWithYoung(log('5'), { ...wanted, read: nothing })).rejects.toMatchObject({
        ...{ code: 'unavailable', retryAfterSeconds: 2 },
      });
      const half = { ...wanted, read: async () => 'call', isWhole: () => false };
      expect(await patientWithYoung(log('5'), half)).toBe('call');
    },
  );

  it.each([
    ['is no UUIDv7', uuid4()],
    ['is two days old', uuid7({ msecs: Date.now() - 48 * HOUR_MS })],
    ['is of a time to come', uuid7({ msecs: Date.now() + 48 * HOUR_MS })],
    ['is no id', 'it'],
  ])('is not repeated for an id that %s', async (_, id) => {
    await reach('4');
    let asked = 0;
    const nothing = async () => {
      asked += 1;
      throw new NotFoundError('inference', id);
    };
    await expect(read(id, nothing)).rejects.toThrow(NotFoundError);
    expect({ asked, heads }).toEqual({ asked: 1, heads: 0 });
  });

  it('passes on what is no 404', async () => {
    const broken = async () => {
      throw new TypeError('broken');
    };
    await expect(read(uuid7(), broken)).rejects.toThrow('broken');
  });
});
