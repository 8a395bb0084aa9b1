import { KeyStoreUnavailableError } from '#ports/key-store/port.js';
import {
  ObjectNotFoundError,
  ObjectStoreUnavailableError,
  ObjectTooLargeError,
  servesItsAddresses,
  type ByteRange,
  type ListedObject,
  type ObjectContent,
  type ObjectStore,
  type ServedObject,
  type ServedObjectStore,
  type SignedAddress,
  type StoredObject,
} from '../port.js';
import {
  blocksOf,
  contentSize,
  DIGEST_BYTES,
  Encrypted,
  HEADER_BYTES,
  MIN_STORED_BYTES,
  opened,
  saltIn,
  storedSize,
} from './blocks.js';
import { scopeOf } from './scopes.js';

/** Keys by the name of what they encrypt. */
export interface NamedKeys {
  /** null if there is no key, or it was destroyed. */
  named(name: string): Promise<Uint8Array | null>;
  /** The same, and creates a missing key. null: objects of that name are stored unencrypted. */
  make(name: string): Promise<Uint8Array | null>;
  destroyNamed(name: string): Promise<void>;
}

type Stat = NonNullable<Awaited<ReturnType<ObjectStore['stat']>>>;

interface Sealed {
  readonly key: Uint8Array;
  readonly salt: Uint8Array;
  /** Of the stored bytes. */
  readonly stored: number;
}

/** More is encrypted in several turns. */
const AT_ONCE_BYTES = 1024 * 1024;
const MAX_SALTS = 10_000;

/**
 * The objects with rows encrypted, each under the key of its folder (`scopeOf`), which is destroyed when the folder or the only
 * object of that key is deleted: a copy of the objects that was made before then gives nothing. Others stay as they are. Sizes, hashes and
 * ranges are those of the content; only `list` tells the stored size. What was stored unencrypted is read as it is.
 */
export function encryptedObjects(store: ObjectStore, keys: NamedKeys): ObjectStore {
  return servesItsAddresses(store) ? new ServedEncryptedObjects(store, keys) : new EncryptedObjects(store, keys);
}

class EncryptedObjects implements ObjectStore {
  /** Whether uploads pass through this process. Those to a store with a server of its own do not, and stay unencrypted. */
  protected readonly takesUploads: boolean = false;
  private readonly salts = new Map<string, Buffer | null>();

  constructor(
    protected readonly store: ObjectStore,
    private readonly keys: NamedKeys,
  ) {}

  async put(key: string, content: ObjectContent, options: { readonly maxBytes?: number } = {}): Promise<StoredObject> {
    const encrypted = await this.encryption(key);
    if (encrypted === null) return this.store.put(key, content, options);
    const { maxBytes = Infinity } = options;
    const isSmall = content instanceof Uint8Array && content.byteLength <= Math.min(maxBytes, AT_ONCE_BYTES);
    const stored = isSmall
      ? encrypted.storedWhole(content)
      : encrypted.stored(limited(content instanceof Uint8Array ? slices(content) : content, maxBytes));
    return told(encrypted, await this.store.put(key, stored));
  }

  async get(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    const sealed = await this.sealed(key);
    if (sealed === null) return this.store.get(key, range);
    return this.content(key, sealed, range);
  }

  async stat(key: string): Promise<Stat | null> {
    const found = await this.store.stat(key);
    if (found === null) return null;
    try {
      const sealed = await this.sealed(key, found);
      return sealed ? { ...found, size: contentSize(sealed.stored) } : found;
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return null;
      throw error;
    }
  }

  async seal(from: string, to: string, options: { readonly maxBytes?: number } = {}): Promise<StoredObject> {
    const { maxBytes } = options;
    if (scopeOf(from) === scopeOf(to) && (await this.sealed(from)) !== null) {
      const limit = maxBytes === undefined ? {} : { maxBytes: storedSize(maxBytes) };
      const { size, sha256 } = await this.store.seal(from, to, limit).catch(asContent);
      return this.described(to, { size, sha256 });
    }
    return (await this.encryption(to)) ? this.copied(from, to, options) : this.store.seal(from, to, options);
  }

  list(prefix: string): AsyncIterable<ListedObject> {
    return this.store.list(prefix);
  }

  async delete(key: string): Promise<void> {
    if (scopeOf(key) === key) await this.keyed(() => this.keys.destroyNamed(key));
    await this.store.delete(key);
  }

  /** Keys are destroyed first: what is left of a deletion that breaks off cannot be read. */
  async deletePrefix(prefix: string): Promise<void> {
    const scopes = new Set<string>();
    const own = prefix.replace(/\/$/, '');
    if (scopeOf(`${own}/any`) === own) scopes.add(own);
    for await (const { key } of this.store.list(prefix)) {
      const scope = scopeOf(key);
      if (scope !== null && `${scope}/`.startsWith(prefix)) scopes.add(scope);
    }
    for (const scope of scopes) await this.keyed(() => this.keys.destroyNamed(scope));
    await this.store.deletePrefix(prefix);
  }

  presignPut(key: string, options: { readonly expiresInSeconds: number; readonly maxBytes: number }): Promise<string> {
    return this.store.presignPut(key, options);
  }

