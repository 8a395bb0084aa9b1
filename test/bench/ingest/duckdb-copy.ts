import { DuckDBInstance } from '@duckdb/node-api';
import { availableParallelism, setPriority } from 'node:os';

/**
 * `node duckdb-copy.js FOLDER FORMAT make|copy`: what DuckDB itself makes of a file, in a process of its own with the
 * memory that ours may take. `make` writes rows.csv or rows.parquet from rows.jsonl; `copy` reads rows.FORMAT and writes it
 * as JSON lines, as ours does, then reads it once more into a table, and prints what each took.
 */
// Same priority as the process that reads uploads, so that other load affects both alike.
setPriority(10);
const [folder = '', format = '', what = ''] = process.argv.slice(2);
const READ: Readonly<Record<string, string>> = {
  jsonl: `read_json('${folder}/rows.jsonl', format = 'newline_delimited')`,
  csv: `read_csv('${folder}/rows.csv')`,
  parquet: `read_parquet('${folder}/rows.parquet')`,
};
const instance = await DuckDBInstance.create(':memory:', {
  memory_limit: '1GiB',
  threads: String(availableParallelism()),
});
const connection = await instance.connect();
const run = async (sql: string) => {
  const start = performance.now();
  const before = process.cpuUsage();
  await connection.run(sql);
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6 };
};
if (what === 'make') {
  const rows = format === 'csv' ? `(SELECT text, to_json(entities) AS entities FROM ${READ.jsonl})` : READ.jsonl;
  await run(`COPY (FROM ${rows}) TO '${folder}/rows.${format}' (FORMAT ${format})`);
} else {
  const copy = await run(`COPY (FROM ${READ[format]}) TO '${folder}/copied.jsonl' (FORMAT json)`);
  const table = await run(`CREATE TABLE rows AS FROM ${READ[format]}`);
  console.log(JSON.stringify({ copy, table }));
}
connection.closeSync();
instance.closeSync();
