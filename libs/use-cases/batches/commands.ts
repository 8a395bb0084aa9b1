import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import { derivedId } from '#log/execute.js';
import { batchDecider, type BatchEndpoint, type BatchState } from '#domain/batch/index.js';
import type { PinnedObject } from '#domain/dataset/index.js';
import { ConflictError, InvalidError, NotFoundError } from '#domain/errors.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { requestedBatch, type BatchDocument } from '#projections/batches/projection.js';
import { batchDocuments } from '#projections/batches/queries.js';
import { BATCH_ID, FILE_ID } from '../files/ids.js';
import { findFile } from '../files/queries.js';
import { WorkQueues } from '../limits/work-queues.js';
import { CallerCommand } from '../commands-and-queries.js';
import { countRequests, MAX_BATCH_BYTES } from './requests.js';

const VISIBLE_IN = [batchDocuments.collection];
const WINDOW_MS = 24 * 60 * 60_000;

export interface BatchOrder {
  readonly fileId: string;
  readonly endpoint: BatchEndpoint;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Picodollars; absent: what the caller may spend. */
  readonly budget?: string;
}

export class CreateBatch extends CallerCommand<BatchOrder, BatchDocument> {}

/** Checks the requests of a file, and requests their answers. */
@CommandHandler(CreateBatch)
export class CreateBatchHandler implements ICommandHandler<CreateBatch> {
  constructor(
    private readonly application: Application,
    private readonly queues: WorkQueues,
  ) {}

  /** @throws InvalidError, NotFoundError, ConflictError, QueueFullError */
  async execute({ caller, identity, input }: CreateBatch): Promise<BatchDocument> {
    const { fileId, endpoint, metadata, budget } = input;
    const context = callerContext(caller, identity);
    const batchId = derivedId(context.commandId, 'batch');
    const known = await this.application.recall(batchDecider, batchId, identity);
    if (known) return asRequested(known);
    const { workspaceId, kind, userId, teamId, keyId } = caller;
    const source = await this.source(caller, fileId);
    const requests = await this.count(fileId, source, endpoint);
    const command = {
      ...({ type: 'request-batch', batchId, workspaceId, endpoint, requests, metadata } as const),
      requestedBy: { kind, userId, teamId, keyId },
      ...(budget !== undefined && { budget }),
      input: { versionId: FILE_ID.read(fileId), source },
      expiresAt: new Date(Date.parse(context.now) + WINDOW_MS).toISOString(),
    };
    const { state } = await this.queues.enter('batches', caller, () =>
      this.application.execute(batchDecider, batchId, command, context, VISIBLE_IN),
    );
    return asRequested(state);
  }

  private async source(caller: Caller, fileId: string): Promise<PinnedObject> {
    const version = await findFile(this.application, caller, fileId);
    if (version.purpose !== 'batch')
      throw invalidFile(
        `names a file whose purpose is ${version.purpose ?? 'fine-tune'}; upload it with the purpose batch`,
      );
    const source = 'source' in version ? version.source : null;
    if (source === null) throw new ConflictError(`file ${fileId} has no content; upload another`);
    if (source.size > MAX_BATCH_BYTES)
      throw invalidFile(`names a file of more than ${MAX_BATCH_BYTES} bytes; split it`);
    return source;
  }

  private async count(fileId: string, { key }: PinnedObject, endpoint: BatchEndpoint): Promise<number> {
    const content = await this.application.ports.objectStore.get(key).catch((error: unknown) => {
      throw error instanceof ObjectNotFoundError ? new NotFoundError('file', fileId) : error;
    });
    return countRequests(content, endpoint);
  }
}

const invalidFile = (message: string): InvalidError =>
  new InvalidError({ path: ['body', 'input_file_id'], message, type: 'not_allowed' });

function asRequested(state: BatchState): BatchDocument {
  if (state.status === 'none') throw new Error('a batch was asked for, and is not there');
  return requestedBatch({ ...state.request, requestedAt: state.requestedAt });
}

export class CancelBatch extends CallerCommand<string, void> {}

@CommandHandler(CancelBatch)
export class CancelBatchHandler implements ICommandHandler<CancelBatch> {
  constructor(private readonly application: Application) {}

  /**
   * In-flight calls still complete.
   * @throws NotFoundError, ConflictError
   */
  async execute({ caller, identity, input: id }: CancelBatch): Promise<void> {
    const batchId = BATCH_ID.read(id);
    const command = { type: 'cancel-batch', batchId, workspaceId: caller.workspaceId } as const;
    await this.application.execute(batchDecider, batchId, command, callerContext(caller, identity), VISIBLE_IN);
  }
}
