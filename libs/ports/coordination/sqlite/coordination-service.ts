import { mkdirSync } from 'node:fs';
import type { CreateService } from '#primitives/thread/service.js';
import type { ServiceToStart } from '#primitives/thread/thread.js';
import { inOneTransaction } from '#primitives/thread/transaction.js';
import { CoordinationTables } from './coordination-tables.js';
import { openForWriting } from './database.js';

interface CoordinationServiceOptions {
  /** The data folder; made when missing. */
  readonly directory: string;
  /** `full` (the default): each commit is synced before it is acknowledged. */
  readonly durability?: 'full' | 'normal';
}

export const COORDINATION_SERVICE = 'coordination';

/** The writer of coordination.db as a service of the store thread; started after the log's, which locks the folder. */
export function coordinationService(options: CoordinationServiceOptions): ServiceToStart {
  return { name: COORDINATION_SERVICE, module: import.meta.resolve('./coordination-service.js'), options };
}

type Handler = (now: number, ...args: never[]) => unknown;

/** The first argument of every method is the caller's time. Calls that arrive together share one commit. */
export const createService: CreateService<CoordinationServiceOptions> = ({ directory, durability = 'full' }) => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const database = openForWriting(directory, durability);
  const tables = new CoordinationTables(database);
  const handlers: Readonly<Record<string, Handler>> = {
    compareAndSet: tables.compareAndSet.bind(tables),
    delete: tables.delete.bind(tables),
    increment: tables.increment.bind(tables),
    acquireLease: tables.acquireLease.bind(tables),
    releaseLease: tables.releaseLease.bind(tables),
  };
  const handle = (method: string, [now, ...args]: readonly unknown[]): unknown => {
    const handler = handlers[method];
    if (!handler) throw new Error(`coordination has no method ${method}`);
    tables.sweepSometimes(now as number);
    return handler(now as number, ...(args as never[]));
  };
  return {
    handle,
    handleGroup: (calls) => inOneTransaction(database, calls, handle),
    close: () => database.close(),
  };
};
