import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, type Hash } from 'node:crypto';
import { ObjectDamagedError, type ObjectContent } from '../port.js';

/**
 * The stored form of an encrypted object: a header (16 bytes of format, 32 of salt), then blocks of 64 KiB, each with its tag.
 * The blocks hold the content, then its SHA-256. A block is AES-256-GCM under a key of the object alone (HKDF of the folder's
 * key and the salt), with its number and whether it is the last one as nonce, so that none can be moved, left out or cut off. (The STREAM
 * construction of Hoang, Reyhanitabar, Rogaway and Vizár, 2015.)
 */
const MAGIC = Buffer.from('anneal-sealed-1\n');
const SALT_BYTES = 32;
export const HEADER_BYTES = MAGIC.length + SALT_BYTES;
const BLOCK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const STORED_BLOCK_BYTES = BLOCK_BYTES + TAG_BYTES;
export const DIGEST_BYTES = 32;
const ALGORITHM = 'aes-256-gcm';

/** No encrypted object is smaller. */
export const MIN_STORED_BYTES = HEADER_BYTES + DIGEST_BYTES + TAG_BYTES;

/** The size of the stored form of `size` bytes of content. */
export function storedSize(size: number): number {
  const inBlocks = size + DIGEST_BYTES;
  return HEADER_BYTES + inBlocks + Math.ceil(inBlocks / BLOCK_BYTES) * TAG_BYTES;
}

/** The size of the content with its digest behind it. */
function sizeInBlocks(stored: number): number {
  const blocks = stored - HEADER_BYTES;
  return blocks - Math.ceil(blocks / STORED_BLOCK_BYTES) * TAG_BYTES;
}

export const contentSize = (stored: number): number => sizeInBlocks(stored) - DIGEST_BYTES;

/** The salt of an encrypted object; null for the start of another one. */
export const saltIn = (header: Buffer): Buffer | null =>
  header.length >= HEADER_BYTES && header.subarray(0, MAGIC.length).equals(MAGIC)
    ? header.subarray(MAGIC.length, HEADER_BYTES)
    : null;

function objectKeyOf(key: Uint8Array, salt: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, salt, 'anneal object', 32));
}

function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(index, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Content on its way into the stored form. `size` and `sha256` are those of the content, once all of it was read. */
export class Encrypted {
  size = 0;
  sha256 = '';
  private readonly hash: Hash = createHash('sha256');
  private readonly salt = randomBytes(SALT_BYTES);
  private readonly key: Uint8Array;
  private readonly block = Buffer.allocUnsafe(BLOCK_BYTES);
  private used = 0;
  private index = 0;

  constructor(key: Uint8Array) {
    this.key = objectKeyOf(key, this.salt);
  }

  async *stored(content: Exclude<ObjectContent, Uint8Array>): AsyncGenerator<Uint8Array> {
    yield this.header();
    for await (const chunk of content) yield* this.taken(chunk);
    yield* this.end();
  }

  /** The stored form of the whole content. */
  storedWhole(content: Uint8Array): Buffer {
    return Buffer.concat([this.header(), ...this.taken(content), ...this.end()]);
  }

  private header(): Buffer {
    return Buffer.concat([MAGIC, this.salt]);
  }

  private *taken(chunk: Uint8Array): Generator<Buffer> {
    this.size += chunk.byteLength;
    this.hash.update(chunk);
    yield* this.filled(chunk);
  }

  /** A full block is the last one unless more follows. */
  private *filled(bytes: Uint8Array): Generator<Buffer> {
    for (let at = 0; at < bytes.byteLength;) {
      if (this.used === BLOCK_BYTES) yield this.sealed(false);
      const part = bytes.subarray(at, at + BLOCK_BYTES - this.used);
      this.block.set(part, this.used);
      this.used += part.byteLength;
      at += part.byteLength;
    }
  }

  private *end(): Generator<Buffer> {
    const digest = this.hash.digest();
    this.sha256 = digest.toString('hex');
    yield* this.filled(digest);
    yield this.sealed(true);
  }

  private sealed(isLast: boolean): Buffer {
    const cipher = createCipheriv(ALGORITHM, this.key, nonceOf(this.index, isLast), { authTagLength: TAG_BYTES });
    const bytes = cipher.update(this.block.subarray(0, this.used));
    cipher.final();
    this.index += 1;
    this.used = 0;
    return Buffer.concat([bytes, cipher.getAuthTag()]);
  }
}

/** A part of the stored form, in whole blocks. */
interface Blocks {
  /** A range of the stored bytes, the end exclusive. */
  readonly start: number;
  readonly end: number;
  readonly first: number;
}

/** The blocks that have the content from `start` to before `end`. */
export function blocksOf(start: number, end: number, stored: number): Blocks {
  const first = Math.floor(start / BLOCK_BYTES);
  const offset = HEADER_BYTES + first * STORED_BLOCK_BYTES;
  return {
    first,
    start: offset,
    end: Math.min(stored, HEADER_BYTES + Math.ceil(end / BLOCK_BYTES) * STORED_BLOCK_BYTES),
  };
}

interface Opening {
  readonly key: Uint8Array;
  readonly salt: Uint8Array;
  /** Stored size of the whole object. */
  readonly stored: number;
  readonly first: number;
  /** A range of the content, the end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** The content from `start` to before `end`, of the blocks that `blocksOf` tells. @throws ObjectDamagedError */
export async function* opened(blocks: AsyncIterable<Uint8Array>, opening: Opening): AsyncGenerator<Uint8Array> {
  const { key, salt, stored, first, start, end } = opening;
  const objectKey = objectKeyOf(key, salt);
  const last = Math.ceil((stored - HEADER_BYTES) / STORED_BLOCK_BYTES) - 1;
  let index = first;
  for await (const block of inBlocks(blocks)) {
    const plain = openedBlock(objectKey, block, nonceOf(index, index === last));
    const at = index * BLOCK_BYTES;
    const part = plain.subarray(Math.max(0, start - at), Math.max(0, end - at));
    index += 1;
    if (part.length > 0) yield part;
  }
  if (index * BLOCK_BYTES < end) throw new ObjectDamagedError('its end is missing');
}

function openedBlock(key: Uint8Array, block: Uint8Array, nonce: Uint8Array): Buffer {
  const end = block.length - TAG_BYTES;
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(block.subarray(end));
    const plain = decipher.update(block.subarray(0, end));
    decipher.final();
    return plain;
  } catch (error) {
    throw new ObjectDamagedError('it is not what was encrypted', { cause: error });
  }
}

/** The next block is read into the same memory. */
async function* inBlocks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const block = Buffer.allocUnsafe(STORED_BLOCK_BYTES);
  let used = 0;
  for await (const chunk of content)
    for (let at = 0; at < chunk.byteLength;) {
      const part = chunk.subarray(at, at + STORED_BLOCK_BYTES - used);
      block.set(part, used);
      used += part.byteLength;
      at += part.byteLength;
      if (used < STORED_BLOCK_BYTES) continue;
      yield block;
      used = 0;
    }
  if (used > 0) yield block.subarray(0, used);
}
