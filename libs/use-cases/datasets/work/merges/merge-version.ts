import { randomUUID } from 'node:crypto';
import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { loadVersion } from '#application/datasets.js';
import { encodeIndex, indexKey } from '#rows/formats/index.js';
import { datasetDecider, type DatasetCommand, type DatasetVersion, type MergeSource } from '#domain/dataset/index.js';
import { NotFoundError, QuotaExceededError } from '#domain/errors.js';
import { underLease } from '#log/leadership/index.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { verified } from '#ports/object-store/verified.js';
import { RowIndexer } from './row-index.js';

type Merging = Extract<DatasetVersion, { status: 'merging' }>;

/**
 * Concatenates the rows of the sources. Nothing is parsed: they are valid already. The output is the same for every
 * worker, and counts once the log names it; so after a crash it is simply repeated.
 */
export class VersionMerger {
  private readonly worker = randomUUID();

  constructor(private readonly application: Application) {}

  /**
   * Merges a version; does nothing while another worker does, because an open version is offered again.
   * @param stream id of the dataset's stream
   * @throws if the failure is not the sources' fault: retry later
   */
  async merge(stream: string, versionId: string, signal: AbortSignal): Promise<void> {
    const { coordination: leases } = this.application.ports;
    const lease = { leases, name: `dataset-merge/${versionId}`, holder: this.worker };
    await underLease(lease, signal, async (held) => {
      const version = await loadVersion(this.application, stream, versionId);
      if (version?.status === 'merging') await this.copy(stream, version, held);
    });
  }

  private async copy(stream: string, version: Merging, signal: AbortSignal): Promise<void> {
    const { objectStore } = this.application.ports;
    const { workspaceId, versionId, sources, contents } = version;
    // A unique key, so that two holders of the lease cannot touch each other's object.
    const key = `datasets/${workspaceId}/${versionId}/merged-${randomUUID()}.jsonl`;
    const indexer = new RowIndexer();
    const of = { workspaceId, versionId };
    const reserved = this.application.storage.reservation(workspaceId, versionId, 'rows');
    let mayBeNamed = false;
    try {
      await reserved.hold({ bytes: sources.reduce((sum, { object }) => sum + object.size, 0), rows: contents.rows });
      const object = await objectStore.put(key, this.rows(sources, indexer, signal));
      const index = indexer.index();
      if (index.rows !== contents.rows)
        throw new DamagedSourceError(`the sources hold ${index.rows} rows instead of ${contents.rows}`);
      const stored = await objectStore.put(indexKey(key), encodeIndex(index));
      signal.throwIfAborted();
      mayBeNamed = true;
      await this.decide(stream, { type: 'complete-merge', ...of, object, index: stored });
      if (!(await this.isTaken(stream, versionId, key))) await this.discard(key);
    } catch (error) {
      // Deleted in the meantime.
      const isUnwanted = error instanceof NotFoundError;
      if (!mayBeNamed || isUnwanted) {
        await this.discard(key);
        await reserved.release();
      }
      if (signal.aborted || isUnwanted) return;
      const reason = reasonOf(error);
      if (reason === null) throw error;
      await this.decide(stream, { type: 'abandon-version', ...of, reason });
    }
  }

  private async *rows(
    sources: readonly MergeSource[],
    indexer: RowIndexer,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    for (const { name, versionNumber, object } of sources) {
      const damaged = () => new DamagedSourceError(`the rows of ${name} version ${versionNumber} are damaged`);
      for await (const chunk of verified(
        await this.application.ports.objectStore.get(object.key),
        object.sha256,
        damaged,
      )) {
        signal.throwIfAborted();
        indexer.add(chunk);
        yield chunk;
      }
    }
  }

  private async isTaken(stream: string, versionId: string, key: string): Promise<boolean> {
    const version = await loadVersion(this.application, stream, versionId);
    const stage = version?.status === 'deleted' ? version.before : version;
    return stage?.status === 'ready' && stage.object.key === key;
  }

  /** Best effort: objects that no event names do not count. */
  private async discard(key: string): Promise<void> {
    const { objectStore } = this.application.ports;
    await Promise.allSettled([objectStore.delete(key), objectStore.delete(indexKey(key))]);
  }

  private async decide(stream: string, command: Extract<DatasetCommand, { versionId: string }>): Promise<void> {
    await this.application.execute(
      datasetDecider,
      stream,
      command,
      systemContext('dataset-merges', command.workspaceId),
    );
  }
}

/** The reason of a permanent failure; null if a retry may succeed. */
function reasonOf(error: unknown): string | null {
  if (error instanceof ObjectNotFoundError) return 'the rows of a source are no longer there';
  return error instanceof DamagedSourceError || error instanceof QuotaExceededError ? error.message : null;
}

class DamagedSourceError extends Error {
  override readonly name = 'DamagedSourceError';
}
