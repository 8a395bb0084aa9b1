import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { documentAsOf } from '#application/as-of.js';
import type { Caller } from '#application/caller.js';
import { batchProgressKey, type BatchProgress } from '#calls/batch-lines.js';
import { NotFoundError } from '#domain/errors.js';
import { streamName } from '#domain/streams.js';
import { batches, type BatchDocument } from '#projections/batches/projection.js';
import { batchDocuments, batchesAfter } from '#projections/batches/queries.js';
import { BATCH_ID } from '../files/ids.js';
import type { Entries, EntriesAfter } from '../files/list.js';
import { CallerQuery, ResourceQuery } from '../commands-and-queries.js';

interface SeenBatch {
  readonly batch: BatchDocument;
  /** null: it has ended, none is known, or the batch is of the past. */
  readonly progress: BatchProgress | null;
}

/** @throws NotFoundError unknown, or of another workspace */
async function requireBatch({ ports }: Application, caller: Caller, id: string): Promise<BatchDocument> {
  const batch = await batchDocuments.get(ports.readStore, BATCH_ID.read(id));
  if (batch?.workspaceId !== caller.workspaceId) throw new NotFoundError('batch', id);
  return batch;
}

async function seen({ ports }: Application, batch: BatchDocument): Promise<SeenBatch> {
  const entry = batch.isOpen ? await ports.coordination.get(batchProgressKey(batch.id)) : null;
  return { batch, progress: entry && (entry.value as unknown as BatchProgress) };
}

/** @throws NotFoundError */
export class GetBatch extends ResourceQuery<string, SeenBatch> {}

@QueryHandler(GetBatch)
export class GetBatchHandler implements IQueryHandler<GetBatch> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: id, asOf }: GetBatch): Promise<SeenBatch> {
    if (!asOf) return seen(this.application, await requireBatch(this.application, caller, id));
    const batchId = BATCH_ID.read(id);
    const batch = await documentAsOf(this.application, caller, asOf, {
      ...{ what: 'batch', projection: batches, stream: streamName('batch', batchId), id: batchId, shownId: id },
      leftOut: ({ isOpen }) => (isOpen ? ['request_counts'] : []),
    });
    return { batch, progress: null };
  }
}

/** Newest first. */
export class ListBatches extends CallerQuery<EntriesAfter, Entries<SeenBatch>> {}

@QueryHandler(ListBatches)
export class ListBatchesHandler implements IQueryHandler<ListBatches> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: { after, limit } }: ListBatches): Promise<Entries<SeenBatch>> {
    const last = after === undefined ? null : await requireBatch(this.application, caller, after);
    const found = await batchesAfter(this.application.ports.readStore, caller.workspaceId, last, limit + 1);
    const entries = await Promise.all(found.slice(0, limit).map((batch) => seen(this.application, batch)));
    return { entries, hasMore: found.length > limit };
  }
}
