import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { AsOfRequest } from '#application/as-of.js';
import { AsOf } from '../../edge/as-of.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { FineTuningListQuery } from '../fine-tuning/dto.js';
import type { FastifyRequest } from '../../edge/http.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { KnownQuery } from '../../edge/validation/index.js';
import { CancelBatch, CreateBatch } from '#use-cases/batches/commands.js';
import { listPage } from '../files/list-page.js';
import { batchOrder } from './decode.js';
import { BatchList, BatchObject, CreateBatchBody } from './dto.js';
import { GetBatch, ListBatches } from '#use-cases/batches/queries.js';
import { batchRecord } from './record.js';
import { UseCases } from '#use-cases/use-cases.js';

@ApiTags('OpenAI: files and fine-tuning')
@ReadingNeeds('history')
@Controller('v1/batches')
export class BatchesController {
  constructor(private readonly useCases: UseCases) {}

  @Post()
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Runs the requests of a file in the background, each as a separate call' })
  @ApiBody({ type: CreateBatchBody })
  @ApiOkResponse({ type: BatchObject })
  async create(
    @Req() { body }: FastifyRequest,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<BatchObject> {
    return batchRecord(await this.useCases.execute(new CreateBatch(caller, identity, batchOrder(body))), null);
  }

  @Get()
  @ApiOperation({ summary: 'Lists batches, newest first' })
  @ApiOkResponse({ type: BatchList })
  async list(@KnownQuery() query: FineTuningListQuery, @CurrentCaller() caller: Caller): Promise<BatchList> {
    const { entries, hasMore } = await this.useCases.execute(new ListBatches(caller, query));
    const data = entries.map(({ batch, progress }) => batchRecord(batch, progress));
    return listPage(data, hasMore);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One batch' })
  @ApiOkResponse({ type: BatchObject })
  async one(
    @Param('id') id: string,
    @AsOf() asOf: AsOfRequest | null,
    @CurrentCaller() caller: Caller,
  ): Promise<BatchObject> {
    const { batch, progress } = await this.useCases.execute(new GetBatch(caller, id, asOf));
    return batchRecord(batch, progress);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @ApiOperation({ summary: 'Cancels a batch; finished answers are kept' })
  @ApiOkResponse({ type: BatchObject })
  async cancel(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<BatchObject> {
    await this.useCases.execute(new CancelBatch(caller, identity, id));
    return this.one(id, null, caller);
  }
}
