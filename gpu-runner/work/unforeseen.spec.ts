import { nameOfUnforeseen } from './unforeseen.js';

describe('an error that nobody foresaw', () => {
  test.each([
    [new TypeError('cannot read /secret/place'), 'an unexpected TypeError in the runner'],
    ['thrown text', 'an unexpected error in the runner'],
    [Object.assign(new Error('ENOSPC: /secret/place'), { code: 'ENOSPC' }), "no room left on the runner's disk"],
  ])('is told by its kind alone (%s)', (error, told) => {
    expect(nameOfUnforeseen(error)).toBe(told);
  });
});
