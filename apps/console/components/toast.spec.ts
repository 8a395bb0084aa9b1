import { jest } from '@jest/globals';
import { dismiss, shownToasts, toast } from './toast.js';

describe('a toast', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('stands beside others, goes by itself, and is dismissed before', () => {
    toast('Saved the policy.');
    jest.advanceTimersByTime(4_000);
    toast('Revoked laptop.');
    expect(shownToasts().map(({ text }) => text)).toEqual(['Saved the policy.', 'Revoked laptop.']);
    jest.advanceTimersByTime(2_000);
    expect(shownToasts().map(({ text }) => text)).toEqual(['Revoked laptop.']);
    dismiss(shownToasts()[0]!.id);
    expect(shownToasts()).toEqual([]);
  });
});
