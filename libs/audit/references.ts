import { isTrainingState } from '#domain/training-job/training-state.js';
import type { StoredEvent } from './entries.js';

/** An object as an event names it. */
export interface Reference {
  readonly key: string;
  /** Of the bytes that are stored. */
  readonly sha256: string;
  /** null if the event does not say. */
  readonly size: number | null;
  /** Position of the event. */
  readonly position: string;
}

type Data = Readonly<Record<string, unknown>>;
type Bytes = Pick<Reference, 'sha256' | 'size'>;

/** Files beside an evaluation's predictions whose content's hash its event has, by the field. */
const BESIDE = { countsSha256: 'counts.f64', factsSha256: 'facts.jsonl' } as const;

/**
 * Objects removed once an event of this type is on the log: those below a prefix, or with exactly that key; one or a
 * list.
 */
const REMOVALS: Readonly<Record<string, (data: Data, workspaceId: unknown) => unknown>> = {
  'training-job-deleted.v1': ({ jobId }) => `jobs/${String(jobId)}/`,
  'evaluation-deleted.v1': ({ evaluationId }) => `evaluations/${String(evaluationId)}/`,
  'evaluation-predictions-erased.v1': ({ evaluationId }) => `evaluations/${String(evaluationId)}/`,
  'dataset-version-purged.v1': ({ versionId, objects = [] }, workspaceId) => [
    `datasets/${String(workspaceId)}/${String(versionId)}/`,
    ...(objects as readonly string[]),
  ],
  'call-content-erased.v1': ({ objectKey }) => objectKey,
  'generation-job-erased.v1': ({ objectKey }) => objectKey,
};

/** Collects the objects that events reference, and which of them an event has removed. */
export class References {
  private readonly named = new Map<string, Reference>();
  private readonly encrypted = new Set<string>();
  private readonly removed: string[] = [];
  /** Folders of which the log names every object. */
  private readonly namedFolders = new Set<string>();

  /** An event of the log, later than those before. */
  add({ type, data, metadata, position }: StoredEvent): void {
    const removal = REMOVALS[type];
    if (removal) {
      const { workspaceId } = JSON.parse(metadata) as { workspaceId: unknown };
      for (const prefix of [removal(JSON.parse(data) as Data, workspaceId)].flat())
        if (typeof prefix === 'string') this.removed.push(prefix);
    }
    // Most events name none, and are not worth parsing.
    if (data.includes('"sha256":"')) this.collect(JSON.parse(data), position);
  }

  /** Each object once, as it was last named. */
  all(): readonly Reference[] {
    return [...this.named.values()];
  }

  /** Folders of which events name every object, unless one has removed them. */
  wholeFolders(): readonly string[] {
    return [...this.namedFolders].filter((folder) => !this.mayBeGone({ key: folder }));
  }

  has(key: string): boolean {
    return this.named.has(key);
  }

  mayBeGone = ({ key }: Pick<Reference, 'key'>): boolean =>
    this.removed.some((prefix) => (prefix.endsWith('/') ? key.startsWith(prefix) : key === prefix));

  /** @param stored where the object is encrypted, which events that only tell of its content do not say again */
  private name(key: string, content: Bytes, stored: Bytes | undefined, position: string): void {
    if (stored) this.encrypted.add(key);
    if (stored || !this.encrypted.has(key))
      this.named.set(key, { key, sha256: (stored ?? content).sha256, size: (stored ?? content).size, position });
  }

  private collect(value: unknown, position: string): void {
    if (typeof value !== 'object' || value === null) return;
    const { key, objectKey, objectPrefix, sha256, size, files, stored, beside } = value as Data;
    const name = key ?? objectKey;
    if (typeof name === 'string' && typeof sha256 === 'string' && typeof size === 'number')
      this.name(name, { sha256, size }, stored as Bytes | undefined, position);
    if (typeof objectKey === 'string' && Array.isArray(beside)) this.namedFolders.add(objectKey.replace(/[^/]*$/, ''));
    // The event of an encrypted file lacks the hash of the stored bytes.
    if (typeof objectKey === 'string' && stored === undefined && beside === undefined)
      for (const [field, file] of Object.entries(BESIDE)) {
        const content = (value as Data)[field];
        const besideKey = objectKey.replace(/[^/]*$/, file);
        if (typeof content === 'string') this.name(besideKey, { sha256: content, size: null }, undefined, position);
      }
    if (typeof objectPrefix === 'string' && Array.isArray(files))
      for (const file of files as readonly { name: string; sha256: string; size: number }[])
        // A later checkpoint removes the state from which a stopped training would resume.
        if (!isTrainingState(file))
          this.named.set(`${objectPrefix}/${file.name}`, { ...file, key: `${objectPrefix}/${file.name}`, position });
    for (const part of Object.values(value)) this.collect(part, position);
  }
}
