import type { CreateService } from '#primitives/thread/service.js';
import type { Grouping, Query } from '../port.js';
import { SqliteReadStore } from './sqlite-read-store.js';

/** Counts and long queries, in their own thread. */
export const createService: CreateService<{ readonly directory: string }> = ({ directory }) => {
  const store = new SqliteReadStore({ directory, readOnly: true });
  return {
    handle(method, [name, query, fields]) {
      switch (method) {
        case 'find':
          return store.find(name as string, query as Query);
        case 'count':
          return store.count(name as string, query as Query);
        case 'sum':
          return store.sum(name as string, query as Query, fields as readonly string[]);
        case 'group':
          return store.group(name as string, query as Query, fields as Grouping);
        default:
          throw new Error(`the query thread has no method ${method}`);
      }
    },
    close: () => store.close(),
  };
};
