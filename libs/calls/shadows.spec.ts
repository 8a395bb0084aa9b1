import { UnavailableError } from '#domain/errors.js';
import { reportedBackground } from '#primitives/background/reported.fixture.js';
import { Metrics } from '#primitives/metrics/metrics.js';
import type { Model } from './models.js';
import type { CallRequest } from './request.js';
import { MAX_SHADOWS, Shadows } from './shadows.js';

const call = { store: true } as CallRequest;

/** A model whose shadow is found when `released` is. */
const shadowed = (released: Promise<void>): Model => {
  const model = { entry: { task_type: 'encoder' } } as Model;
  return { ...model, shadow: () => released.then(() => model) };
};

describe('shadow calls', () => {
  it("beyond the process's limit are skipped, and counted", async () => {
    const metrics = new Metrics();
    const shadows = new Shadows(() => metrics.shadowLeftOut());
    const { promise, resolve } = Promise.withResolvers<void>();
    const repeated: string[] = [];
    const { onAnswered } = shadows.of(call, shadowed(promise), async ({ shadowOf }) => repeated.push(shadowOf!));
    const ids = Array.from({ length: MAX_SHADOWS + 2 }, (_, n) => `i${n}`);
    for (const id of ids) onAnswered!(id);
    expect(await metrics.registry.metrics()).toMatch(/anneal_shadow_calls_left_out_total 2\n/);
    resolve();
    await shadows.close();
    expect(repeated).toEqual(ids.slice(0, MAX_SHADOWS));
  });

  it('are left out when refused; any other failure is logged', async () => {
    const { lines, background } = reportedBackground();
    const shadows = new Shadows(undefined, background);
    const failures = [new UnavailableError('away'), new Error('no such table')];
    const repeat = () => Promise.reject(failures.shift()!);
    const { onAnswered } = shadows.of(call, shadowed(Promise.resolve()), repeat);
    for (const id of ['i1', 'i2']) onAnswered!(id);
    while (failures.length > 0) await new Promise(setImmediate);
    await shadows.close();
    expect(lines).toEqual(['call-shadow: no such table']);
  });

  it('are neither started nor counted once the process stops', async () => {
    let leftOut = 0;
    const shadows = new Shadows(() => (leftOut += 1));
    const repeat = () => Promise.reject(new Error('must not run'));
    const { onAnswered } = shadows.of(call, shadowed(Promise.resolve()), repeat);
    await shadows.close();
    for (let n = 0; n <= MAX_SHADOWS; n += 1) onAnswered!(`i${n}`);
    expect(leftOut).toBe(0);
  });
});
