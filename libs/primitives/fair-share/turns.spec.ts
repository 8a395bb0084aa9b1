import { inTurns, nextTurn } from './turns.js';

const of = (...ids: string[]) => ids.map((id) => ({ id, workspaceId: id[0]! }));
const order = (items: Iterable<{ id: string }>) => Array.from(items, ({ id }) => id);

describe('turns of workspaces', () => {
  it('alternate, each with its own items in their order', () => {
    expect(order(inTurns(of('a1', 'a2', 'a3', 'b1', 'c1', 'b2')))).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('go to the workspace with the least running', () => {
    const shares = { running: (id: string) => (id === 'a' ? 2 : 0), servedAt: () => 0 };
    expect(order(inTurns(of('a1', 'a2', 'b1', 'b2', 'b3'), shares))).toEqual(['b1', 'b2', 'a1', 'b3', 'a2']);
  });

  it('go to the least recently served workspace if both have equally much running', () => {
    const shares = { running: () => 1, servedAt: (id: string) => ({ a: 7, b: 5 })[id] ?? 0 };
    expect(nextTurn(['a', 'b'], shares)).toBe('b');
    expect(nextTurn(['a', 'b', 'c'], shares)).toBe('c');
    expect(nextTurn([], shares)).toBeNull();
  });
});
