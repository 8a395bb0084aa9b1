import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { UNREPORTED, type Background } from '#primitives/background/background.js';
import { KeyTree, LEAVES } from '#primitives/secrets/key-tree.js';
import { openKeyStore, type KeyStoreLocation } from './open.js';
import type { KeyStore } from './port.js';
import { NONCE, sealed, unsealed } from './sealed.js';

/** The place of the keys, and the key under which they are stored, as plain data that a thread can be given. Never log it. */
export interface ContentKeysLocation {
  readonly store: KeyStoreLocation;
  /** Keys of 32 bytes: from the installation's secret, then from the previous one. The first wraps, and any unwraps. */
  readonly wrappingKeys: readonly Uint8Array[];
}

/** A key that is used for one content. */
export interface ContentKey {
  /** `<book>/<number>` */
  readonly id: string;
  readonly key: Uint8Array;
}

/** A key that was destroyed. The fingerprint distinguishes keys, and reveals nothing else about them. */
export interface DestroyedKey {
  readonly id: string;
  readonly fingerprint: string;
}

/** A tree of keys under an id. */
interface Book {
  readonly id: string;
  readonly tree: KeyTree;
  next: number;
}

interface ReadBook {
  /** null: all of its keys were destroyed, or another secret wraps it. */
  readonly tree: KeyTree | null;
  /** Milliseconds of the monotonic clock. */
  readonly readAt: number;
}

/** Key of the store's own id, beside the books. */
const STORE_ID = 'store';
/** How long this process may use a key that another one has destroyed. */
const TRUSTED_MS = 1_000;
const MAX_READ_BOOKS = 256;
const TRIES = 50;

/**
 * Keys of contents: one for each content, and a named one for each owner of several. Keys come in books of 16,384, each
 * a tree under one stored secret, so that a new key costs no write; a key is destroyed by storing the rest of its tree.
 */
export class ContentKeys {
  private current: Book | null = null;
  private coming: Promise<Book> | null = null;
  private readonly read = new Map<string, ReadBook>();
  private opening: Promise<KeyStore> | null = null;

  constructor(
    private readonly location: ContentKeysLocation,
    private readonly background: Background = UNREPORTED,
  ) {}

  /** Opens the store, as every method that needs it does: a thread that needs no key opens none. @throws if it cannot be opened */
  open(): Promise<KeyStore> {
    this.opening ??= openKeyStore(this.location.store).catch((error: unknown) => {
      this.opening = null;
      throw error;
    });
    return this.opening;
  }

  /** The id of the store; null before it has one. @throws KeyStoreUnavailableError */
  async storeId(): Promise<string | null> {
    const stored = await (await this.open()).get(STORE_ID);
    return stored && Buffer.from(stored.bytes).toString();
  }

  /** The id of the store; makes one if there is none. */
  async identify(): Promise<string> {
    const known = await this.storeId();
    if (known !== null) return known;
    const id = randomUUID();
    try {
      await (await this.open()).create(STORE_ID, Buffer.from(id));
      return id;
    } catch (error) {
      // Another process may have been first.
      const others = await this.storeId();
      if (others === null) throw error;
      return others;
    }
  }

  /** Whether any key was ever created here. */
  async hasKeys(): Promise<boolean> {
    return (await (await this.open()).ids()).some((id) => id !== STORE_ID);
  }

  /** Stores keys in advance, so that the first contents need no store. */
  async ready(): Promise<void> {
    if (!this.current) await this.begin();
  }

  /**
   * An unused key.
   * @returns a promise only if a book must be stored first
   * @throws KeyStoreUnavailableError
   */
  next(): ContentKey | Promise<ContentKey> {
    const book = this.current;
    if (!book || book.next === LEAVES) return this.turnOver();
    // Stored before it is needed.
    if (book.next === LEAVES - LEAVES / 4) void this.background.once('store-content-keys', this.newBook());
    const index = book.next;
    book.next += 1;
    return { id: `${book.id}/${index}`, key: book.tree.leaf(index)! };
  }

  /**
   * The key of this id; null if it was destroyed, or cannot be read.
   * @throws KeyStoreUnavailableError
   */
  async get(id: string): Promise<Uint8Array | null> {
    const { book, index } = placeOf(id);
    const known = this.read.get(book);
    if (known && performance.now() - known.readAt < TRUSTED_MS) return known.tree?.leaf(index) ?? null;
    const stored = await (await this.open()).get(book);
    const tree = stored && this.unwrapped(book, stored.bytes);
    this.read.delete(book);
    this.read.set(book, { tree, readAt: performance.now() });
    for (const other of this.read.keys()) {
      if (this.read.size <= MAX_READ_BOOKS) break;
      this.read.delete(other);
    }
    return tree?.leaf(index) ?? null;
  }

  /** Fingerprints of the keys that exist, in the order of their ids. */
  async fingerprints(ids: Iterable<string>): Promise<readonly DestroyedKey[]> {
    const found: DestroyedKey[] = [];
    for (const id of ids) {
      const key = await this.get(id);
      if (key) found.push({ id, fingerprint: createHash('sha256').update(key).digest('hex').slice(0, 16) });
    }
    return found;
  }

