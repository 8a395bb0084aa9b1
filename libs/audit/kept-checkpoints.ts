import type { Egress } from '#primitives/egress/index.js';
import { openObjectStore, type ObjectStoreAddress } from '#ports/object-store/open.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { NoteError, readCheckpoint, type TreeCheckpoint } from './checkpoint.js';
import { textOf } from './response-text.js';
import { nameOf } from './tree-files.js';

/** Where signed checkpoints are kept in addition, out of reach of whoever changes the data folder. */
export type CheckpointPlace =
  | ObjectStoreAddress
  /** Takes each by POST, and may answer GET with the newest. */
  | { readonly kind: 'web'; readonly url: string };

/** The checkpoints that a place has of one log. */
export interface KeptCheckpoints {
  /** Of this tree, and of trees that were begun after it. */
  readonly heads: readonly TreeCheckpoint[];
  /** The signed note of the largest of this tree; null if there is none. */
  readonly newest: string | null;
}

export interface CheckpointKeeper {
  /** @param stamp its time stamp @throws the place's own errors */
  keep(note: string, stamp: Uint8Array | null, signal: AbortSignal): Promise<void>;
  /** @param origin name of the tree */
  kept(origin: string, signal: AbortSignal): Promise<KeptCheckpoints>;
  close(): Promise<void>;
}

/** @param egress null only for a place that is not on the web */
export async function openKeeper(
  place: CheckpointPlace,
  egress: Pick<Egress, 'fetch'> | null,
): Promise<CheckpointKeeper> {
  return place.kind === 'web' ? new WebKeeper(place.url, egress!) : new ObjectKeeper(await openObjectStore(place));
}

/** More is no note. */
const MAX_NOTE_BYTES = 64 * 1024;
const NOTE_TYPE = 'text/plain; charset=utf-8';
const FILE = /^(.+)\/(\d{16})-([0-9a-f]{64})\.txt$/;

/** One object for each: `<name of the tree>/<size>-<root>.txt`, with the time stamp beside it as `.tsr`. Nothing is replaced. */
class ObjectKeeper implements CheckpointKeeper {
  constructor(private readonly objects: ObjectStore) {}

  async keep(note: string, stamp: Uint8Array | null): Promise<void> {
    const key = keyOf(readCheckpoint(note));
    await this.write(`${key}.txt`, Buffer.from(note));
    if (stamp !== null) await this.write(`${key}.tsr`, stamp);
  }

  /** What is there already is not written again, which a bucket with object lock may refuse. Others' content is. */
  private async write(key: string, content: Uint8Array): Promise<void> {
    const there = await this.content(key, content.byteLength + 1);
    if (there !== null && Buffer.from(content).equals(there)) return;
    // A bucket with object lock demands a checksum.
    await this.objects.put(key, content, { sendChecksum: true });
  }

  async kept(origin: string): Promise<KeptCheckpoints> {
    const heads: TreeCheckpoint[] = [];
    for await (const { key } of this.objects.list(`${origin}/`)) {
      const [, of, size, root] = FILE.exec(key) ?? [];
      if (of !== undefined) heads.push({ origin: of, size: Number(size), root: Buffer.from(root!, 'hex') });
    }
    const largest = largestOf(heads, origin);
    return { heads, newest: largest && ((await this.content(`${keyOf(largest)}.txt`))?.toString('utf8') ?? null) };
  }

  async close(): Promise<void> {
    await this.objects.close();
  }

  private async content(key: string, end = MAX_NOTE_BYTES): Promise<Buffer | null> {
    try {
      return Buffer.concat(await Array.fromAsync(await this.objects.get(key, { start: 0, end })));
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return null;
      throw error;
    }
  }
}

class WebKeeper implements CheckpointKeeper {
  constructor(
    private readonly url: string,
    private readonly egress: Pick<Egress, 'fetch'>,
  ) {}

  async keep(note: string, _stamp: Uint8Array | null, signal: AbortSignal): Promise<void> {
    const headers = { 'content-type': NOTE_TYPE, 'user-agent': 'anneal-audit' };
    const request = { method: 'POST', redirect: 'manual', headers, body: note, signal } as const;
    const response = await this.egress.fetch(this.url, request);
    await textOf(response);
    if (response.status >= 300) throw new NoteError(`it answered ${response.status}`);
  }

  async kept(origin: string, signal: AbortSignal): Promise<KeptCheckpoints> {
    const response = await this.egress.fetch(this.url, { redirect: 'manual', signal });
    const note = await textOf(response);
    // An address need not give back what it took.
    if (response.status !== 200) return { heads: [], newest: null };
    const head = readCheckpoint(note);
    return { heads: [head], newest: head.origin === origin ? note : null };
  }

  async close(): Promise<void> {}
}

const keyOf = (head: TreeCheckpoint): string => `${head.origin}/${nameOf(head)}`;

const largestOf = (heads: readonly TreeCheckpoint[], origin: string): TreeCheckpoint | null =>
  heads
    .filter((head) => head.origin === origin)
    .reduce<TreeCheckpoint | null>((most, head) => (head.size > (most?.size ?? -1) ? head : most), null);
