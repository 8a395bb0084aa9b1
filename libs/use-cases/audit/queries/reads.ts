import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { ReadsDocument } from '#projections/reads/projection.js';
import { readsPage } from '#projections/reads/queries.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { notACursor } from '../../not-a-cursor.js';

/** Documents that are in memory at once. */
const MAX_AT_ONCE = 50;

/** A read of the workspace: the number of its document, and its place there. */
interface Place {
  readonly n: number;
  readonly at: number;
}

interface ReadsRequest {
  /** As records name it: `call/<id>`, `calls`, `dataset/<name>/<version>`. */
  readonly resource?: string;
  /** `key:<id>` or `user:<id>`. */
  readonly actor?: string;
  /** ISO 8601, inclusive. */
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly cursor?: string;
}

type RecordedRead = ReadsDocument['reads'][number] & Pick<ReadsDocument, 'from' | 'until' | 'event'>;

interface ReadPage {
  readonly reads: readonly RecordedRead[];
  /** null on the last page. */
  readonly next_cursor: string | null;
}

/** Lists the recorded reads of contents, newest first. */
export class ListReads extends CallerQuery<ReadsRequest, ReadPage> {}

@QueryHandler(ListReads)
export class ListReadsHandler implements IQueryHandler<ListReads> {
  constructor(private readonly application: Application) {}

  /** @throws InvalidError for an invalid cursor */
  async execute({ caller: { workspaceId }, input: query }: ListReads): Promise<ReadPage> {
    const { limit, cursor, ...filters } = query;
    const start = cursor === undefined ? null : placeOf(cursor);
    const found: RecordedRead[] = [];
    for await (const { document, at, read } of this.matching(workspaceId, filters, start)) {
      if (found.length === limit) return { reads: found, next_cursor: `${document.n}-${at}` };
      const { from, until, event } = document;
      found.push({ ...read, from, until, event });
    }
    return { reads: found, next_cursor: null };
  }

  /** Reads from a place on, newest document first. */
  private async *matching(
    workspaceId: string,
    { actor, resource, since, until }: Omit<ReadsRequest, 'limit' | 'cursor'>,
    start: Place | null,
  ) {
    let to = start?.n;
    for (;;) {
      const filters = { workspaceId, actor, resource, since, until, to };
      const documents = await readsPage(this.application.ports.readStore, { ...filters, limit: MAX_AT_ONCE });
      for (const document of documents)
        for (const [at, read] of document.reads.entries()) {
          const isBefore = document.n === start?.n && at < start.at;
          const matches = (actor ?? read.actor) === read.actor && (resource ?? read.resource) === read.resource;
          if (matches && !isBefore) yield { document, at, read };
        }
      const last = documents.at(-1);
      if (!last || documents.length < MAX_AT_ONCE) return;
      to = numberOf(last) - 1;
    }
  }
}

/** Every stored document is numbered. */
const numberOf = ({ n }: ReadsDocument): number => n ?? 0;

function placeOf(cursor: string): Place {
  const [, n, at] = /^(\d{1,15})-(\d{1,9})$/.exec(cursor) ?? [];
  if (n !== undefined && at !== undefined) return { n: Number(n), at: Number(at) };
  throw notACursor();
}
