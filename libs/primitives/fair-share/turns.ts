/** The shares that workspaces have had so far. */
interface Shares {
  /** Number of a workspace's entries that run. */
  readonly running: (workspaceId: string) => number;
  /** When a workspace was last served: larger is later; 0 for never, or too long ago. */
  readonly servedAt: (workspaceId: string) => number;
}

/**
 * The workspace whose turn is next: the one with the least running; of several, the one served longest ago; of those never
 * served, the first one given. null when none waits.
 */
export function nextTurn(waiting: Iterable<string>, { running, servedAt }: Shares): string | null {
  let next: string | null = null;
  for (const each of waiting) {
    const lead = next === null ? -1 : running(each) - running(next) || servedAt(each) - servedAt(next);
    if (lead < 0) next = each;
  }
  return next;
}

/** The items in the order in which they should be served: workspaces take turns, each workspace's own keep their order. */
export function* inTurns<Item extends { readonly workspaceId: string }>(
  items: Iterable<Item>,
  shares: Shares = NOTHING_YET,
): Generator<Item> {
  const queues = Map.groupBy(items, ({ workspaceId }) => workspaceId);
  const given = new Map<string, number>();
  const now = {
    running: (id: string) => shares.running(id) + (given.get(id) ?? 0),
    servedAt: (id: string) => shares.servedAt(id),
  };
  for (let next = nextTurn(queues.keys(), now); next !== null; next = nextTurn(queues.keys(), now)) {
    const queue = queues.get(next)!;
    given.set(next, (given.get(next) ?? 0) + 1);
    yield queue.shift()!;
    if (queue.length === 0) queues.delete(next);
  }
}

const NOTHING_YET: Shares = { running: () => 0, servedAt: () => 0 };
