import { around } from './around.js';

type Graph = Parameters<typeof around>[0][number];
type Node = Parameters<typeof around>[1];

const node = (id: string): Node => ({ id, kind: 'job', label: id, event: null, link: null });
const graph = (root: string, ...edges: readonly (readonly [string, string])[]): Graph => ({
  root,
  nodes: [...new Set([root, ...edges.flat()])].map(node),
  edges: edges.map(([from, to]) => ({ from, to, relation: 'learned', event: null })),
  truncated: false,
});
const ids = ({ nodes }: Graph): readonly string[] => nodes.map(({ id }) => id).toSorted();

describe('the lineage around a job', () => {
  it('has all datasets that the job was trained on, and nothing of their other jobs', () => {
    const first = graph('a', ['maker', 'a'], ['a', 'job'], ['job', 'version'], ['a', 'another job']);
    const second = graph('b', ['b', 'job'], ['job', 'version'], ['b', 'third job']);
    const found = around([first, second], node('job'));
    expect(ids(found)).toEqual(['a', 'b', 'job', 'maker', 'version']);
    expect(found.edges).toHaveLength(4);
    expect([found.root, found.truncated]).toEqual(['job', false]);
  });

  it('has a job that none of the graphs reaches, and reports more', () => {
    const found = around([graph('a', ['a', 'another job']), graph('b')], node('job'));
    expect(ids(found)).toEqual(['a', 'b', 'job']);
    expect(found.truncated).toBe(true);
  });
});
