/** A stored secret and which of its versions this is. */
export interface StoredSecret {
  readonly bytes: Uint8Array;
  readonly version: number;
}

/**
 * Secrets by id, outside the log and its backups. A replaced or removed secret cannot be read from the store any more.
 */
export interface KeyStore {
  /**
   * null if there is no secret, or it was removed.
   * @throws KeyStoreUnavailableError, as all methods do
   */
  get(id: string): Promise<StoredSecret | null>;
  /** Stores a secret under a new id. Resolves once it would survive a power failure. */
  create(id: string, bytes: Uint8Array): Promise<void>;
  /**
   * Replaces that version; null removes it.
   * @returns false if another process has replaced it since
   */
  replace(id: string, version: number, bytes: Uint8Array | null): Promise<boolean>;
  /** The ids of all secrets. */
  ids(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export class KeyStoreUnavailableError extends Error {
  override readonly name = 'KeyStoreUnavailableError';
}
