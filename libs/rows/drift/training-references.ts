import { ChildDiedError, readByChild } from '#primitives/confined-process/index.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import { TrainingBaseline, type TrainingReference } from '#domain/drift/index.js';
import type { DatasetPin } from '#domain/training-job/index.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import type { ReferenceMessage } from './protocol.js';

const CHILD = new URL('./child.js', import.meta.url);
const MAX_AT_ONCE = 2;
const LIMITS = { heapMiB: 512, memoryMiB: 2048, silenceMs: 60_000, totalMs: 60 * 60 * 1000 };
/** References in memory: about 100 KB each. */
const MAX_KEPT = 50;
/** Objects of a job are removed with it. The number changes when references are computed differently. */
const keyOf = (jobId: string): string => `jobs/${jobId}/drift-reference-1.json`;

/** A finished job and the rows that it learned. */
interface LearnedRows {
  readonly jobId: string;
  readonly workspaceId: string;
  readonly datasets: readonly Pick<DatasetPin, 'object' | 'rows'>[];
}

/** The rows can no longer be read, or not now. The message says which. */
export class NoReferenceError extends Error {
  override readonly name = 'NoReferenceError';
}

/**
 * Counters of the rows that jobs learned. Computed once, at the first request, in a separate process; kept beside the
 * job's files, even if the rows are deleted.
 */
export class TrainingReferences {
  private readonly slots = new FairSlots(MAX_AT_ONCE, { keepsSomeFree: true });
  /** By job, the most recently requested last. */
  private readonly kept = new Map<string, Promise<TrainingBaseline>>();

  constructor(private readonly application: { readonly ports: { readonly objectStore: ObjectStore } }) {}

  private get store(): ObjectStore {
    return this.application.ports.objectStore;
  }

  /** @throws NoReferenceError, ObjectStoreUnavailableError */
  of(rows: LearnedRows): Promise<TrainingBaseline> {
    const { jobId } = rows;
    const known = this.kept.get(jobId);
    const baseline = known ?? this.read(rows).then((reference) => new TrainingBaseline(reference));
    this.kept.delete(jobId);
    this.kept.set(jobId, baseline);
    if (this.kept.size > MAX_KEPT) this.kept.delete(this.kept.keys().next().value!);
    if (!known) baseline.catch(() => this.kept.delete(jobId));
    return baseline;
  }

  private async read(rows: LearnedRows): Promise<TrainingReference> {
    const key = keyOf(rows.jobId);
    try {
      const chunks = await Array.fromAsync(await this.store.get(key));
      return JSON.parse(Buffer.concat(chunks).toString()) as TrainingReference;
    } catch (error) {
      if (!(error instanceof ObjectNotFoundError || error instanceof SyntaxError)) throw error;
    }
    const reference = await this.slots.run(rows.workspaceId, () => this.make(rows));
    await this.store.put(key, Buffer.from(JSON.stringify(reference)));
    return reference;
  }

  private async make({ datasets }: LearnedRows): Promise<TrainingReference> {
    const { store } = this;
    const there = await Promise.all(datasets.map(({ object }) => store.stat(object.key)));
    if (there.includes(null)) throw new NoReferenceError('the rows that the version learned are no longer stored');
    async function* rows(): AsyncGenerator<Uint8Array> {
      for (const { object } of datasets) yield* await store.get(object.key);
    }
    try {
      const { signal } = new AbortController();
      const options = { ...LIMITS, program: CHILD, job: {}, signal };
      const { reference, rows: read } = await readByChild<ReferenceMessage>(rows(), options);
      if (read !== datasets.reduce((sum, each) => sum + each.rows, 0))
        throw new ChildDiedError('it did not read all rows');
      return reference;
    } catch (error) {
      const isExpected = error instanceof ChildDiedError || error instanceof ObjectNotFoundError;
      if (!isExpected) throw error;
      throw new NoReferenceError(`the rows that the version learned could not be read: ${error.message}`, {
        cause: error,
      });
    }
  }
}