  /** @throws TypeError for an object that may be encrypted, because a presigned address would bypass decryption here */
  async presignGet(
    key: string,
    options: { readonly expiresInSeconds: number; readonly fileName: string },
  ): Promise<string> {
    if (scopeOf(key) !== null) throw new TypeError(`${key} holds rows, which only their own routes give out`);
    return this.store.presignGet(key, options);
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** The copy's content counts, because a source may be replaced at any time. */
  protected async copied(from: string, to: string, options: { readonly maxBytes?: number }): Promise<StoredObject> {
    return this.put(to, await this.get(from), options);
  }

  /** The key for the next object under this name; null: the object is stored unencrypted. */
  protected async encryption(key: string): Promise<Encrypted | null> {
    const scope = this.scopeOf(key);
    const made = scope === null ? null : await this.keyed(() => this.keys.make(scope));
    return made && new Encrypted(made);
  }

  /** The size and hash of encrypted content, as its blocks have them. */
  protected async described(key: string, stored: { size: number; sha256: string }): Promise<StoredObject> {
    const sealed = await this.sealed(key);
    if (sealed === null) throw new ObjectNotFoundError(key);
    const size = contentSize(sealed.stored);
    const digest = Buffer.concat(
      await Array.fromAsync(await this.blocks(key, sealed, { start: size, end: size + DIGEST_BYTES })),
    );
    return { key, size, sha256: digest.toString('hex'), stored };
  }

  private scopeOf(key: string): string | null {
    return key.startsWith('uploads/') && !this.takesUploads ? null : scopeOf(key);
  }

  /** null for an object that is not encrypted, or does not exist. @throws ObjectNotFoundError once its key was destroyed */
  private async sealed(key: string, present?: Stat): Promise<Sealed | null> {
    const scope = this.scopeOf(key);
    if (scope === null) return null;
    const found = present ?? (await this.store.stat(key));
    if (found === null || found.size < MIN_STORED_BYTES) return null;
    const salt = await this.salt(key, found.version);
    if (salt === null) return null;
    const named = await this.keyed(() => this.keys.named(scope));
    if (named === null) throw new ObjectNotFoundError(key);
    return { key: named, salt, stored: found.size };
  }

  /** null for an unencrypted object. A version of an object never changes, so that its header is read once. */
  private async salt(key: string, version: string): Promise<Buffer | null> {
    const name = `${key}\n${version}`;
    const known = this.salts.get(name);
    if (known !== undefined) return known;
    const header = await Array.fromAsync(await this.store.get(key, { start: 0, end: HEADER_BYTES }));
    const salt = saltIn(Buffer.concat(header));
    if (this.salts.size >= MAX_SALTS) this.salts.clear();
    this.salts.set(name, salt);
    return salt;
  }

  private async content(key: string, sealed: Sealed, range?: ByteRange): Promise<AsyncIterable<Uint8Array>> {
    const size = contentSize(sealed.stored);
    const { start, end = size } = range ?? { start: 0 };
    return this.blocks(key, sealed, { start, end: Math.min(end, size) });
  }

  private async blocks(
    key: string,
    sealed: Sealed,
    { start, end }: Required<ByteRange>,
  ): Promise<AsyncIterable<Uint8Array>> {
    if (end <= start) return nothing();
    const { first, ...range } = blocksOf(start, end, sealed.stored);
    return opened(await this.store.get(key, range), { ...sealed, first, start, end });
  }

  /** @throws ObjectStoreUnavailableError: without keys there are no objects now */
  private async keyed<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof KeyStoreUnavailableError)) throw error;
      throw new ObjectStoreUnavailableError(error.message, { cause: error });
    }
  }
}

class ServedEncryptedObjects extends EncryptedObjects implements ServedObjectStore {
  protected override readonly takesUploads = true;

  constructor(
    protected override readonly store: ServedObjectStore,
    keys: NamedKeys,
  ) {
    super(store, keys);
  }

  override presignPut(
    key: string,
    { expiresInSeconds, maxBytes }: { readonly expiresInSeconds: number; readonly maxBytes: number },
  ): Promise<string> {
    // Exactly as much content fits into a stored form of this size.
    const stored = scopeOf(key) === null ? maxBytes : storedSize(maxBytes);
    return super.presignPut(key, { expiresInSeconds, maxBytes: stored });
  }

  async acceptPut(address: SignedAddress, content: AsyncIterable<Uint8Array>): Promise<StoredObject> {
    let encrypted: Encrypted | null = null;
    const encryption = () => this.encryption(address.key);
    // Runs once the address was accepted: a forged or expired one must make no key.
    async function* stored(): AsyncGenerator<Uint8Array> {
      const chunks = content[Symbol.asyncIterator]();
      const first = await chunks.next();
      async function* whole() {
        if (!first.done) yield first.value;
        yield* { [Symbol.asyncIterator]: () => chunks };
      }
      encrypted = await encryption();
      yield* encrypted ? encrypted.stored(whole()) : whole();
    }
    const accepted = await this.store.acceptPut(address, stored()).catch(asContent);
    return encrypted ? told(encrypted, accepted) : accepted;
  }

  async openGet(address: SignedAddress): Promise<ServedObject> {
    const served = await this.store.openGet(address);
    const found = await this.stat(address.key);
    if (found === null) throw new ObjectNotFoundError(address.key);
    return { ...served, ...found, read: (range) => this.get(address.key, range) };
  }

  /** Sealed first: from then on nothing replaces the source. */
  protected override async copied(from: string, to: string, options: { readonly maxBytes?: number }) {
    await this.store.seal(from, to, options);
    return super.copied(from, to, options);
  }
}

/** The limit on stored bytes, reported to callers as a limit on content. */
function asContent(error: unknown): never {
  throw error instanceof ObjectTooLargeError ? new ObjectTooLargeError(contentSize(error.maxBytes)) : error;
}

const told = ({ size, sha256 }: Encrypted, { key, ...stored }: StoredObject): StoredObject => ({
  ...{ key, size, sha256 },
  stored: { size: stored.size, sha256: stored.sha256 },
});

async function* limited(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new ObjectTooLargeError(maxBytes);
    yield chunk;
  }
}

async function* slices(content: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.byteLength; at += AT_ONCE_BYTES) yield content.subarray(at, at + AT_ONCE_BYTES);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
