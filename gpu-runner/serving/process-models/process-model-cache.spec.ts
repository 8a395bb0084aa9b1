import { EngineUnavailableError, OutOfMemoryError } from '#gpu-runner/engines/process-model.js';
import { ProcessModelCache } from './process-model-cache.js';

function engineOf(byteSize: number, ready = async () => undefined as void) {
  const loads: string[] = [];
  const closes: string[] = [];
  const load = async (base: string, adapter: string | null) => {
    const name = adapter ?? base;
    loads.push(name);
    return { byteSize, ready: () => ready(), close: async () => void closes.push(name) };
  };
  return { loads, closes, load };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('models in the memory of their engines', () => {
  it('are loaded once each, also by parallel calls', async () => {
    const engine = engineOf(10);
    const models = new ProcessModelCache(100, async () => undefined);
    await Promise.all(['a', null, 'a', null].map((adapter) => models.lease(engine, 'base', adapter)));
    expect(engine.loads.toSorted()).toEqual(['a', 'base']);
  });

  it('leave beyond the budget, least recently used first, once no call runs on them', async () => {
    const engine = engineOf(10);
    const models = new ProcessModelCache(20, async () => undefined);
    const first = await models.lease(engine, 'base', 'a');
    for (const adapter of ['b', 'c']) (await models.lease(engine, 'base', adapter)).release();
    await settled();
    expect(engine.closes).toEqual(['b']);
    first.release();
    (await models.lease(engine, 'base', 'd')).release();
    await settled();
    expect(engine.closes).toEqual(['b', 'a']);
  });

  it('are closed when dropped, after their running calls', async () => {
    const engine = engineOf(10);
    const models = new ProcessModelCache(100, async () => undefined);
    const lease = await models.lease(engine, 'base', 'a');
    models.forget('a');
    models.forget('never loaded');
    await settled();
    expect(engine.closes).toEqual([]);
    lease.release();
    await settled();
    expect(engine.closes).toEqual(['a']);
    await models.lease(engine, 'base', 'a');
    expect(engine.loads).toEqual(['a', 'a']);
  });

  it('make room for one that does not fit on the device, bases included, if no call runs on them', async () => {
    const engine = engineOf(10);
    const load = async (base: string, adapter: string | null) => {
      if (engine.loads.length - engine.closes.length === 2) throw new OutOfMemoryError('no memory left');
      return engine.load(base, adapter);
    };
    const models = new ProcessModelCache(100, async () => undefined);
    (await models.lease({ load }, 'idle', null)).release();
    await models.lease({ load }, 'busy', null);
    await models.lease({ load }, 'third', null);
    expect([engine.loads, engine.closes]).toEqual([['idle', 'busy', 'third'], ['idle']]);
    await expect(models.lease({ load }, 'fourth', null)).rejects.toThrow(OutOfMemoryError);
  });

  it('are leased once they are in memory again after their process was lost', async () => {
    let restarted = Promise.withResolvers<void>();
    const engine = engineOf(10, () => restarted.promise);
    const models = new ProcessModelCache(100, async () => undefined);
    const events: string[] = [];
    const leasing = models.lease(engine, 'base', 'a').then(() => void events.push('leased'));
    await settled();
    events.push('restarted');
    restarted.resolve();
    await leasing;
    expect(events).toEqual(['restarted', 'leased']);
    restarted = Promise.withResolvers();
    restarted.reject(new EngineUnavailableError('it does not start'));
    await expect(models.lease(engine, 'base', 'a')).rejects.toThrow('it does not start');
  });

  it('that could not be loaded are loaded again by the next call', async () => {
    const engine = engineOf(10);
    const models = new ProcessModelCache(100, async () => {
      if (engine.loads.length === 0) {
        engine.loads.push('damaged');
        throw new Error('damaged');
      }
    });
    await expect(models.lease(engine, 'base', 'a')).rejects.toThrow('damaged');
    await models.lease(engine, 'base', 'a');
    expect(engine.loads).toEqual(['damaged', 'a']);
  });
});
