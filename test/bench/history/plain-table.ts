import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { join } from 'node:path';
import { Codec } from '#ports/read-store/sqlite/codec.js';
import type { ListInferencesQuery } from '#apps/api/routes/inferences/dto.js';
import { WORKSPACE } from '#test/support/recorded-calls.js';

/** The obvious solution: a table with an index per filter and time, `ORDER BY ... LIMIT ... OFFSET`, `count(*)`. */
export class PlainTable {
  private readonly database: DatabaseSync;

  /** @param documents the file of the read model, whose documents it copies */
  constructor(directory: string, documents: string) {
    this.database = new DatabaseSync(join(directory, 'plain.db'));
    const columns = ['workspaceId', 'createdAt', 'modelId', 'task', 'projectId', 'trainingJobId', 'latencyMs'];
    const indexed = ['modelId', 'task', 'projectId', 'trainingJobId'];
    this.database.exec(`
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      CREATE TABLE calls (id TEXT PRIMARY KEY, doc TEXT, ${columns.join(', ')});
    `);
    const values = columns.map((name) => `json_extract(?1, '$.${name}')`).join(', ');
    const insert = this.database.prepare(`INSERT INTO calls VALUES (json_extract(?1, '$.id'), ?1, ${values})`);
    const source = new DatabaseSync(documents, { readOnly: true });
    const codec = new Codec(source);
    for (const { doc } of source.prepare('SELECT doc FROM documents').iterate())
      insert.run(JSON.stringify(codec.decode(doc)));
    source.close();
    this.database.exec(`
      CREATE INDEX i0 ON calls (workspaceId, createdAt, id);
      ${indexed.map((name, n) => `CREATE INDEX i${n + 1} ON calls (workspaceId, ${name}, createdAt, id);`).join('\n')}
      ANALYZE;
    `);
  }

  page(query: Partial<ListInferencesQuery>): { readonly rows: number; readonly total: number } {
    const { sql, values } = conditions(query);
    const rows = this.database
      .prepare(`SELECT doc FROM calls WHERE ${sql} ORDER BY createdAt DESC, id DESC LIMIT ? OFFSET ?`)
      .all(...values, query.limit ?? 100, query.offset ?? 0)
      .map((row) => JSON.parse(row['doc'] as string) as unknown);
    const counted = this.database.prepare(`SELECT count(*) AS total FROM calls WHERE ${sql}`).get(...values);
    return { rows: rows.length, total: counted?.['total'] as number };
  }

  close(): void {
    this.database.close();
  }
}

function conditions(query: Partial<ListInferencesQuery>): { readonly sql: string; readonly values: SQLInputValue[] } {
  const terms: [string, SQLInputValue | undefined][] = [
    ['workspaceId = ?', WORKSPACE],
    ['modelId = ?', query.model_id],
    ['task = ?', query.task],
    ['projectId = ?', query.project_id],
    ['trainingJobId = ?', query.training_job_id],
    ['latencyMs >= ?', query.latency_min],
    ['latencyMs <= ?', query.latency_max],
    ['createdAt >= ?', query.since],
    ['createdAt <= ?', query.until],
  ];
  const given = terms.filter((term): term is [string, SQLInputValue] => term[1] !== undefined);
  return { sql: given.map(([sql]) => sql).join(' AND '), values: given.map(([, value]) => value) };
}
