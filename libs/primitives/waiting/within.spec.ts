import { within } from './within.js';

describe('within a deadline', () => {
  const late = () => new RangeError('late');

  it('work ends with its result or its own error', async () => {
    await expect(within(1_000, Promise.resolve(1), late)).resolves.toBe(1);
    await expect(within(1_000, Promise.reject(new TypeError('its own')), late)).rejects.toThrow(TypeError);
  });

  it('work that takes longer is late, and its own error is ignored', async () => {
    const work = Promise.withResolvers<never>();
    await expect(within(1, work.promise, late)).rejects.toThrow(RangeError);
    work.reject(new TypeError('too late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
