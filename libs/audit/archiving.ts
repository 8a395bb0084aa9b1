import type { EventMetadata, EventReader } from '#ports/event-store/port.js';
import { ARCHIVE_PREFIX, packSegment, readSegment, segmentKey } from '#ports/event-store/archive/index.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { openCheckpoint, type TreeCheckpoint, type Verifier } from './checkpoint.js';
import { bundleOf, entryOf, factsOf, leafOf, type StoredEvent } from './entries.js';
import { Inclusions, isIncluded } from './inclusion.js';
import { storedPages } from './stored-pages.js';
import { sameBytes } from './primitives.js';
import { TreeDamagedError, TreeFiles, type Leaves } from './tree-files.js';
import { TILE_WIDTH } from './tree/tiles.js';

/**
 * Events whose texts are archived. Those of other types stay: they are few, or read at each start, or can be deleted, which
 * an archive would undo.
 */
const ARCHIVED_TYPES: ReadonlySet<string> = new Set(['call-metered.v1', 'call-content.v1']);

/** Segments that one part has at most: 65,536 events. */
const MAX_SEGMENTS = 256;

interface ArchivingOptions {
  /** The log, with its events as stored. */
  readonly log: Pick<EventReader, 'readAll'>;
  readonly objects: Pick<ObjectStore, 'get' | 'put' | 'deletePrefix'>;
  readonly verifiers: readonly Verifier[];
  /** Position of the last archived event; null for none. */
  readonly after: string | null;
  /** Only events before this time: ISO 8601 in UTC. */
  readonly before: string;
  readonly signal?: AbortSignal;
}

/** A part of the log that is in the archive, and still in the log. */
interface StoredPart {
  readonly after: string | null;
  /** Position of the last of its events. */
  readonly to: string;
  readonly events: number;
  readonly segments: number;
  /** The signed checkpoint of the tree that they were compared with. */
  readonly checkpoint: string;
}

/**
 * Stores the next events of calls in the archive: those in whole bundles of the tree with nothing newer, a segment a
 * bundle. Each is compared with the tree before it is stored, and again as it was stored.
 * @returns null if there are none
 * @throws TreeDamagedError when log, tree and checkpoint do not agree, NoteError
 */
export async function storePart(options: ArchivingOptions): Promise<StoredPart | null> {
  const { objects, verifiers, after, before, log, signal } = options;
  const files = new TreeFiles(objects);
  const note = await files.checkpoint();
  if (note === null) throw new TreeDamagedError('there is no checkpoint: nothing was signed yet, or it was removed');
  const head = openCheckpoint(note, verifiers);
  const inclusions = new Inclusions(files, head.size);
  let bundle = after === null ? 0 : await bundleWith(inclusions, after);
  let read = bundle === 0 ? null : positionOf(await files.leaves(bundle - 1, head.size), -1);
  let [to, count, segments] = [after, 0, 0];
  for (; segments < MAX_SEGMENTS && (bundle + 1) * TILE_WIDTH <= head.size; bundle += 1) {
    signal?.throwIfAborted();
    const leaves = await signedLeaves(files, inclusions, head, bundle);
    const last = positionOf(leaves, -1);
    const events = (await Array.fromAsync(storedPages(log, read, last))).flat();
    if (!events.every((event) => occurredAt(event) < before)) break;
    read = last;
    const archived = events.filter(({ type, position }) => ARCHIVED_TYPES.has(type) && position > (after ?? ''));
    if (archived.length === 0) continue;
    const requireSigned = signedIn(leaves);
    requireSigned(archived);
    const key = segmentKey(archived[0]!.position);
    await objects.put(key, await packSegment(archived));
    requireSigned(await readSegment(objects, key));
    to = archived.at(-1)!.position;
    [count, segments] = [count + archived.length, segments + 1];
  }
  return to === null || segments === 0 ? null : { after, to, events: count, segments, checkpoint: note };
}

/**
 * Segments of a part, each with its events, as the object store has them.
 * @param after a position; null for the first part
 * @param to position of the last event
 */
export async function* segmentsOf(
  objects: Pick<ObjectStore, 'get' | 'list'>,
  after: string | null,
  to: string,
): AsyncGenerator<{ readonly key: string; readonly events: readonly StoredEvent[] }> {
  const [from, last] = [segmentKey(after ?? ''), segmentKey(to)];
  for await (const { key } of objects.list(ARCHIVE_PREFIX))
    if (key > from && key <= last) yield { key, events: await readSegment(objects, key) };
}

async function bundleWith(inclusions: Inclusions, position: string): Promise<number> {
  const inclusion = await inclusions.of(position);
  if (inclusion === null) throw new TreeDamagedError(`the tree does not have the archived event at ${position}`);
  return bundleOf(inclusion.leaf);
}

/** @throws TreeDamagedError unless all leaves of the bundle are in the tree of the checkpoint */
async function signedLeaves(
  files: TreeFiles,
  inclusions: Inclusions,
  head: TreeCheckpoint,
  bundle: number,
): Promise<Leaves> {
  const leaves = await files.leaves(bundle, head.size);
  // The proof of one leaf is made of the hashes of all others of its bundle.
  const proven = isIncluded(await inclusions.at(bundle * TILE_WIDTH), head);
  const areHashed = leaves.entries.every((entry, at) => sameBytes(leafOf(entry), leaves.hashes[at]!));
  if (!proven || !areHashed) throw new TreeDamagedError(`bundle ${bundle} is not the one that was signed`);
  return leaves;
}

/** @returns a function that throws TreeDamagedError unless the tree has each of the events as it is */
function signedIn({ entries, salts }: Leaves): (events: readonly StoredEvent[]) => void {
  const places = new Map(entries.map((entry, at) => [factsOf(entry)?.position, at]));
  return (events) => {
    for (const event of events) {
      const at = places.get(event.position);
      if (at === undefined || entryOf(event, salts[at]!) !== entries[at])
        throw new TreeDamagedError(`the event at position ${event.position} is not the one that was signed`);
    }
  };
}

function positionOf({ first, entries }: Leaves, at: number): string {
  const position = factsOf(entries.at(at)!)?.position;
  if (position === undefined) throw new TreeDamagedError(`an entry of the bundle of leaf ${first} is damaged`);
  return position;
}

const occurredAt = ({ metadata }: StoredEvent): string => (JSON.parse(metadata) as EventMetadata).occurredAt;
