import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { decodeEntries, decodeSalts, encodeEntries, encodeSalts } from './entries.js';
import { HASH_BYTES } from './tree/hashes.js';
import { bundlePath, hashesOf, TILE_WIDTH, tilePath, widthOf, type Tile } from './tree/tiles.js';
import type { TileHashes, TreeHead } from './tree/proofs.js';

/** The format of the tree's files, entries and salts. */
export const TREE_FORMAT = 1;
/** Folder of the tree's files. */
export const TREE_PREFIX = 'audit/';
/** Key of the newest signed note. */
export const CHECKPOINT = 'audit/checkpoint';
const TIMESTAMPS = 'audit/timestamps/';

/** Up to 256 leaves: entries, the salts of their digests, and their hashes in the tree. */
export interface Leaves {
  /** Index of the first. */
  readonly first: number;
  readonly entries: readonly string[];
  readonly salts: readonly string[];
  readonly hashes: readonly Uint8Array[];
}

/** The operations of the object store that the tree needs. */
type TreeObjects = Pick<ObjectStore, 'get' | 'put' | 'deletePrefix'>;

/** A checkpoint's name among others: sorted by size. */
export const nameOf = ({ size, root }: TreeHead): string =>
  `${String(size).padStart(16, '0')}-${Buffer.from(root).toString('hex')}`;

/**
 * The tree's files in the object store, as C2SP tlog-tiles lays them out below `audit/`: `checkpoint`, `tile/<level>/<N>`,
 * `tile/entries/<N>`, and our own `salts/<N>` and `timestamps/<size>-<root>`. A tile or bundle that is not full is at `<N>.p/<width>` until it is.
 */
export class TreeFiles {
  constructor(private readonly objects: TreeObjects) {}

  /** The signed note of the newest checkpoint; null before the first. */
  async checkpoint(): Promise<string | null> {
    try {
      return (await this.read(CHECKPOINT)).toString('utf8');
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return null;
      throw error;
    }
  }

  async putCheckpoint(note: string): Promise<void> {
    await this.objects.put(CHECKPOINT, Buffer.from(note));
  }

  /** Stores the note that was stamped beside its time stamp: each of the two is replaced by none. */
  async putTimestamp(head: TreeHead, note: string, answer: Uint8Array): Promise<void> {
    const key = TIMESTAMPS + nameOf(head);
    await this.objects.put(`${key}.txt`, Buffer.from(note));
    await this.objects.put(`${key}.tsr`, answer);
  }

  /** Notes with their time stamps, by size. @param objects the same */
  async *timestamps(
    objects: Pick<ObjectStore, 'list'>,
  ): AsyncGenerator<{ readonly note: string; readonly answer: Buffer }> {
    const keys: string[] = [];
    for await (const { key } of objects.list(TIMESTAMPS)) if (key.endsWith('.tsr')) keys.push(key);
    for (const key of keys.toSorted()) {
      const [note, answer] = [await this.stored(key.slice(TREE_PREFIX.length, -4) + '.txt'), await this.read(key)];
      if (note === null) throw new TreeDamagedError(`the checkpoint of the time stamp ${key} is missing`);
      yield { note: note.toString('utf8'), answer };
    }
  }

  /** @throws TreeDamagedError when it is missing or cut */
  async tile(tile: Tile): Promise<readonly Uint8Array[]> {
    const read = await this.readPart(
      (width) => tilePath({ ...tile, width }),
      tile.width,
      (bytes) => bytes.subarray(0, tile.width * HASH_BYTES),
    );
    return this.whole(tilePath(tile), () => hashesOf(read, tile.width));
  }

  /** Hashes of a tree of `size` leaves, for proofs. */
  readonly hashes =
    (size: number): TileHashes =>
    async (level, from, to) => {
      const index = Math.floor(from / TILE_WIDTH);
      const hashes = await this.tile({ level, index, width: widthOf(level, index, size) });
      return hashes.slice(from - index * TILE_WIDTH, to - index * TILE_WIDTH);
    };

  /**
   * The bytes of a tile or partial tile; null if it is missing.
   * @param path below `audit/`
   */
  async stored(path: string): Promise<Buffer | null> {
    try {
      return await this.read(`audit/${path}`);
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return null;
      throw error;
    }
  }

  /** @param index of a bundle @throws TreeDamagedError when something is missing or cut */
  async leaves(index: number, size: number): Promise<Leaves> {
    const width = widthOf(0, index, size);
    const [entries, salts, hashes] = await Promise.all([
      this.bundle(entriesPath, index, width, decodeEntries),
      this.bundle(saltsPath, index, width, decodeSalts),
      this.tile({ level: 0, index, width }),
    ]);
    return { first: index * TILE_WIDTH, entries, salts, hashes };
  }

  async putTile(tile: Tile, bytes: Buffer): Promise<void> {
    await this.objects.put(`audit/${tilePath(tile)}`, bytes);
  }

  async putLeaves(index: number, entries: readonly string[], salts: readonly string[]): Promise<void> {
    const place = { index, width: entries.length };
    await this.putSalts(index, salts);
    await this.objects.put(`audit/${entriesPath(place)}`, encodeEntries(entries));
  }

  async putSalts(index: number, salts: readonly string[]): Promise<void> {
    await this.objects.put(`audit/${saltsPath({ index, width: salts.length })}`, encodeSalts(salts));
  }

  /** Removes the partial tiles and bundles of one that is full. */
  async removePartial({ level, index }: Tile): Promise<void> {
    const full = { index, width: TILE_WIDTH };
    const paths = [tilePath({ level, ...full }), ...(level === 0 ? [entriesPath(full), saltsPath(full)] : [])];
    for (const path of paths) await this.objects.deletePrefix(`audit/${path}.p/`);
  }

  private async bundle(
    pathOf: (place: Place) => string,
    index: number,
    width: number,
    decode: (bytes: Buffer, width: number) => string[],
  ): Promise<readonly string[]> {
    const atWidth = (stored: number) => pathOf({ index, width: stored });
    let isFull = width === TILE_WIDTH;
    const bytes = await this.readPart(atWidth, width, (full) => {
      isFull = true;
      return full;
    });
    return this.whole(atWidth(width), () => decode(bytes, isFull ? TILE_WIDTH : width).slice(0, width));
  }

  /** A tile that was partial when the tree was read may be complete by now. */
  private async readPart(
    pathOf: (width: number) => string,
    width: number,
    partOf: (full: Buffer) => Buffer,
  ): Promise<Buffer> {
    const found = await this.stored(pathOf(width));
    if (found !== null) return found;
    const full = width === TILE_WIDTH ? null : await this.stored(pathOf(TILE_WIDTH));
    if (full === null) throw new TreeDamagedError(`audit/${pathOf(width)} is missing`);
    return partOf(full);
  }

  private whole<T>(path: string, decode: () => T): T {
    try {
      return decode();
    } catch (error) {
      throw new TreeDamagedError(`audit/${path} is damaged: ${(error as Error).message}`);
    }
  }

  private async read(key: string): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(await this.objects.get(key)));
  }
}

type Place = Omit<Tile, 'level'>;
const entriesPath = (place: Place): string => `tile/entries/${bundlePath(place)}`;
const saltsPath = (place: Place): string => `salts/${bundlePath(place)}`;

/** A file of the tree is missing, or its content has changed. */
export class TreeDamagedError extends Error {
  override readonly name: string = 'TreeDamagedError';
}
