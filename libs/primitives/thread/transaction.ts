import type { DatabaseSync } from 'node:sqlite';
import type { ThreadCall, ThreadOutcome } from './service.js';

/**
 * Runs calls that arrived together in one transaction with one synced commit. A call that throws is rolled back alone
 * (a savepoint) and the others stay; if the commit fails, nothing is stored and every call gets that error.
 */
export function inOneTransaction(
  database: DatabaseSync,
  calls: readonly ThreadCall[],
  handle: (method: string, args: readonly unknown[]) => unknown,
): readonly ThreadOutcome[] {
  try {
    database.exec('BEGIN IMMEDIATE');
    const outcomes = calls.map((call) => inSavepoint(database, () => handle(call.method, call.args)));
    database.exec('COMMIT');
    return outcomes;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    return calls.map(() => ({ ok: false, error }));
  }
}

function inSavepoint(database: DatabaseSync, handle: () => unknown): ThreadOutcome {
  database.exec('SAVEPOINT one_call');
  try {
    const value = handle();
    database.exec('RELEASE one_call');
    return { ok: true, value };
  } catch (error) {
    database.exec('ROLLBACK TO one_call; RELEASE one_call');
    return { ok: false, error };
  }
}
