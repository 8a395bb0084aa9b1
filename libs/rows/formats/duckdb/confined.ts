import type { DuckDBConnection } from '@duckdb/node-api';

interface ConfinedOptions {
  /** The only folder whose files it may read and write. */
  readonly folder: string;
  readonly memoryMiB: number;
  readonly threads: number;
}

export interface ConfinedDuckDb {
  readonly connection: DuckDBConnection;
  readonly close: () => void;
}

/**
 * A separate DuckDB, in memory, that can access only one folder, loads no extensions, and has locked settings. The
 * native library is loaded here, with the first one.
 * @see https://duckdb.org/docs/stable/operations_manual/securing_duckdb/overview
 */
export async function openDuckDb({ folder, memoryMiB, threads }: ConfinedOptions): Promise<ConfinedDuckDb> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${memoryMiB}MiB`,
    threads: String(threads),
    temp_directory: `${folder}/spilled`,
    max_temp_directory_size: '4GiB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  });
  const connection = await instance.connect();
  for (const setting of [
    `SET allowed_directories = [${text(`${folder}/`)}]`,
    'SET enable_external_access = false',
    "SET TimeZone = 'UTC'",
    'SET lock_configuration = true',
  ])
    await connection.run(setting);
  return {
    connection,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** A SQL string literal. */
export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** A quoted SQL identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
