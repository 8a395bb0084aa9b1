/** A stored secret and which of its versions this is. */
export interface StoredSecret {
  readonly bytes: Uint8Array;
  readonly version: number;
}

/**
 * Secrets by id, outside the log and outside its backups. What is replaced or removed can not be read from the store any more.
 */
export interface KeyStore {
  /** null where there is none, or none any more. @throws KeyStoreUnavailableError as all others */
  get(id: string): Promise<StoredSecret | null>;
  /** Stores a secret under a new id. Resolves once it would survive a power failure. */
  create(id: string, bytes: Uint8Array): Promise<void>;
  /**
   * Replaces that version; null removes it.
   * @returns false when another one has replaced it meanwhile
   */
  replace(id: string, version: number, bytes: Uint8Array | null): Promise<boolean>;
  /** The ids of all secrets that are there. */
  ids(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export class KeyStoreUnavailableError extends Error {
  override readonly name = 'KeyStoreUnavailableError';
}
