import { timeOf } from './time.js';

describe('a time that an option gives', () => {
  it.each([
    ['2030-01-02', '2030-01-02T00:00:00.000Z'],
    ['2030-01-02T03:04', '2030-01-02T03:04:00.000Z'],
    ['2030-01-02T03:04:05.678Z', '2030-01-02T03:04:05.678Z'],
    ['2030-01-02T03:04:05+02:00', '2030-01-02T01:04:05.000Z'],
  ])('is %s, in UTC unless it says otherwise', (text, time) => {
    expect(timeOf('--before', text)).toBe(time);
  });

  it('gives null for an option that is absent', () => {
    expect(timeOf('--before', undefined)).toBeNull();
  });

  it.each(['', '5', 'yesterday', '2030-13-01', '2030-01-02 03:04', 5, true])(
    'is refused as %j, naming the option',
    (text) => {
      expect(() => timeOf('--before', text)).toThrow('--before must be an ISO 8601 time such as 2030-01-02T03:04:05Z');
    },
  );
});
