import { bundleOf, entryOf, factsOf, leafOf, type StoredEvent } from './entries.js';
import { TreeDamagedError, type Leaves, type TreeFiles } from './tree-files.js';
import { GrowingTree, TILE_WIDTH } from './tree/tiles.js';
import type { TreeHead } from './tree/proofs.js';
import type { Finding, Problem } from './finding.js';

/** Counts of a comparison. */
export interface Compared {
  /** Events that are as the tree has them. */
  same: number;
  /** Events of deleted streams, whose deletion the log records. */
  erased: number;
  /** Events after the tree's end, which no checkpoint covers yet. */
  uncovered: number;
}

interface ComparisonOptions {
  readonly files: TreeFiles;
  readonly head: TreeHead;
  /** Index of the bundle to begin with, and the events of the log from its first leaf on. Default: 0, all. */
  readonly fromBundle?: number;
  readonly events: AsyncIterable<readonly StoredEvent[]>;
  readonly onFinding: (finding: Finding) => void;
  /** Called with the leaves of each bundle that is done. */
  readonly onProgress?: (done: number) => void | Promise<void>;
}

/** Bundles that are read before they are needed. */
const AHEAD = 4;

/** Streams deleted according to an event of the log, by its type. */
const DELETIONS: Readonly<Record<string, (data: Readonly<Record<string, string>>) => string>> = {
  'training-job-deleted.v1': ({ jobId }) => `joblog-${jobId}`,
  'training-job-log-erased.v1': ({ jobId }) => `joblog-${jobId}`,
};

/** Compares the log with the tree, both in order. Every difference is a finding. */
export async function compare(options: ComparisonOptions): Promise<Compared> {
  const comparison = new Comparison(options);
  for await (const page of options.events) for (const event of page) await comparison.meet(event);
  return comparison.end();
}

class Comparison {
  private readonly counts: Compared = { same: 0, erased: 0, uncovered: 0 };
  private readonly tree = new GrowingTree(0, []);
  private readonly revisions = new Map<string, number>();
  private readonly deleted = new Set<string>();
  private readonly missing = new Map<string, { first: string; count: number }>();
  private readonly isWhole: boolean;
  private readonly reading = new Map<number, Promise<Leaves>>();
  private bundle: number;
  private leaves: Leaves | null = null;
  private at = 0;
  /** Leaves could not be read: the events up to the next leaf are unknown. */
  private isLost = false;

  constructor(private readonly options: ComparisonOptions) {
    this.bundle = options.fromBundle ?? 0;
    this.isWhole = this.bundle === 0;
  }

  /** An event of the log, later than those before. */
  async meet(event: StoredEvent): Promise<void> {
    this.follow(event);
    for (;;) {
      if ((this.leaves === null || this.at === this.leaves.entries.length) && !(await this.nextBundle())) {
        this.counts.uncovered += 1;
        return;
      }
      const { entries, salts, hashes } = this.leaves!;
      const at = this.at;
      const entry = entries[at]!;
      if (entryOf(event, salts[at]!) === entry) {
        this.requireLeaf(entry, hashes[at]!, event.position);
        this.counts.same += 1;
        this.at += 1;
        this.isLost = false;
        return;
      }
      const facts = factsOf(entry);
      this.requireLeaf(entry, hashes[at]!, facts?.position ?? null);
      if (facts !== null && facts.position > event.position) {
        if (!this.isLost) this.find('added', event.position, `${event.type} in ${event.stream} is not in the tree`);
        return;
      }
      this.at += 1;
      if (facts?.position === event.position) {
        this.find('changed', event.position, changeOf(event, facts));
        return;
      }
      if (facts !== null) this.miss(facts);
    }
  }

  async end(): Promise<Compared> {
    while ((this.leaves !== null && this.at < this.leaves.entries.length) || (await this.nextBundle())) {
      const { entries, hashes } = this.leaves!;
      for (; this.at < entries.length; this.at += 1) {
        const facts = factsOf(entries[this.at]!);
        this.requireLeaf(entries[this.at]!, hashes[this.at]!, facts?.position ?? null);
        if (facts !== null) this.miss(facts);
      }
    }
    for (const [stream, { first, count }] of this.missing)
      if (this.deleted.has(stream)) this.counts.erased += count;
      else this.find('removed', first, `${count} ${count === 1 ? 'event' : 'events'} of ${stream}, from here on`);
    const { head } = this.options;
    if (this.isWhole && this.tree.size === head.size && Buffer.compare(this.tree.root(), head.root) !== 0)
      this.find('tree', null, `the tiles have another root than the checkpoint of ${head.size} events`);
    return this.counts;
  }

  private follow({ stream, revision, type, data, position }: StoredEvent): void {
    // A part of the log does not show where its streams begin.
    const expected = this.revisions.get(stream) ?? (this.isWhole ? 0 : revision);
    if (revision !== expected) this.find('gap', position, `revision ${revision} of ${stream} follows ${expected - 1}`);
    this.revisions.set(stream, revision + 1);
    const deletes = DELETIONS[type];
    if (deletes) this.deleted.add(deletes(JSON.parse(data) as Record<string, string>));
  }

  /** @returns false at the tree's end */
  private async nextBundle(): Promise<boolean> {
    const { head, onProgress } = this.options;
    await onProgress?.(Math.min(this.bundle * TILE_WIDTH, head.size));
    for (; this.bundle <= bundleOf(head.size - 1); this.bundle += 1) {
      try {
        this.leaves = await this.read(this.bundle);
      } catch (error) {
        if (!(error instanceof TreeDamagedError)) throw error;
        this.find('tree', null, error.message);
        this.isLost = true;
        continue;
      }
      for (const hash of this.leaves.hashes) this.tree.add(hash, () => undefined);
      this.bundle += 1;
      this.at = 0;
      return true;
    }
    return false;
  }

  /** Reads the next bundles in advance. */
  private read(bundle: number): Promise<Leaves> {
    const { files, head } = this.options;
    const end = Math.min(bundle + AHEAD, bundleOf(head.size - 1));
    for (let next = bundle; next <= end; next += 1) {
      if (this.reading.has(next)) continue;
      const leaves = files.leaves(next, head.size);
      // The error is met when the file's turn comes.
      leaves.catch(() => undefined);
      this.reading.set(next, leaves);
    }
    const leaves = this.reading.get(bundle)!;
    this.reading.delete(bundle);
    return leaves;
  }

  private requireLeaf(entry: string, hash: Uint8Array, position: string | null): void {
    if (Buffer.compare(leafOf(entry), hash) !== 0) this.find('tree', position, 'its entry is not the one of the tree');
  }

  private miss({ stream, position }: { readonly stream: string; readonly position: string }): void {
    const known = this.missing.get(stream);
    if (known) known.count += 1;
    else this.missing.set(stream, { first: position, count: 1 });
  }

  private find(problem: Problem, position: string | null, what: string): void {
    this.options.onFinding({ problem, position, what });
  }
}

function changeOf(
  event: StoredEvent,
  { stream, revision, type }: Omit<StoredEvent, 'id' | 'data' | 'metadata' | 'position'>,
) {
  const place = `${type} in ${stream}, revision ${revision}`;
  const isSame = event.stream === stream && event.revision === revision && event.type === type;
  return isSame
    ? `${place}: its id, data or metadata (actor, time) is another`
    : `${place}: it stands as ${event.type} in ${event.stream}, revision ${event.revision}`;
}
