import type { DatasetType, PinnedObject, ReadyVersion } from '#domain/dataset/index.js';
import { DamagedError } from '#domain/errors.js';
import { ConfinedProcess, withFolder } from '#primitives/confined-process/index.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import { atOnce } from '#primitives/waiting/at-once.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { verified } from '#ports/object-store/verified.js';
import type { FeedbackRow, MergeCounts, MergeJob, MergeMessage, MergedSource, SourcesAnswer } from './protocol.js';

const CHILD = new URL('./child.js', import.meta.url);
const MAX_AT_ONCE = 2;
const SOURCES_AT_ONCE = 8;
const LIMITS = { heapMiB: 1024, memoryMiB: 2048, silenceMs: 60_000, totalMs: 60 * 60 * 1000 };

/** Feedback to merge into the rows of a version. */
interface MergeRequest {
  readonly workspaceId: string;
  readonly base: ReadyVersion;
  readonly rows: readonly FeedbackRow[];
  /** Rows whose texts go to another dataset: no row with one stays. */
  readonly heldOut: readonly FeedbackRow[];
  /** Whether calls of some persons give no row. */
  readonly excludesSome: boolean;
  /** Looks up a call in the workspace. */
  readonly sourceOf: (inferenceId: string) => Promise<MergedSource>;
}

/** The merged rows, and the counts of the changes. */
export interface Merged {
  readonly object: PinnedObject;
  readonly counts: MergeCounts;
  /** Texts of replaced rows, the first ones. */
  readonly conflicting: readonly string[];
  readonly datasetType: DatasetType;
}

/**
 * Merges feedback into versions, each in a separate process, from the object store and back into it; a few at a time,
 * workspaces in turns.
 */
export class FeedbackMerges {
  private readonly slots = new FairSlots(MAX_AT_ONCE, { keepsSomeFree: true });

  /**
   * @param key of the stored rows
   * @throws DamagedError, ChildDiedError
   */
  put(store: ObjectStore, key: string, request: MergeRequest): Promise<Merged> {
    return this.slots.run(request.workspaceId, () =>
      withFolder(LIMITS.totalMs, (folder) => merge(store, key, request, folder)),
    );
  }
}

async function merge(store: ObjectStore, key: string, request: MergeRequest, folder: string): Promise<Merged> {
  const { base, rows, heldOut, excludesSome: asksAll } = request;
  const { datasetType, contents, object } = base;
  const job: MergeJob = {
    ...{ corrections: rows.length, heldOut: heldOut.length, asksAll },
    base: {
      datasetType,
      multiLabel: contents.multiLabel,
      classTasks: contents.classTasks?.map(({ name, multiLabel }) => ({ name, isList: multiLabel })) ?? null,
    },
  };
  async function* input(): AsyncGenerator<Uint8Array> {
    for (const row of [...rows, ...heldOut]) yield Buffer.from(`${JSON.stringify(row)}\n`);
    yield* verified(await store.get(object.key).catch(whereGone), object.sha256, damaged);
  }
  const { signal } = new AbortController();
  const child = new ConfinedProcess<MergeMessage, SourcesAnswer>(job, { ...LIMITS, program: CHILD, folder, signal });
  try {
    const fed = child.feed(input());
    const put = store.put(key, child.output());
    // Both are awaited below; until then their failures need a listener.
    for (const each of [fed, put]) each.catch(() => undefined);
    for (;;) {
      const message = await child.next();
      if (message.kind === 'sources') {
        const sources: [string, MergedSource][] = [];
        await atOnce(message.ids, SOURCES_AT_ONCE, async (id) => void sources.push([id, await request.sourceOf(id)]));
        child.tell(sources);
        continue;
      }
      await fed;
      const object = await put;
      const { counts, conflicting } = message;
      return { object, counts, conflicting, datasetType: message.datasetType };
    }
  } finally {
    await child.stop();
  }
}

function whereGone(error: unknown): never {
  throw error instanceof ObjectNotFoundError ? damaged() : error;
}

const damaged = () =>
  new DamagedError(
    'The stored rows of the version of merge_with are gone or damaged. Restore the object store from a backup.',
  );
