import type { Schema } from '../../api/client.js';
import { fewer } from './fewer.js';

type Graph = Schema['LineageGraph'];

const node = (id: string, kind: Graph['nodes'][number]['kind']): Graph['nodes'][number] => ({
  ...{ id, kind, label: id, event: null, link: null },
});
const calls = Array.from({ length: 40 }, (_, at) => `call-${at}`);
const graph: Graph = {
  root: 'job',
  nodes: [
    node('job', 'job'),
    node('data', 'dataset_version'),
    node('ann', 'actor'),
    ...calls.map((id) => node(id, 'call')),
  ],
  edges: [
    { from: 'data', to: 'job', relation: 'learned' as const, event: null },
    { from: 'ann', to: 'data', relation: 'made' as const, event: null },
    ...calls.map((from) => ({ from, to: 'data', relation: 'gave' as const, event: null })),
  ],
  truncated: false,
};

describe('a lineage graph with hundreds of nodes alike', () => {
  it('draws some of them, and counts the others', () => {
    const { graph: drawn, leftOut } = fewer(graph);
    expect(leftOut).toBe(32);
    expect(drawn.nodes.map(({ id }) => id)).toEqual(['job', 'data', 'ann', ...calls.slice(0, 8)]);
    expect(drawn.edges).toHaveLength(10);
  });

  it('keeps nodes that lead elsewhere, have a cause, or are what it is about', () => {
    expect(fewer({ ...graph, root: 'call-39' }).graph.nodes.map(({ id }) => id)).toContain('call-39');
    const more = [
      { from: 'call-38', to: 'job', relation: 'learned' as const, event: null },
      { from: 'ann', to: 'call-37', relation: 'called' as const, event: null },
    ];
    const { graph: drawn, leftOut } = fewer({ ...graph, edges: [...graph.edges, ...more] });
    expect(leftOut).toBe(30);
    expect(drawn.nodes.map(({ id }) => id)).toEqual(expect.arrayContaining(['call-38', 'call-37']));
  });
});
