import { Documents } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { linesOf, reads, type ReadsDocument } from './projection.js';

const readsDocuments = new Documents<ReadsDocument>(reads);

interface ReadsQuery {
  readonly workspaceId: string;
  readonly actor?: string | undefined;
  readonly resource?: string | undefined;
  /** Bounds on the time, inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Documents with this number and lower ones. */
  readonly to?: number | undefined;
  readonly limit: number;
}

/** Documents that have such a read, newest first. */
export function readsPage(store: ReadStoreQueries, query: ReadsQuery): Promise<readonly ReadsDocument[]> {
  const { workspaceId, actor, resource, since, until, to, limit } = query;
  return readsDocuments.find(store, {
    where: { workspaceId },
    range: { field: 'n', from: 1, ...(to !== undefined && { to }) },
    filter: {
      ranges: [
        ...(since === undefined ? [] : [{ field: 'until', from: since } as const]),
        ...(until === undefined ? [] : [{ field: 'from', to: until } as const]),
      ],
      contains: [
        ...(actor === undefined ? [] : [{ field: 'actors', text: linesOf([actor]) } as const]),
        ...(resource === undefined ? [] : [{ field: 'resources', text: linesOf([resource]) } as const]),
      ],
    },
    order: { field: 'n', direction: 'descending' },
    limit,
  });
}
