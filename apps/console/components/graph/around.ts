import type { Schema } from '../../api/client.js';

type Graph = Schema['LineageGraph'];
type Node = Graph['nodes'][number];

/**
 * Merges several graphs: a node's causes and its effects.
 * @param centre is added if no graph has it
 */
export function around(graphs: readonly Graph[], centre: Node): Graph {
  const nodes = new Map(graphs.flatMap((graph) => graph.nodes).map((node) => [node.id, node]));
  const edges = new Map(
    graphs.flatMap((graph) => graph.edges).map((edge) => [`${edge.from} ${edge.relation} ${edge.to}`, edge]),
  );
  const isCut = !nodes.has(centre.id);
  if (isCut) {
    nodes.set(centre.id, centre);
    for (const { root } of graphs)
      edges.set(`${root} learned`, { from: root, to: centre.id, relation: 'learned', event: null });
  }
  const all = [...edges.values()];
  const kept = new Set([
    ...reached(centre.id, (id) => all.filter(({ to }) => to === id).map(({ from }) => from)),
    ...reached(centre.id, (id) => all.filter(({ from }) => from === id).map(({ to }) => to)),
  ]);
  return {
    root: centre.id,
    nodes: [...nodes.values()].filter(({ id }) => kept.has(id)),
    edges: all.filter(({ from, to }) => kept.has(from) && kept.has(to)),
    truncated: isCut || graphs.some(({ truncated }) => truncated),
  };
}

function reached(from: string, next: (id: string) => readonly string[]): ReadonlySet<string> {
  const seen = new Set([from]);
  for (const id of seen) for (const each of next(id)) seen.add(each);
  return seen;
}