  /**
   * Destroys keys forever. Missing ones are skipped.
   * @returns whether any of them existed
   * @throws KeyStoreUnavailableError
   */
  async destroy(ids: Iterable<string>): Promise<boolean> {
    const byBook = new Map<string, number[]>();
    for (const id of ids) {
      const { book, index } = placeOf(id);
      byBook.set(book, [...(byBook.get(book) ?? []), index]);
    }
    let existed = false;
    for (const [book, indexes] of byBook) {
      const isChanged = await this.change(book, (bytes) => {
        const tree = this.unwrapped(book, bytes);
        const left = tree?.without(indexes);
        if (!left || left === tree) return undefined;
        return left.isEmpty ? null : this.wrapped(book, left);
      });
      if (isChanged) this.read.delete(book);
      existed ||= isChanged;
    }
    return existed;
  }

  /** The named key, which encrypts everything of one owner; null before it is made, and after it was destroyed. @throws KeyStoreUnavailableError */
  named(name: string): Promise<Uint8Array | null> {
    return this.get(namedKey(name));
  }

  /** The same, made where there is none. @throws KeyStoreUnavailableError */
  async make(name: string): Promise<Uint8Array> {
    const known = await this.named(name);
    if (known) return known;
    this.read.delete(name);
    try {
      await (await this.open()).create(name, this.wrapped(name, KeyTree.create()));
    } catch (error) {
      // Another process may have been first.
      const others = await this.named(name);
      if (others === null) throw error;
      return others;
    }
    return (await this.named(name)) ?? this.make(name);
  }

  /** Destroys a named key. Does nothing if there is none. @throws KeyStoreUnavailableError */
  async destroyNamed(name: string): Promise<void> {
    const store = await this.open();
    for (let stored = await store.get(name); stored; stored = await store.get(name))
      if (await store.replace(name, stored.version, null)) break;
    this.read.delete(name);
  }

  /**
   * Wraps with the first key every book that another key wraps. @returns the number of such books; the others are wrapped with
   * it already, or with none of the keys
   */
  async rewrap(): Promise<number> {
    const [first] = this.location.wrappingKeys;
    let rewrapped = 0;
    for (const book of await (await this.open()).ids()) {
      if (book === STORE_ID) continue;
      const isChanged = await this.change(book, (bytes) => {
        const isDone = unsealed(first!, bytes.subarray(0, NONCE), bytes.subarray(NONCE), book) !== null;
        const tree = isDone ? null : this.unwrapped(book, bytes);
        return tree ? this.wrapped(book, tree) : undefined;
      });
      if (isChanged) rewrapped += 1;
    }
    return rewrapped;
  }

  async close(): Promise<void> {
    await (await this.opening)?.close();
  }

  /** Stores what `change` makes of a book: null removes it, undefined leaves it. @returns whether it was changed */
  private async change(book: string, change: (bytes: Uint8Array) => Uint8Array | null | undefined): Promise<boolean> {
    const store = await this.open();
    for (let tries = 0; tries < TRIES; tries += 1) {
      const stored = await store.get(book);
      const changed = stored ? change(stored.bytes) : undefined;
      if (changed === undefined) return false;
      if (await store.replace(book, stored!.version, changed)) return true;
    }
    throw new Error(`other processes changed the keys of ${book} at each of ${TRIES} tries`);
  }

  private async turnOver(): Promise<ContentKey> {
    await this.begin();
    return this.next();
  }

  private async begin(): Promise<void> {
    const book = await this.newBook();
    // Several callers may have waited for the same book.
    if (this.current !== book) [this.current, this.coming] = [book, null];
  }

  private newBook(): Promise<Book> {
    this.coming ??= this.made().catch((error: unknown) => {
      this.coming = null;
      throw error;
    });
    return this.coming;
  }

  private async made(): Promise<Book> {
    const [id, tree] = [randomUUID(), KeyTree.create()];
    await (await this.open()).create(id, this.wrapped(id, tree));
    return { id, tree, next: 0 };
  }

  private wrapped(id: string, tree: KeyTree): Uint8Array {
    const nonce = randomBytes(NONCE);
    return Buffer.concat([nonce, sealed(this.location.wrappingKeys[0]!, nonce, tree.encode(), id)]);
  }

  private unwrapped(id: string, bytes: Uint8Array): KeyTree | null {
    for (const key of this.location.wrappingKeys) {
      const opened = unsealed(key, bytes.subarray(0, NONCE), bytes.subarray(NONCE), id);
      if (opened) return KeyTree.decode(opened);
    }
    return null;
  }
}

/** The id of a named key. */
export const namedKey = (name: string): string => `${name}/0`;

function placeOf(id: string): { readonly book: string; readonly index: number } {
  const at = id.lastIndexOf('/');
  return { book: id.slice(0, at), index: Number(id.slice(at + 1)) };
}
