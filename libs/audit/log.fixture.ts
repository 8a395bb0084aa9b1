import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#domain/json.js';
import { expectedAfter } from '#ports/event-store/port.js';
import { openSqliteEventStore, readStoredRows, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import { FolderObjectStore } from '#ports/object-store/folder/index.js';
import { extendTree, type PublishedHead } from './builder.js';
import { signerOf, type Verifier } from './checkpoint.js';
import type { Finding } from './finding.js';
import type { LogSigner } from './signing.js';
import { storedPages } from './stored-pages.js';
import { TreeFiles } from './tree-files.js';
import { verifyLog, type Verified, type VerifyOptions } from './verify.js';

export const signer = signerOf('anneal/test', Buffer.alloc(32, 1));

/** A log with its objects and its tree, in a folder of its own. */
export class AuditedLog {
  private constructor(
    readonly directory: string,
    readonly store: SqliteEventStore,
    readonly objects: FolderObjectStore,
  ) {}

  static async open(): Promise<AuditedLog> {
    const directory = await mkdtemp(join(tmpdir(), 'anneal-audit-'));
    const store = await openSqliteEventStore({ directory, durability: 'normal' });
    const objects = { directory: join(directory, 'objects'), signingKeys: [Buffer.alloc(32)], publicUrl: 'http://x' };
    return new AuditedLog(directory, store, new FolderObjectStore(objects));
  }

  get files(): TreeFiles {
    return new TreeFiles(this.objects);
  }

  /** Appends one event behind `revision`, the last one of the stream; -1 for none. */
  async append(stream: string, revision: number, type: string, data: JsonObject): Promise<void> {
    const id = randomUUID();
    const causes = { correlationId: id, causationId: id, commandId: id };
    const metadata = { workspaceId: 'w1', actor: 'user:ada', ...causes, occurredAt: '2030-01-01T00:00:00.000Z' };
    await this.store.append(stream, expectedAfter(revision), [{ id, type, data, metadata }]);
  }

  /** Appends events to a new stream. */
  async appendMany(stream: string, count: number): Promise<void> {
    for (let revision = -1; revision < count - 1; revision += 1)
      await this.append(stream, revision, 'thing-done.v1', { revision, text: `Done ${revision} – ✓` });
  }

  /** @param by the key that signs */
  extend(by: LogSigner = signer): Promise<PublishedHead | null> {
    return extendTree({
      files: this.files,
      read: (position) => storedPages(this.store, position),
      signer: by,
      verifiers: [signer, by],
      saltKey: '00'.repeat(32),
    });
  }

  /** Changes the file behind the store's back. */
  tamper(sql: string): void {
    const database = new DatabaseSync(join(this.directory, 'log.db'));
    database.exec(sql);
    database.close();
  }

  async verify(
    earlier: readonly string[] = [],
    witnesses: readonly Verifier[] = [],
    verifiers: readonly Verifier[] = [signer],
    outside: Pick<VerifyOptions, 'kept' | 'authorities'> = {},
  ): Promise<Verified & { readonly findings: readonly Finding[] }> {
    const findings: Finding[] = [];
    const verified = await verifyLog({
      events: readStoredRows(this.directory),
      objects: this.objects,
      ...{ verifiers, earlier, witnesses, ...outside },
      onFinding: (finding) => findings.push(finding),
    });
    return { ...verified, findings };
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.objects.close();
    await rm(this.directory, { recursive: true });
  }
}
