import { ObjectStoreUnavailableError } from '#ports/object-store/port.js';
import { causeOfUnforeseen, nameOfUnforeseen } from './unforeseen.js';

describe('an unexpected error', () => {
  it.each([
    [new TypeError('cannot read /secret/place'), 'an unexpected TypeError in the runner'],
    ['thrown text', 'an unexpected error in the runner'],
    [Object.assign(new Error('ENOSPC: /secret/place'), { code: 'ENOSPC' }), "no room left on the runner's disk"],
  ])('is reported by its kind only (%s)', (error, told) => {
    expect(nameOfUnforeseen(error)).toBe(told);
  });

  it('counts against the job unless it comes from a disk or store', () => {
    const full = Object.assign(new Error('EDQUOT'), { code: 'EDQUOT' });
    expect(causeOfUnforeseen(new TypeError('x'))).toBe('child');
    expect(causeOfUnforeseen(full)).toBe('storage');
    expect(causeOfUnforeseen(new Error('wrapped', { cause: full }))).toBe('storage');
    expect(causeOfUnforeseen(new ObjectStoreUnavailableError('away'))).toBe('storage');
  });
});
