import type { LoadedModel } from '#gpu-runner/engines/engine.js';
import { LoadedModels } from './loaded-models.js';

function engineOf(byteSize: number) {
  const loads: string[] = [];
  const load = (base: string, adapter: string | null) => {
    loads.push(adapter ?? base);
    return { byteSize } as LoadedModel;
  };
  return { loads, load };
}

describe('models in memory', () => {
  it('are loaded once each', () => {
    const engine = engineOf(10);
    const models = new LoadedModels(100, () => undefined);
    for (const adapter of ['a', null, 'a', null]) models.get(engine, 'base', adapter);
    expect(engine.loads).toEqual(['a', 'base']);
  });

  it('leave beyond the budget, least recently used first', () => {
    const engine = engineOf(10);
    const models = new LoadedModels(20, () => undefined);
    for (const adapter of ['a', 'b', 'a', 'c', 'a', 'b']) models.get(engine, 'base', adapter);
    expect(engine.loads).toEqual(['a', 'b', 'c', 'b']);
  });

  it('are served even if one exceeds the whole budget', () => {
    const engine = engineOf(50);
    const models = new LoadedModels(20, () => undefined);
    for (const adapter of ['a', 'a', 'b', 'a']) models.get(engine, 'base', adapter);
    expect(engine.loads).toEqual(['a', 'b', 'a']);
  });

  it('free their memory when they are dropped', () => {
    const engine = engineOf(10);
    const models = new LoadedModels(20, () => undefined);
    models.get(engine, 'base', 'a');
    models.forget('a');
    models.forget('never loaded');
    for (const adapter of ['b', 'c', 'b', 'c', 'a']) models.get(engine, 'base', adapter);
    expect(engine.loads).toEqual(['a', 'b', 'c', 'a']);
  });
});
