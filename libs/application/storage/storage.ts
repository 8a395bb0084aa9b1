import { randomUUID } from 'node:crypto';
import { QueueFullError } from '#domain/errors.js';
import type { Entry } from '#ports/coordination/port.js';
import { storageDocuments, storedIn } from '#projections/storage/queries.js';
import type { ApplicationReads } from '../application-reads.js';
import { leftOf, minus, NOTHING, plus, requireRoom, type Amount } from './quota.js';
import { StorageReservation, type Reserved, type ReservedKind } from './reservation.js';
import { WorkspaceLimits } from './workspace-limits.js';

/** Longer than an upload may stay open (`abandoned-uploads`). */
const OPEN_UPLOAD_MS = 25 * 60 * 60_000;
/** A writer renews it with every step, so one that died does not hold room for long. */
const WRITING_MS = 60 * 60_000;
/** Higher than the number of open uploads that operators allow a workspace. */
const MAX_LISTED = 100_000;
const UPLOAD_RETRY_SECONDS = 60;
/** No limit. JSON keeps these numbers, but turns Infinity into null. */
const UNLIMITED: Amount = { bytes: Number.MAX_SAFE_INTEGER, rows: Number.MAX_SAFE_INTEGER };

/** Owners that are not workspaces, such as that of the benchmarks: only the operator stores there. */
const UNBOUNDED = new Set(['benchmarks']);

/**
 * Stored bytes and rows of workspaces, and their bounds. Stored amounts follow from the log (the read model `storage`); amounts being
 * written are reserved in coordination, before they are written, until that read model has it.
 */
export class Storage {
  readonly limits: WorkspaceLimits;

  constructor(private readonly application: ApplicationReads) {
    this.limits = new WorkspaceLimits(application);
  }

  async limit(workspaceId: string): Promise<Amount> {
    if (UNBOUNDED.has(workspaceId)) return UNLIMITED;
    const [bytes, rows] = await Promise.all([
      this.limits.of(workspaceId, 'stored_bytes'),
      this.limits.of(workspaceId, 'stored_rows'),
    ]);
    return { bytes, rows };
  }

  /** Includes files that are being written. */
  async used(workspaceId: string): Promise<Amount> {
    // In this order, a file that is stored between the two reads counts twice instead of being missed.
    const reserved = await this.reserved(workspaceId);
    return reserved.reduce(plus, await storedIn(this.application.ports.readStore, workspaceId));
  }

  async openUploads(workspaceId: string): Promise<number> {
    return (await this.reserved(workspaceId)).filter(({ kind }) => kind === 'upload').length;
  }

  async left(workspaceId: string): Promise<Amount> {
    const limit = await this.limit(workspaceId);
    return UNBOUNDED.has(workspaceId) ? limit : leftOf(limit, await this.used(workspaceId));
  }

  /**
   * @param more default: at least one byte and one row
   * @returns the amount left
   * @throws QuotaExceededError
   */
  async requireRoom(workspaceId: string, more: Partial<Amount> = { bytes: 1, rows: 1 }): Promise<Amount> {
    const limit = await this.limit(workspaceId);
    if (UNBOUNDED.has(workspaceId)) return limit;
    const used = await this.used(workspaceId);
    requireRoom(limit, used, { ...NOTHING, ...more });
    return leftOf(limit, used);
  }

  /** The reservation for an upload lasts until the upload is processed, deleted or abandoned. */
  reservation(workspaceId: string, versionId: string, kind: ReservedKind): StorageReservation {
    const key = `${prefixOf(workspaceId)}${versionId}/${kind}${kind === 'put' ? `/${randomUUID()}` : ''}`;
    const ttlMs = kind === 'upload' ? OPEN_UPLOAD_MS : WRITING_MS;
    const { coordination } = this.application.ports;
    return new StorageReservation(coordination, { key, value: { versionId, kind, ...NOTHING }, ttlMs }, async (own) => {
      if (UNBOUNDED.has(workspaceId)) return;
      // The entry is written first, so of two writers at least one sees the other.
      const [limit, used] = [await this.limit(workspaceId), await this.used(workspaceId)];
      requireRoom(limit, minus(used, own), own);
    });
  }

  /** @throws QueueFullError when the maximum of uploads is open */
  async openUpload(workspaceId: string, versionId: string): Promise<StorageReservation> {
    const limit = await this.limits.of(workspaceId, 'open_uploads');
    const upload = this.reservation(workspaceId, versionId, 'upload');
    await upload.write(NOTHING);
    const open = await this.openUploads(workspaceId);
    if (open <= limit) return upload;
    await upload.release();
    throw new QueueFullError(
      `this workspace has ${open - 1} unprocessed uploads, and may have ${limit}`,
      'open-uploads',
      { length: open - 1, limit },
      UPLOAD_RETRY_SECONDS,
      'end-uploads',
    );
  }

  /** Whether a file may still be uploaded for the version. */
  async isOpenUpload(workspaceId: string, versionId: string): Promise<boolean> {
    return (await this.application.ports.coordination.get(`${prefixOf(workspaceId)}${versionId}/upload`)) !== null;
  }

  /** Ends the reservations of a completed version. */
  async forget(workspaceId: string, versionId: string): Promise<void> {
    const { coordination } = this.application.ports;
    const kinds: readonly ReservedKind[] = ['upload', 'source', 'rows'];
    await Promise.all(kinds.map((kind) => coordination.delete(`${prefixOf(workspaceId)}${versionId}/${kind}`)));
  }

  /** Amounts being written, except those that the read model counts already. */
  private async reserved(workspaceId: string): Promise<readonly Reserved[]> {
    const { coordination } = this.application.ports;
    const entries = await coordination.list(prefixOf(workspaceId), MAX_LISTED);
    const found = await Promise.all(entries.map(async (entry) => ((await this.isCounted(entry)) ? null : entry)));
    return found.flatMap((entry) => (entry === null ? [] : [entry.value as unknown as Reserved]));
  }

  private async isCounted({ key, value }: Entry): Promise<boolean> {
    const { versionId, kind } = value as unknown as Reserved;
    if (kind === 'put') return false;
    const { readStore, coordination } = this.application.ports;
    const document = await storageDocuments.get(readStore, versionId);
    if (document?.files[kind === 'rows' ? 'rows' : 'source'] === undefined) return false;
    // The next reader cleans up otherwise: a read must not fail because a full disk accepts no writes.
    await coordination.delete(key).catch(() => undefined);
    return true;
  }
}

const prefixOf = (workspaceId: string): string => `storage/${workspaceId}/`;
