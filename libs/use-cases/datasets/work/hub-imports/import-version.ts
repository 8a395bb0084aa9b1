import { randomUUID } from 'node:crypto';
import { basename } from 'node:path/posix';
import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { loadVersion } from '#application/datasets.js';
import type { HubTokens } from '#application/hub-tokens.js';
import { ChildDiedError } from '#primitives/confined-process/index.js';
import { DEFAULT_LIMITS, UnreadableFileError } from '#rows/formats/index.js';
import { datasetDecider, type DatasetCommand, type DatasetVersion, type PinnedObject } from '#domain/dataset/index.js';
import { InvalidError, NotFoundError, QuotaExceededError, UnavailableError } from '#domain/errors.js';
import type { Hub } from '#models/hub/index.js';
import { underLease } from '#log/leadership/index.js';
import { fileRows } from '#rows/processing/file-rows.js';

type Importing = Extract<DatasetVersion, { status: 'importing' }>;

export interface ImportOptions {
  /** Limit on the hub's files together, in their stored size. */
  readonly maxBytes: number;
  /** Milliseconds after the request during which the hub may be down. */
  readonly giveUpMs: number;
}

/**
 * Fetches the file of a version from the hub, and seals it like an upload. The file is pinned by a commit, and counts
 * once the log names it; so after a crash it is simply fetched again.
 */
export class VersionImporter {
  private readonly worker = randomUUID();

  constructor(
    private readonly application: Application,
    private readonly hub: Hub,
    private readonly tokens: HubTokens,
    private readonly options: ImportOptions,
  ) {}

  /**
   * Imports a version; does nothing while another worker does, because an open version is offered again.
   * @param stream id of the dataset's stream
   * @throws when a retry may succeed
   */
  async import(stream: string, versionId: string, signal: AbortSignal): Promise<void> {
    const { coordination: leases } = this.application.ports;
    const lease = { leases, name: `dataset-import/${versionId}`, holder: this.worker };
    await underLease(lease, signal, async (held) => {
      const version = await this.open(stream, versionId);
      if (version === null) return;
      await this.settle(stream, version, held);
      await this.forgetEnded(stream, versionId);
    });
  }

  /** null if it is no longer wanted. */
  private async open(stream: string, versionId: string): Promise<Importing | null> {
    const version = await loadVersion(this.application, stream, versionId);
    return version?.status === 'importing' ? version : null;
  }

  private async settle(stream: string, version: Importing, signal: AbortSignal): Promise<void> {
    const { workspaceId, versionId, from } = version;
    const of = { workspaceId, versionId };
    const abandon = (reason: string) => this.decide(stream, { type: 'abandon-version', ...of, reason });
    const token = from.withToken ? await this.tokens.find(versionId) : null;
    if (from.withToken && token === null)
      return abandon('the token that came with the request is not kept any more; pull again');
    let source: PinnedObject;
    try {
      source = await this.fetch(version, token, signal);
    } catch (error) {
      if (signal.aborted) return;
      const reason = reasonOf(error);
      if (reason !== null) return abandon(reason);
      // `updatedAt` is the time of the request, since nothing has happened to the version since.
      const isLate = Date.now() - Date.parse(version.updatedAt) > this.options.giveUpMs;
      if (error instanceof UnavailableError && isLate) return abandon(error.message);
      throw error;
    }
    try {
      await this.decide(stream, { type: 'seal-version', ...of, source });
    } catch (error) {
      // Deleted in the meantime.
      if (!(error instanceof NotFoundError)) throw error;
      await this.application.ports.objectStore.delete(source.key).catch(() => undefined);
      await this.application.storage.forget(workspaceId, versionId);
    }
  }

  private async fetch(version: Importing, token: string | null, signal: AbortSignal) {
    const { workspaceId, versionId, from } = version;
    const { objectStore } = this.application.ports;
    // A unique key, so that two holders of the lease cannot touch each other's object.
    const key = `datasets/${workspaceId}/${versionId}/hub-${randomUUID()}`;
    const [first] = from.files;
    const isOne = from.files.length === 1 && first !== undefined;
    const content = isOne ? this.hub.read(from, first, token, signal) : this.rowsOfAll(version, token, signal);
    const maxBytes = isOne ? this.options.maxBytes : DEFAULT_LIMITS.unpackedBytes;
    const reserved = this.application.storage.reservation(workspaceId, versionId, 'source');
    try {
      const source = await objectStore.put(key, reserved.metered(content), { maxBytes });
      await reserved.hold({ bytes: source.size, rows: 0 });
      return source;
    } catch (error) {
      await objectStore.delete(key).catch(() => undefined);
      await reserved.release();
      throw error;
    }
  }

  /** Files of any formats concatenated, as JSONL. Rows that cannot be read are left to the processing, which knows `on_error`. */
  private async *rowsOfAll(version: Importing, token: string | null, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { from, datasetType, columnMapping, labelNames } = version;
    const meant = { datasetType, columnMapping, labelNames, format: from.format ?? null };
    for (const file of from.files)
      try {
        yield* fileRows(
          basename(file.path),
          this.hub.read(from, file, token, signal),
          { ...meant, keepsFaultsOf: file.path },
          signal,
        );
      } catch (error) {
        if (!(error instanceof UnreadableFileError)) throw error;
        throw new UnreadableFileError(`${file.path}: ${error.message}`);
      }
  }

  /** A token is not kept longer than its work takes. */
  private async forgetEnded(stream: string, versionId: string): Promise<void> {
    if ((await this.open(stream, versionId)) === null) await this.tokens.forget(versionId);
  }

  private async decide(stream: string, command: Extract<DatasetCommand, { versionId: string }>): Promise<void> {
    const context = systemContext('hub-imports', command.workspaceId);
    await this.application.execute(datasetDecider, stream, command, context);
  }
}

/** The reason of a permanent failure; null if a retry may succeed. */
function reasonOf(error: unknown): string | null {
  if (error instanceof InvalidError)
    return error.fields.map(({ path, message }) => `${path.at(-1)} ${message}`).join('; ');
  if (error instanceof NotFoundError || error instanceof UnreadableFileError) return error.message;
  if (error instanceof QuotaExceededError) return error.message;
  if (error instanceof ChildDiedError) return `reading a file of the hub broke down: ${error.message}`;
  if (error instanceof Error && error.name === 'ObjectTooLargeError') return `the files are ${error.message}`;
  return null;
}
