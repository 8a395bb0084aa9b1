import { ChildDiedError, readByChild } from '#primitives/confined-process/index.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import type { ReadyVersion } from '#domain/dataset/index.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import type { RowsJob, RowsMessage } from './protocol.js';
import type { FoundRows, RowSearchPage } from './row-search.js';
import type { VersionReport } from './report.js';
import type { VersionDiff } from './version-diff.js';

const CHILD = new URL('./child.js', import.meta.url);
const MAX_AT_ONCE = 2;
const LIMITS = { heapMiB: 512, memoryMiB: 2048, silenceMs: 60_000, totalMs: 60 * 60 * 1000 };
/** Reports and differences that are kept: about 10 KB each, at most some 500. */
const MAX_KEPT = 100;

/** The rows of a version: their type, and their place. */
export type ReportedVersion = Pick<ReadyVersion, 'object' | 'datasetType' | 'contents'>;

/**
 * Computes reports on ready versions and differences of two, each in a separate process; a few at a time, one of a
 * workspace, in turns. Rows never change, so results are cached by their hash, while there is room: a repeated request
 * costs nothing.
 */
export class VersionReports {
  private readonly slots = new FairSlots(MAX_AT_ONCE, { keepsSomeFree: true });
  /** The most recently requested last. */
  private readonly kept = new Map<string, VersionReport | VersionDiff>();

  /**
   * @param heldOut the version whose texts must not be among these
   * @param signal ends the work when the client has disconnected
   * @throws ObjectNotFoundError, ChildDiedError
   */
  async report(
    store: ObjectStore,
    version: ReportedVersion,
    heldOut: ReportedVersion | null,
    workspaceId: string,
    signal: AbortSignal,
  ): Promise<VersionReport> {
    return (await this.made('report', { store, version, other: heldOut, workspaceId, signal })) as VersionReport;
  }

  /** @param from the earlier version. Otherwise as `report` */
  async diff(
    store: ObjectStore,
    from: ReportedVersion,
    to: ReportedVersion,
    workspaceId: string,
    signal: AbortSignal,
  ): Promise<VersionDiff> {
    return (await this.made('diff', { store, version: to, other: from, workspaceId, signal })) as VersionDiff;
  }

  /** The rows that a search takes; nothing of it is kept. Otherwise as `report` */
  async search(
    store: ObjectStore,
    version: ReportedVersion,
    search: RowSearchPage,
    workspaceId: string,
    signal: AbortSignal,
  ): Promise<FoundRows> {
    const asked = { store, version, other: null, search, workspaceId, signal };
    return (await this.slots.run(workspaceId, () => make('search', asked))) as FoundRows;
  }

  private async made(makes: 'report' | 'diff', asked: Asked): Promise<VersionReport | VersionDiff> {
    const { version, other, workspaceId, signal } = asked;
    const key = JSON.stringify([
      makes,
      ...[version, other].map((each) => each && [each.object.sha256, each.datasetType]),
    ]);
    const known = this.known(key);
    if (known) return known;
    return this.slots.run(workspaceId, async () => {
      signal.throwIfAborted();
      // An earlier request for the same may have completed in the meantime.
      return this.known(key) ?? this.keep(key, (await make(makes, asked)) as VersionReport | VersionDiff);
    });
  }

  private known(key: string): VersionReport | VersionDiff | null {
    const made = this.kept.get(key);
    return made === undefined ? null : this.keep(key, made);
  }

  private keep<T extends VersionReport | VersionDiff>(key: string, made: T): T {
    this.kept.delete(key);
    this.kept.set(key, made);
    if (this.kept.size > MAX_KEPT) this.kept.delete(this.kept.keys().next().value!);
    return made;
  }
}

interface Asked {
  readonly store: ObjectStore;
  readonly version: ReportedVersion;
  readonly other: ReportedVersion | null;
  readonly search?: RowSearchPage;
  readonly workspaceId: string;
  readonly signal: AbortSignal;
}

async function make(
  makes: RowsJob['makes'],
  { store, version, other, search, signal }: Asked,
): Promise<RowsMessage['made']> {
  const { datasetType } = version;
  const job: RowsJob = {
    makes,
    datasetType,
    ...(search && { search }),
    other: other && { rows: other.contents.rows, datasetType: other.datasetType },
  };
  async function* rows(): AsyncGenerator<Uint8Array> {
    if (other) yield* await store.get(other.object.key);
    yield* await store.get(version.object.key);
  }
  const { made } = await readByChild<RowsMessage>(rows(), { ...LIMITS, program: CHILD, job, signal });
  const read = 'to' in made ? made.to.rows : made.rows;
  if (read !== version.contents.rows) throw new ChildDiedError('it did not read all rows');
  return made;
}
