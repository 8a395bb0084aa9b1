import { ABSENT, type Coordination } from '#ports/coordination/port.js';
import { seal, unseal, type SecretKey } from '#primitives/secrets/index.js';

const PREFIX = 'hub-token/';
const MAX_MS = 24 * 60 * 60 * 1000;
const MAX_LISTED = 10_000;

type Kept = { readonly sealed: string; readonly keptAt: number };

/**
 * Clients' own tokens for a hub, sealed, for work that continues after the request: for a day at most, and until the
 * work has ended. They occur in no event, log line or error.
 */
export class HubTokens {
  constructor(
    private readonly coordination: Coordination,
    private readonly secret: SecretKey,
  ) {}

  /** Stored before the work is requested, so that the worker finds the token. A second call keeps the first token. */
  async keep(versionId: string, token: string): Promise<void> {
    const kept: Kept = { sealed: seal(this.secret, token, versionId), keptAt: Date.now() };
    await this.coordination.compareAndSet(PREFIX + versionId, ABSENT, kept, MAX_MS);
  }

  /** null if it was removed. */
  async find(versionId: string): Promise<string | null> {
    const entry = await this.coordination.get(PREFIX + versionId);
    return entry && unseal(this.secret, (entry.value as Kept).sealed, versionId);
  }

  /** Seals every token under the secret in force. @returns how many were sealed under another */
  async sealAnew(): Promise<number> {
    let sealed = 0;
    for (const { key, value, version } of await this.coordination.list(PREFIX, MAX_LISTED)) {
      const versionId = key.slice(PREFIX.length);
      const kept = value as Kept;
      const left = kept.keptAt + MAX_MS - Date.now();
      const isDone = unseal(this.secret.accepting(null), kept.sealed, versionId) !== null;
      const token = isDone ? null : unseal(this.secret, kept.sealed, versionId);
      if (token === null || left <= 0) continue;
      const again: Kept = { ...kept, sealed: seal(this.secret, token, versionId) };
      if (await this.coordination.compareAndSet(key, { kind: 'version', version }, again, left)) sealed += 1;
    }
    return sealed;
  }

  forget(versionId: string): Promise<void> {
    return this.coordination.delete(PREFIX + versionId);
  }

  /** Versions whose tokens have been kept for at least this long. */
  async olderThan(ageMs: number): Promise<readonly string[]> {
    const entries = await this.coordination.list(PREFIX, MAX_LISTED);
    const before = Date.now() - ageMs;
    return entries.filter(({ value }) => (value as Kept).keptAt <= before).map(({ key }) => key.slice(PREFIX.length));
  }
}
