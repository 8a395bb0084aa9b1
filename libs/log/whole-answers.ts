import { UnavailableError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import type { Query, ReadStoreQueries } from '#ports/read-store/port.js';
import type { Visibility } from './visibility.js';

const RETRY_AFTER_S = 5;

/**
 * Queries that never return a partial answer: while a read model is being built from the start, or is far behind a
 * restored log, its lists and counts are refused, and so are documents that it lacks.
 */
export function wholeAnswers(queries: ReadStoreQueries, visibility: Visibility): ReadStoreQueries {
  const requireWhole = (name: string): void => {
    if (visibility.isIncomplete(name)) throw building();
  };
  return {
    async get<T extends JsonObject>(name: string, id: string): Promise<T | null> {
      const document = await queries.get<T>(name, id);
      if (document === null) {
        requireWhole(name);
        if (visibility.isStale(name)) throw stale();
      }
      return document;
    },
    async find<T extends JsonObject>(name: string, query: Query): Promise<readonly T[]> {
      requireWhole(name);
      return queries.find<T>(name, query);
    },
    async count(name, query): Promise<number> {
      requireWhole(name);
      return queries.count(name, query);
    },
    async sum(...query): ReturnType<ReadStoreQueries['sum']> {
      requireWhole(query[0]);
      return queries.sum(...query);
    },
    async group(...query): ReturnType<ReadStoreQueries['group']> {
      requireWhole(query[0]);
      return queries.group(...query);
    },
  };
}

const building = () =>
  new UnavailableError('this list is being rebuilt from the event log; try again when /health/ready is 200', {
    retryAfterSeconds: RETRY_AFTER_S,
  });
const stale = () =>
  new UnavailableError('recent records cannot be read now; try again', { retryAfterSeconds: RETRY_AFTER_S });
