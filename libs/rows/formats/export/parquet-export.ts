import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { ConfinedProcess, lendFolder } from '#primitives/confined-process/index.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import type { ExportJob, TableExportMessage } from './protocol.js';

interface ExportedFile {
  readonly content: Readable;
  /** Bytes. */
  readonly size: number;
}

const CHILD = new URL('./child.js', import.meta.url);
const MAX_AT_ONCE = 2;
const LIMITS = { heapMiB: 512, memoryMiB: 3072, silenceMs: 60_000, totalMs: 60 * 60 * 1000 };

/** Writes stored rows as Parquet files, each in its own process and folder; a few at a time, workspaces in turns. */
export class ParquetExport {
  private readonly slots = new FairSlots(MAX_AT_ONCE);

  /** @param temporary parent of the folders; by default `TMPDIR` */
  constructor(private readonly temporary?: string) {}

  /**
   * The whole file, to be read once; its folder is removed when its content is closed.
   * @param rowsKey of canonical rows
   * @param signal ends it when the caller has disconnected
   * @throws ObjectNotFoundError, ChildDiedError
   */
  async open(
    store: ObjectStore,
    rowsKey: string,
    columns: readonly string[],
    workspaceId: string,
    signal: AbortSignal,
  ): Promise<ExportedFile> {
    return this.made(() => store.get(rowsKey), columns, workspaceId, signal);
  }

  /**
   * As `open`, for rows that are read when their turn comes.
   * @param rows as JSON lines
   */
  make(
    rows: AsyncIterable<Uint8Array>,
    columns: readonly string[],
    workspaceId: string,
    signal: AbortSignal,
  ): Promise<ExportedFile> {
    return this.made(() => Promise.resolve(rows), columns, workspaceId, signal);
  }

  private async made(
    read: () => Promise<AsyncIterable<Uint8Array>>,
    columns: readonly string[],
    workspaceId: string,
    signal: AbortSignal,
  ): Promise<ExportedFile> {
    const { folder, remove } = await lendFolder(LIMITS.totalMs, this.temporary);
    try {
      const { path, size } = await this.slots.run(workspaceId, async () => {
        signal.throwIfAborted();
        return write(await read(), { columns, folder }, signal);
      });
      signal.throwIfAborted();
      const content = createReadStream(path);
      content.once('close', () => void remove());
      return { content, size };
    } catch (error) {
      await remove();
      throw error;
    }
  }
}

async function write(rows: AsyncIterable<Uint8Array>, job: ExportJob, signal: AbortSignal) {
  const child = new ConfinedProcess<TableExportMessage>(job, { ...LIMITS, program: CHILD, folder: job.folder, signal });
  try {
    const fed = child.feed(rows);
    // `message` is awaited below; the rows' failure needs its own handler.
    fed.catch(() => undefined);
    for (;;) {
      const message = await child.next();
      if (message.kind === 'working') continue;
      await fed;
      return message;
    }
  } finally {
    await child.stop();
  }
}
