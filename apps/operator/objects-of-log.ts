import { References } from '#audit/references.js';
import { readStoredRows } from '#ports/event-store/sqlite/index.js';
import type { StoredEvent } from '#ports/event-store/stored-event.js';

/** Events after which nothing is stored any more at the address that a dataset version was uploaded to. */
const TAKEN: ReadonlySet<string> = new Set([
  ...['dataset-version-sealed.v1', 'dataset-version-merge-requested.v1', 'dataset-version-import-requested.v1'],
  ...['dataset-version-failed.v1', 'dataset-version-deleted.v1'],
]);

/** Objects that the log of a folder still refers to: not those of what it says was deleted, erased or used up. */
export class ObjectsOfLog {
  private readonly references = new References();
  private readonly endedBatches = new Set<string>();
  /** Addresses of uploads by the id of their version. */
  private readonly uploads = new Map<string, string>();

  /** @throws LogNotFoundError, LogDamagedError */
  static read(directory: string): ObjectsOfLog {
    const objects = new ObjectsOfLog();
    for (const page of readStoredRows(directory)) for (const event of page) objects.add(event);
    return objects;
  }

  has = (key: string): boolean => {
    const [kind, id] = key.split('/', 2);
    if (kind === 'batches') return !this.endedBatches.has(id!);
    if (kind === 'uploads') return [...this.uploads.values()].includes(key);
    return !this.references.mayBeGone({ key });
  };

  private add(event: StoredEvent): void {
    this.references.add(event);
    const isUploaded = event.type === 'dataset-version-initialized.v1';
    if (!isUploaded && !TAKEN.has(event.type) && event.type !== 'batch-ended.v1') return;
    const { batchId, versionId, uploadKey } = JSON.parse(event.data) as Readonly<Record<string, string>>;
    if (batchId !== undefined) this.endedBatches.add(batchId);
    else if (isUploaded) this.uploads.set(versionId!, uploadKey!);
    else this.uploads.delete(versionId!);
  }
}
