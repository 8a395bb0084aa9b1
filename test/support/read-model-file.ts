import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Json, JsonObject } from '#domain/json.js';
import { Codec } from '#ports/read-store/sqlite/codec.js';
import type { TestSystem } from './api.js';

/** The file of a read model, as somebody with the data folder has it. */
export class ReadModelFile {
  constructor(
    private readonly system: Pick<TestSystem, 'settings'>,
    private readonly name: string,
  ) {}

  async documentOf(id: string): Promise<{ readonly [field: string]: Json }> {
    return this.within((documents, codec) => {
      const { doc } = documents.prepare('SELECT doc FROM documents WHERE key = ?').get(codec.key(id))!;
      return codec.decode(doc) as { readonly [field: string]: Json };
    });
  }

  /** A document may be JSON among packed ones. */
  async change(id: string, fields: JsonObject): Promise<void> {
    const changed = JSON.stringify({ ...(await this.documentOf(id)), ...fields });
    await this.within((documents, codec) =>
      documents.prepare('UPDATE documents SET doc = ? WHERE key = ?').run(changed, codec.key(id)),
    );
  }

  async rename(id: string, other: string): Promise<void> {
    await this.within((documents, codec) =>
      documents.prepare('UPDATE documents SET key = ? WHERE key = ?').run(codec.key(other), codec.key(id)),
    );
  }

  /** Lets nobody write the read model until the result is disposed: what is recorded meanwhile is not in it. */
  async held(): Promise<Disposable> {
    const documents = await this.open();
    documents.exec('BEGIN IMMEDIATE');
    return { [Symbol.dispose]: () => documents.close() };
  }

  private async within<T>(work: (documents: DatabaseSync, codec: Codec) => T): Promise<T> {
    using documents = await this.open();
    return work(documents, new Codec(documents));
  }

  private async open(): Promise<DatabaseSync> {
    const folder = join(this.system.settings.dataDir, 'read');
    const file = (await readdir(folder)).find((name) => name.startsWith(`${this.name}-v`) && name.endsWith('.db'))!;
    return new DatabaseSync(join(folder, file), { timeout: 5_000 });
  }
}
