import type { Schema } from '../../api/client.js';

type Graph = Schema['LineageGraph'];

/** Nodes alike that are drawn: hundreds of calls that a dataset was made of say no more than a few. */
const MOST_ALIKE = 8;

/** The graph with few of each kind of nodes that have no cause and the same effects, and how many were left out. */
export function fewer({ nodes, edges, ...graph }: Graph): { readonly graph: Graph; readonly leftOut: number } {
  const caused = new Set(edges.map(({ to }) => to));
  const effects = Map.groupBy(edges, ({ from }) => from);
  const effectsOf = (id: string): string =>
    JSON.stringify((effects.get(id) ?? []).map(({ to, relation }) => [to, relation]));
  const alike = Map.groupBy(
    nodes.filter(({ id }) => id !== graph.root && !caused.has(id)),
    ({ id, kind }) => `${kind} ${effectsOf(id)}`,
  );
  const out = new Set([...alike.values()].flatMap((each) => each.slice(MOST_ALIKE)).map(({ id }) => id));
  return {
    graph: {
      ...graph,
      nodes: nodes.filter(({ id }) => !out.has(id)),
      edges: edges.filter(({ from }) => !out.has(from)),
    },
    leftOut: out.size,
  };
}
