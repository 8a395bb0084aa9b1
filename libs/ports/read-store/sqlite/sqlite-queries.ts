import { startThread, ThreadCallError, ThreadStoppedError, type Thread } from '#primitives/thread/thread.js';
import {
  NotBuiltError,
  QueryNotIndexedError,
  ReadStoreUnavailableError,
  type Group,
  type Grouping,
  type JsonObject,
  type Query,
  type ReadStoreQueries,
} from '../port.js';
import { SqliteReadStore } from './sqlite-read-store.js';

/** Beyond these a query goes to the query thread. */
const SHORT_LIMIT = 200;
const SHORT_OFFSET = 1000;

/**
 * Queries for a thread that must not stall, such as one that answers HTTP. It gets documents and runs short finds over
 * a connection of its own; counts, sums and long finds run in a thread, started when first needed.
 */
export class SqliteQueries implements ReadStoreQueries {
  private readonly local: SqliteReadStore;
  private thread: Promise<Thread> | null = null;

  constructor(private readonly directory: string) {
    this.local = new SqliteReadStore({ directory, readOnly: true });
  }

  get<T extends JsonObject>(name: string, id: string): Promise<T | null> {
    return this.local.get<T>(name, id);
  }

  find<T extends JsonObject>(name: string, query: Query): Promise<readonly T[]> {
    return isShort(query) ? this.local.find<T>(name, query) : this.remote('find', name, query);
  }

  count(name: string, query: Pick<Query, 'where' | 'range' | 'filter'>): Promise<number> {
    return this.remote('count', name, query);
  }

  sum(name: string, query: Pick<Query, 'where'>, fields: readonly string[]): Promise<readonly number[]> {
    return this.remote('sum', name, query, fields);
  }

  group(
    name: string,
    query: Pick<Query, 'where' | 'range' | 'filter'>,
    grouping: Grouping,
  ): Promise<readonly Group[] | null> {
    return this.remote('group', name, query, grouping);
  }

  async close(): Promise<void> {
    const thread = await this.thread?.catch(() => null);
    await thread?.close();
    await this.local.close();
  }

  private async remote<T>(
    method: 'find' | 'count' | 'sum' | 'group',
    name: string,
    ...query: readonly object[]
  ): Promise<T> {
    try {
      return await (await this.started()).call<T>('queries', method, [name, ...query]);
    } catch (error) {
      if (error instanceof ThreadStoppedError) this.thread = null;
      throw asLocal(error);
    }
  }

  /** The queries thread; a new one if the last failed to start or has ended. */
  private started(): Promise<Thread> {
    const module = import.meta.resolve('./query-service.js');
    const options = { directory: this.directory };
    this.thread ??= startThread([{ name: 'queries', module, options }], { name: 'queries' }).catch((error: unknown) => {
      this.thread = null;
      throw error;
    });
    return this.thread;
  }
}

/**
 * Whether a query is cheap. One that matches any of several values sorts all of them for a small page; a filter may
 * scan everything to find few.
 */
const isShort = ({ where, filter, limit, offset = 0 }: Query): boolean =>
  limit <= SHORT_LIMIT && offset <= SHORT_OFFSET && !filter && !Object.values(where).some(Array.isArray);

/** The error as the same call in this thread would have thrown it. */
function asLocal(error: unknown): unknown {
  if (error instanceof ThreadStoppedError) return new ReadStoreUnavailableError(error.message, { cause: error });
  if (!(error instanceof ThreadCallError)) return error;
  if (error.errorName === 'QueryNotIndexedError') return new QueryNotIndexedError(error.message);
  if (error.errorName === 'NotBuiltError') return Object.assign(new NotBuiltError(''), { message: error.message });
  if (error.errorName === 'RangeError') return new RangeError(error.message);
  if (error.errorName === 'ReadStoreUnavailableError') return new ReadStoreUnavailableError(error.message);
  return error;
}
