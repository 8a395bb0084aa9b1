import { ConflictError, InvalidError, NotFoundError, UnavailableError } from '#domain/errors.js';
import { allChecks } from './all-checks.js';

const conflict = new ConflictError('not ready');
const missing = new NotFoundError('dataset', 'x');
const invalid = new InvalidError({ path: ['body', 'x'], message: 'is wrong', type: 'not_allowed' });
const outage = new UnavailableError('not now');

describe('independent checks', () => {
  it('return all results in order', async () => {
    expect(await allChecks(Promise.resolve(1), Promise.resolve('two'))).toEqual([1, 'two']);
  });

  it.each([
    ['404 before 409', [conflict, missing], missing],
    ['422 before 404', [missing, invalid, conflict], invalid],
    ['the first of one kind', [new ConflictError('first'), conflict], new ConflictError('first')],
    ['an outage before all, for then nothing is known', [invalid, outage], outage],
  ])('report %s', async (_, errors, told) => {
    await expect(allChecks(...errors.map((error) => Promise.reject(error)))).rejects.toEqual(told);
  });
});
