import { betterOf, isSure, judgedRowsOf, pValue } from './comparison.js';

describe('a comparison of two trainings', () => {
  it('marks the better figure, whichever column has it', () => {
    expect(betterOf(0.9, 0.8)).toBe('one');
    expect(betterOf(0.8, 0.9)).toBe('other');
    expect([betterOf(0.8, 0.8), betterOf(null, 0.8), betterOf(0.8, undefined)]).toEqual([null, null, null]);
  });

  it('counts a difference as sure only if its interval does not hold 0', () => {
    expect([isSure({ low: 0.01, high: 0.2 }), isSure({ low: -0.2, high: -0.1 })]).toEqual([true, true]);
    expect([isSure({ low: -0.01, high: 0.2 }), isSure({ low: null, high: null })]).toEqual([false, false]);
  });

  it('has no p-value of 0', () => {
    expect([0, 0.000_4, 0.001, 0.123_456, 1].map(pValue)).toEqual(['< 0.001', '< 0.001', '0.001', '0.123', '1']);
  });

  it('names the datasets that are held out whole, not those that were learned from', () => {
    const learned = [
      { name: 'tickets', version: '1' },
      { name: 'more', version: '3' },
    ];
    expect(judgedRowsOf(learned)).toBe('held out of tickets 1, more 3');
    expect(judgedRowsOf([...learned, { name: 'checked', version: '2', held_out: true }])).toBe('of checked 2');
  });
});
