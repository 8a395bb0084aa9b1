import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { batchProgressKey, type BatchProgress } from '#calls/batch-lines.js';
import { NotFoundError } from '#domain/errors.js';
import { streamName } from '#domain/streams.js';
import { batches, type BatchDocument } from '#projections/batches/projection.js';
import { batchDocuments, batchesAfter } from '#projections/batches/queries.js';
import { BATCH_ID } from '../files/ids.js';
import { listPage } from '#apps/api/routes/files/list-page.js';
import type { FineTuningListQuery } from '#apps/api/routes/fine-tuning/dto.js';
import { documentAsOf } from '#application/as-of.js';
import { CallerQuery, ResourceQuery } from '../messages.js';
import type { BatchList, BatchObject } from '#apps/api/routes/batches/dto.js';
import { batchRecord } from '#apps/api/routes/batches/record.js';

/** @throws NotFoundError unknown, or of another workspace */
async function requireBatch({ ports }: Application, caller: Caller, id: string): Promise<BatchDocument> {
  const batch = await batchDocuments.get(ports.readStore, BATCH_ID.read(id));
  if (batch?.workspaceId !== caller.workspaceId) throw new NotFoundError('batch', id);
  return batch;
}

async function shown({ ports }: Application, batch: BatchDocument): Promise<BatchObject> {
  const entry = batch.isOpen ? await ports.coordination.get(batchProgressKey(batch.id)) : null;
  return batchRecord(batch, entry && (entry.value as unknown as BatchProgress));
}

export class GetBatch extends ResourceQuery<string, BatchObject> {}

@QueryHandler(GetBatch)
export class GetBatchHandler implements IQueryHandler<GetBatch> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: id, asOf }: GetBatch): Promise<BatchObject> {
    if (!asOf) return shown(this.application, await requireBatch(this.application, caller, id));
    const batchId = BATCH_ID.read(id);
    const then = await documentAsOf(this.application, caller, asOf, {
      ...{ what: 'batch', projection: batches, stream: streamName('batch', batchId), id: batchId, shownId: id },
      leftOut: ({ isOpen }) => (isOpen ? ['request_counts'] : []),
    });
    return batchRecord(then, null);
  }
}

export class ListBatches extends CallerQuery<FineTuningListQuery, BatchList> {}

@QueryHandler(ListBatches)
export class ListBatchesHandler implements IQueryHandler<ListBatches> {
  constructor(private readonly application: Application) {}

  /** Newest first. */
  async execute({ caller, input: { after, limit } }: ListBatches): Promise<BatchList> {
    const last = after === undefined ? null : await requireBatch(this.application, caller, after);
    const found = await batchesAfter(this.application.ports.readStore, caller.workspaceId, last, limit + 1);
    const data = await Promise.all(found.slice(0, limit).map((batch) => shown(this.application, batch)));
    return listPage(data, found.length > limit);
  }
}
