/**
 * The object store port: data too large for an event, identified by the hash and size that an event holds. Keys are
 * slash-separated words of `[A-Za-z0-9._-]`, made by us, never by a client. Every method but `close`, and the content
 * that `get` gives, may throw an ObjectStoreUnavailableError: a change may then have been made or not. Proven for every
 * adapter by `contract.ts`.
 */
export interface ObjectStore {
  /**
   * Stores the whole object or nothing; replaces an existing one.
   * @throws ObjectTooLargeError beyond maxBytes
   */
  put(key: string, content: ObjectContent, options?: PutOptions): Promise<StoredObject>;
  /** The whole, or bytes from `start` to before `end`. @throws ObjectNotFoundError */
  get(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** `version`: changes with the content, as far as the store can see without reading it. */
  stat(key: string): Promise<{ readonly size: number; readonly version: string } | null>;
  /**
   * Copies to a key that no presigned address reaches, so that a later PUT changes nothing; the size and sha256 are
   * those of the copy. The caller is the only writer of that key. With `maxBytes`, larger objects are not copied.
   * @throws ObjectNotFoundError, ObjectTooLargeError
   */
  seal(from: string, to: string, options?: { readonly maxBytes?: number }): Promise<StoredObject>;
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removing a missing object succeeds. */
  delete(key: string): Promise<void>;
  deletePrefix(prefix: string): Promise<void>;

  /**
   * An absolute address that accepts a PUT without a key, until it expires. Not every store can limit a PUT to
   * `maxBytes`: give it to `seal` too.
   */
  presignPut(key: string, options: { readonly expiresInSeconds: number; readonly maxBytes: number }): Promise<string>;
  presignGet(key: string, options: { readonly expiresInSeconds: number; readonly fileName: string }): Promise<string>;

  close(): Promise<void>;
}

export interface ListedObject {
  readonly key: string;
  /** Of the stored bytes. */
  readonly size: number;
  /** Changes with the content, as in `stat`; compare it with those of lists only. */
  readonly version: string;
}

export interface PutOptions {
  readonly maxBytes?: number;
  /** Sends the SHA-256 of small content along, as a bucket with object lock demands; not every server takes it. */
  readonly sendChecksum?: boolean;
}

/** Bytes from `start` to before `end`; to the last one without it. */
export interface ByteRange {
  readonly start: number;
  readonly end?: number;
}

export type ObjectContent = Uint8Array | AsyncIterable<Uint8Array>;

export interface StoredObject {
  readonly key: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /**
   * Size and hash of the stored bytes of an encrypted object, whose `size` and hash describe the content. Absent: the content
   * is stored unencrypted.
   */
  readonly stored?: { readonly size: number; readonly sha256: string };
}

export class ObjectNotFoundError extends Error {
  override readonly name = 'ObjectNotFoundError';
  constructor(readonly key: string) {
    super(`object ${key} does not exist`);
  }
}

/** The stored bytes are not those that were encrypted. Thrown while content is read. */
export class ObjectDamagedError extends Error {
  override readonly name = 'ObjectDamagedError';
}

export class ObjectTooLargeError extends Error {
  override readonly name = 'ObjectTooLargeError';
  constructor(readonly maxBytes: number) {
    super(`larger than ${maxBytes} bytes`);
  }
}

/** The store cannot be reached now; the object may exist or not. Try again later. */
export class ObjectStoreUnavailableError extends Error {
  override readonly name = 'ObjectStoreUnavailableError';
}

/**
 * An object store without a server of its own, whose presigned addresses lead to the API (`/objects/<key>`). Other
 * stores' addresses lead elsewhere, and the API then serves none.
 */
export interface ServedObjectStore extends ObjectStore {
  /**
   * Stores the body of a PUT to a presigned address.
   * @throws AddressRefusedError when the address is forged, for another method, or expired
   * @throws ObjectTooLargeError when the content is beyond what the address allows
   * @throws ObjectSealedError when the object has been sealed since
   */
  acceptPut(address: SignedAddress, content: AsyncIterable<Uint8Array>): Promise<StoredObject>;
  /** @throws AddressRefusedError, ObjectNotFoundError */
  openGet(address: SignedAddress): Promise<ServedObject>;
}

/** The path after `/objects/` and the query of an address, both untrusted. */
export interface SignedAddress {
  readonly key: string;
  readonly query: Readonly<Record<string, string | undefined>>;
}

export interface ServedObject {
  readonly size: number;
  /** As `stat` returns it. */
  readonly version: string;
  readonly fileName: string;
  /** @throws ObjectNotFoundError when it has been removed since */
  readonly read: (range?: ByteRange) => Promise<AsyncIterable<Uint8Array>>;
}

export const servesItsAddresses = (store: ObjectStore): store is ServedObjectStore => 'acceptPut' in store;

export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError';
}

export class ObjectSealedError extends Error {
  override readonly name = 'ObjectSealedError';
  constructor(readonly key: string) {
    super('the upload has been taken into processing; ask for a new upload address to send another file');
  }
}
