import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { INFERENCE_HEARTBEAT, type InferenceHeartbeat } from '#gpu-runner/contract/inference.js';
import { eventually } from '#test/support/eventually.js';
import { LiveRunners } from './live-runners.js';

describe('live runners', () => {
  let bus: InProcessBus;
  let now: number;
  let runners: LiveRunners;

  beforeEach(() => {
    bus = new InProcessBus();
    now = 0;
    runners = new LiveRunners(bus, () => now);
  });
  afterEach(async () => {
    await runners.close();
    await bus.close();
  });

  const hear = async (name: string, says: Partial<InferenceHeartbeat>) => {
    bus.signal(INFERENCE_HEARTBEAT, { name, leaving: false, ...says });
    await eventually(() => runners.inOrderFor('a').includes(name) !== (says.leaving ?? false));
  };

  it('report the best state of an adapter at any of them', async () => {
    expect(runners.adapterState('a')).toBeNull();
    await hear('one', { failed: ['a'] });
    expect([runners.adapterState('a'), runners.adapterState('b')]).toEqual(['failed', null]);
    await hear('two', { loading: ['a'] });
    expect(runners.adapterState('a')).toBe('loading');
    await hear('three', { loaded: ['a'] });
    expect(runners.adapterState('a')).toBe('loaded');
  });

  it('ignore the state of a runner that left or fell silent', async () => {
    await hear('one', { loaded: ['a'] });
    await hear('two', { loading: ['a'] });
    await hear('one', { leaving: true });
    expect(runners.adapterState('a')).toBe('loading');
    now = 5_000;
    expect(runners.adapterState('a')).toBeNull();
  });
});
