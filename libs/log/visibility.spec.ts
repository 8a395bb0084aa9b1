import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { PROJECTION_ADVANCED, Visibility } from './visibility.js';

describe('a command that waits until a read model shows its events', () => {
  let bus: InProcessBus;
  let visibility: Visibility;
  let now: number;
  const opened = (maxWaitMs?: number) => {
    now = 0;
    bus = new InProcessBus();
    visibility = new Visibility(bus, maxWaitMs, () => now);
  };
  afterEach(() => visibility.close());

  /** The leader reports the read model. */
  async function report(
    position: string,
    states: Readonly<Record<string, boolean>> = {},
    collection = 'calls',
  ): Promise<void> {
    const heard = new Promise<void>((resolve) => bus.listen(PROJECTION_ADVANCED, () => resolve()));
    const healthy = { live: true, complete: true, stale: false };
    bus.signal(PROJECTION_ADVANCED, { collection, position, ...healthy, ...states });
    await heard;
  }

  it('ends its wait once the read model has reached the position', async () => {
    opened(600_000);
    await report('4');
    const seen = visibility.wait(['calls'], '5');
    await report('5');
    expect(await seen).toBe(true);
  });

  it('ends its wait unseen after half a second', async () => {
    opened();
    await report('4');
    expect(await visibility.wait(['calls'], '5')).toBe(false);
  });

  it.each([
    ['has stopped', { live: false, stale: true }],
    ['is rebuilt', { live: false, complete: false }],
  ])('ends its wait unseen once the read model %s', async (_, states) => {
    opened(600_000);
    await report('4');
    const seen = visibility.wait(['calls'], '5');
    await report('4', states);
    expect(await seen).toBe(false);
    expect(await visibility.wait(['calls'], '5')).toBe(false);
  });

  it('does not wait for a read model that is late', async () => {
    opened();
    await report('4', { live: false });
    const seen = visibility.wait(['calls'], '5');
    await report('5');
    expect(await seen).toBe(false);
  });

  it('waits for a read model that is late where the bound is longer', async () => {
    opened(600_000);
    await report('4', { live: false });
    const seen = visibility.wait(['calls'], '5');
    await report('5');
    expect(await seen).toBe(true);
  });

  it('does not wait for a read model of which nobody tells while others are told of', async () => {
    opened(600_000);
    now = 60_000;
    await report('4');
    expect(visibility.isIncomplete('never')).toBe(false);
    now += 5_001;
    expect(visibility.isStale('calls')).toBe(false);
    await report('9', {}, 'jobs');
    expect([visibility.isStale('calls'), visibility.isIncomplete('calls')]).toEqual([true, false]);
    expect([visibility.isWhole('calls'), visibility.isWhole('never')]).toEqual([true, false]);
    expect(await visibility.wait(['calls'], '5')).toBe(false);
    expect([visibility.isStale('never'), visibility.isIncomplete('never')]).toEqual([true, true]);
    await report('5');
    expect(visibility.isStale('calls')).toBe(false);
    expect(await visibility.wait(['calls'], '5')).toBe(true);
  });
});
