import { place } from './layout.js';

const nodes = (...ids: readonly string[]) => ids.map((id) => ({ id }));
const placesOf = (ids: readonly string[], edges: readonly (readonly [string, string])[]) =>
  Object.fromEntries(
    place(
      nodes(...ids),
      edges.map(([from, to]) => ({ from, to })),
    ).map(({ node, column, row }) => [node.id, [column, row]]),
  );

describe('the layout of a lineage', () => {
  it('places a result to the right of its last cause', () => {
    const edges = [['dataset', 'job'], ['base', 'job'], ['job', 'call'], ['base', 'call']] as const; // prettier-ignore
    expect(placesOf(['call', 'job', 'dataset', 'base'], edges)).toEqual({
      dataset: [0, 0],
      base: [0, 1],
      job: [1, 0],
      call: [2, 0],
    });
  });

  it('places results of the upper cause above', () => {
    const edges = [['a', 'x'], ['b', 'y']] as const; // prettier-ignore
    expect(placesOf(['a', 'b', 'y', 'x'], edges)).toMatchObject({ x: [1, 0], y: [1, 1] });
  });

  it('places every node, even if an edge leads to no node', () => {
    expect(placesOf(['a'], [['a', 'gone'], ['gone', 'a']])).toEqual({ a: [0, 0] }); // prettier-ignore
  });
});
