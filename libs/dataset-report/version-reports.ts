import { ChildDiedError, readByChild } from '#primitives/confined-process/index.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import type { ReadyVersion } from '#domain/dataset/index.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import type { ReportJob, ReportMessage } from './protocol.js';
import type { VersionReport } from './report.js';

const CHILD = new URL('./child.js', import.meta.url);
const MAX_AT_ONCE = 2;
const LIMITS = { heapMiB: 512, memoryMiB: 2048, silenceMs: 60_000, totalMs: 60 * 60 * 1000 };
/** Reports that are kept: about 10 KB each, at most some 500. */
const MAX_KEPT = 100;

/** The rows of a version: what they are, and where. */
export type ReportedVersion = Pick<ReadyVersion, 'object' | 'datasetType' | 'contents'>;

/**
 * Makes reports on ready versions, each in a process of its own; a few at a time, one of a workspace, in turns. Rows never change, so a
 * report is kept by their hash, while there is room: asked for again it costs nothing.
 */
export class VersionReports {
  private readonly slots = new FairSlots(MAX_AT_ONCE, { keepsSomeFree: true });
  /** The most recently asked for last. */
  private readonly kept = new Map<string, VersionReport>();

  /**
   * @param heldOut the version whose texts must not be among these
   * @param signal ends the work when nobody waits for it any more
   * @throws ObjectNotFoundError, ChildDiedError
   */
  async report(
    store: ObjectStore,
    version: ReportedVersion,
    heldOut: ReportedVersion | null,
    workspaceId: string,
    signal: AbortSignal,
  ): Promise<VersionReport> {
    const key = JSON.stringify([version, heldOut].map((each) => each && [each.object.sha256, each.datasetType]));
    const known = this.known(key);
    if (known) return known;
    return this.slots.run(workspaceId, async () => {
      signal.throwIfAborted();
      // An earlier request for the same report may have completed in the meantime.
      return this.known(key) ?? this.keep(key, await makeReport(store, version, heldOut, signal));
    });
  }

  private known(key: string): VersionReport | null {
    const report = this.kept.get(key);
    return report === undefined ? null : this.keep(key, report);
  }

  private keep(key: string, report: VersionReport): VersionReport {
    this.kept.delete(key);
    this.kept.set(key, report);
    if (this.kept.size > MAX_KEPT) this.kept.delete(this.kept.keys().next().value!);
    return report;
  }
}

async function makeReport(
  store: ObjectStore,
  version: ReportedVersion,
  heldOut: ReportedVersion | null,
  signal: AbortSignal,
): Promise<VersionReport> {
  const { datasetType } = version;
  const job: ReportJob = {
    datasetType,
    heldOut: heldOut && { rows: heldOut.contents.rows, datasetType: heldOut.datasetType },
  };
  async function* rows(): AsyncGenerator<Uint8Array> {
    if (heldOut) yield* await store.get(heldOut.object.key);
    yield* await store.get(version.object.key);
  }
  const { report } = await readByChild<ReportMessage>(rows(), { ...LIMITS, program: CHILD, job, signal });
  if (report.rows !== version.contents.rows) throw new ChildDiedError('it did not read all rows');
  return report;
}
