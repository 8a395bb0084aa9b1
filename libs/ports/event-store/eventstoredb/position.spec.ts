import { fromPosition, toPosition } from './position.js';

const at = (commit: bigint, prepare = commit) => toPosition({ commit, prepare });

it('positions sort as the log does', () => {
  const inOrder = [at(0n), at(9n), at(10n), at(300n, 120n), at(300n, 150n), at(300n), at(2n ** 60n)];
  expect(inOrder.toSorted()).toEqual(inOrder);
});

it('a position that a subscription reports while it catches up precedes the record that starts there', () => {
  const told = at(300n, 0n);
  expect(told > at(299n)).toBe(true);
  expect(told < at(300n)).toBe(true);
});

it.each([
  [0n, 0n],
  [300n, 300n],
  [300n, 0n],
  [300n, 120n],
])("a position converts to the server's form and back: %s, %s", (commit, prepare) => {
  expect(fromPosition(toPosition({ commit, prepare }))).toEqual({ commit, prepare });
});

it('a malformed position is refused', () => {
  expect(() => fromPosition('12')).toThrow(RangeError);
  expect(() => toPosition({ commit: 2n ** 64n - 1n, prepare: 0n })).toThrow('no positions of events');
});
