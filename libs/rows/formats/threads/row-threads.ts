import { Worker } from 'node:worker_threads';
import { BlockConverter } from '../convert-block.js';
import type { BlockSettings, ConvertedBlock } from '../blocks.js';

const THREAD = new URL('./row-thread.js', import.meta.url);

export interface RowThreadsOptions {
  readonly threads: number;
  /** Heap limit of each thread. */
  readonly heapMiB: number;
}

/** A thread's heap is full. */
export class ThreadMemoryError extends Error {
  override readonly name = 'ThreadMemoryError';
}

type Answer = { readonly block: ConvertedBlock } | { readonly error: Error };

/** Converts blocks, several at a time. The first one is done here, so that for a small file no thread is started. */
export class RowThreads {
  private readonly workers: { readonly worker: Worker; readonly waiting: ((answer: Answer) => void)[] }[] = [];
  private readonly here: BlockConverter;
  private isFirst = true;

  constructor(
    private readonly settings: BlockSettings,
    private readonly options: RowThreadsOptions,
  ) {
    this.here = new BlockConverter(settings);
  }

  /** @param bytes may be transferred to a thread: do not use them afterwards */
  async convert(bytes: Buffer): Promise<ConvertedBlock> {
    const isHere = this.isFirst || this.options.threads === 0;
    this.isFirst = false;
    if (isHere) return this.here.convert(bytes);
    if (this.workers.length === 0) this.start();
    const least = this.workers.reduce((a, b) => (b.waiting.length < a.waiting.length ? b : a));
    const answer = await new Promise<Answer>((resolve) => {
      least.waiting.push(resolve);
      const own = owned(bytes);
      least.worker.postMessage(own, [own.buffer]);
    });
    if ('error' in answer) throw answer.error;
    return answer.block;
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map(({ worker }) => worker.terminate()));
  }

  private start(): void {
    for (let index = 0; index < this.options.threads; index += 1) {
      const worker = new Worker(THREAD, {
        workerData: this.settings,
        resourceLimits: { maxOldGenerationSizeMb: this.options.heapMiB },
      });
      const waiting: ((answer: Answer) => void)[] = [];
      const fail = (error: Error) => {
        for (const resolve of waiting.splice(0)) resolve({ error });
      };
      worker.on('message', (block: ConvertedBlock) => waiting.shift()?.({ block }));
      worker.on('error', (error: NodeJS.ErrnoException) =>
        fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ThreadMemoryError(error.message) : error),
      );
      worker.on('exit', () => fail(new Error('the thread ended')));
      this.workers.push({ worker, waiting });
    }
  }
}

/** A copy whose buffer can be transferred. */
const owned = (bytes: Buffer): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength > bytes.buffer.byteLength / 2
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
