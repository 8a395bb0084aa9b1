import { hash, randomBytes } from 'node:crypto';

/** Keys of one tree: 2^14. */
const DEPTH = 14;
export const LEAVES = 2 ** DEPTH;
const KEY_BYTES = 32;
const NODE_BYTES = 1 + 2 + KEY_BYTES;

/** The secret of all leaves below a place of the tree. `path` has `depth` bits. */
interface Node {
  readonly depth: number;
  readonly path: number;
  readonly key: Uint8Array;
}

/**
 * 16,384 keys that follow from one random secret, each of which can be destroyed alone (a puncturable PRF, as of
 * Goldreich, Goldwasser and Micali: each half of the tree below a secret has the hash of that secret and one bit).
 * `without` drops the secrets above a leaf and keeps those beside its path, from which the leaf cannot be derived. So
 * no key is stored at its first use.
 */
export class KeyTree {
  /** Secrets from the found node down to the last leaf that was derived: neighbours share most of them. */
  private derived: Uint8Array[] = [];
  private last = -1;
  private from: Node | null = null;
  private readonly scratch = Buffer.alloc(KEY_BYTES + 1);

  private constructor(private readonly nodes: readonly Node[]) {}

  static create(): KeyTree {
    return new KeyTree([{ depth: 0, path: 0, key: randomBytes(KEY_BYTES) }]);
  }

  /** @throws RangeError for bytes that `encode` does not give */
  static decode(bytes: Uint8Array): KeyTree {
    if (bytes.length % NODE_BYTES !== 0) throw new RangeError('these bytes are no key tree');
    const read = Buffer.from(bytes);
    return new KeyTree(
      Array.from({ length: read.length / NODE_BYTES }, (_, place) => {
        const at = place * NODE_BYTES;
        return { depth: read[at]!, path: read.readUInt16BE(at + 1), key: read.subarray(at + 3, at + NODE_BYTES) };
      }),
    );
  }

  encode(): Buffer {
    return Buffer.concat(
      this.nodes.map(({ depth, path, key }) => {
        const head = Buffer.from([depth, 0, 0]);
        head.writeUInt16BE(path, 1);
        return Buffer.concat([head, key]);
      }),
    );
  }

  /** Whether every key was destroyed. */
  get isEmpty(): boolean {
    return this.nodes.length === 0;
  }

  /** A key of 32 bytes; null once it was destroyed. */
  leaf(index: number): Uint8Array | null {
    const shared = this.last < 0 ? 0 : DEPTH - (32 - Math.clz32(this.last ^ index));
    if (!this.from || shared < this.from.depth) {
      this.from = this.above(index);
      this.derived = this.from ? [this.from.key] : [];
      this.last = -1;
      if (!this.from) return null;
    }
    const start = this.last < 0 ? this.from.depth : Math.min(shared, this.from.depth + this.derived.length - 1);
    this.derived.length = start - this.from.depth + 1;
    for (let depth = start; depth < DEPTH; depth += 1)
      this.derived.push(this.half(this.derived.at(-1)!, (index >> (DEPTH - 1 - depth)) & 1));
    this.last = index;
    return this.derived.at(-1)!;
  }

  /** A tree without these keys, with all others. */
  without(indexes: Iterable<number>): KeyTree {
    return [...indexes].reduce<KeyTree>((tree, index) => tree.withoutOne(index), this);
  }

  private withoutOne(index: number): KeyTree {
    const found = this.above(index);
    if (!found) return this;
    const kept = this.nodes.filter((node) => node !== found);
    let { key } = found;
    for (let depth = found.depth; depth < DEPTH; depth += 1) {
      const bit = (index >> (DEPTH - 1 - depth)) & 1;
      const path = (index >> (DEPTH - 1 - depth)) ^ 1;
      kept.push({ depth: depth + 1, path, key: this.half(key, bit ^ 1) });
      key = this.half(key, bit);
    }
    return new KeyTree(kept);
  }

  private above(index: number): Node | null {
    return this.nodes.find(({ depth, path }) => index >> (DEPTH - depth) === path) ?? null;
  }

  private half(key: Uint8Array, bit: number): Uint8Array {
    this.scratch.set(key);
    this.scratch[KEY_BYTES] = bit;
    return hash('sha256', this.scratch, 'buffer');
  }
}
