interface GraphNode {
  readonly id: string;
}

interface GraphEdge {
  readonly from: string;
  readonly to: string;
}

/**
 * A node with its column, where causes are left of their effects, and its place in the column. Both are counted from 0.
 */
export interface Placed<Node> {
  readonly node: Node;
  readonly column: number;
  readonly row: number;
}

/**
 * Places the nodes of an acyclic graph: each in the column after its last cause, in the order of its causes. Edges
 * whose ends are not nodes are left out.
 */
export function place<Node extends GraphNode>(
  nodes: readonly Node[],
  edges: readonly GraphEdge[],
): readonly Placed<Node>[] {
  const causes = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { from, to } of edges) if (causes.has(from)) causes.get(to)?.push(from);
  const columns = new Map<string, number>();
  const columnOf = (id: string, path: ReadonlySet<string> = new Set()): number => {
    const known = columns.get(id);
    if (known !== undefined) return known;
    const before = (causes.get(id) ?? []).filter((each) => !path.has(each));
    const column = Math.max(-1, ...before.map((each) => columnOf(each, new Set([...path, id])))) + 1;
    columns.set(id, column);
    return column;
  };
  for (const { id } of nodes) columnOf(id);
  const rows = new Map<string, number>();
  const placed: Placed<Node>[] = [];
  for (let column = 0; placed.length < nodes.length; column += 1) {
    const meant = ({ id }: Node): number => {
      const before = (causes.get(id) ?? []).map((each) => rows.get(each) ?? 0);
      return before.length === 0 ? 0 : before.reduce((sum, each) => sum + each, 0) / before.length;
    };
    const here = nodes.filter(({ id }) => columns.get(id) === column).toSorted((a, b) => meant(a) - meant(b));
    for (const [row, node] of here.entries()) {
      rows.set(node.id, row);
      placed.push({ node, column, row });
    }
  }
  return placed;
}
