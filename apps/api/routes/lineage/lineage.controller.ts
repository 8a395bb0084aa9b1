import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import type { JsonObject } from '#domain/json.js';
import type { VersionRequest } from '#domain/dataset/index.js';
import { MAX_PAGE_BYTES } from '#use-cases/calls/answer-budget.js';
import { AnswerBytes } from '../../edge/answer-budget.js';
import { CurrentCaller, ReadingNeeds } from '../../edge/auth/index.js';
import { VERSION, versionPipe } from '../datasets/reading/version-pipe.js';
import { ReadsContent } from '../../edge/reads/decorator.js';
import { KnownQuery } from '../../edge/validation/index.js';
import { CallLineage, CallLineageQuery, ModelLineageQuery } from './call-dto.js';
import { DatasetLineage, DatasetLineageQuery, RowLineage, RowLineageQuery } from './dataset-dto.js';
import { ExplainCall } from '#use-cases/lineage/queries/call.js';
import { ExportLineage } from '#use-cases/lineage/queries/model.js';
import { FollowDataset } from '#use-cases/lineage/queries/dataset.js';
import { FollowRow } from '#use-cases/lineage/queries/row.js';
import { UseCases } from '#use-cases/use-cases.js';

const LINEAGE_BYTES = 1024 * 1024;

@ApiTags('Lineage')
@ReadingNeeds('audit')
@Controller()
export class LineageController {
  constructor(private readonly useCases: UseCases) {}

  @Get('inferences/:id/lineage')
  @AnswerBytes(() => LINEAGE_BYTES)
  @ApiOperation({ summary: 'The lineage of one answer: each fact with its event on the log' })
  @ApiOkResponse({ type: CallLineage })
  call(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @KnownQuery() { proofs = false }: CallLineageQuery,
  ): Promise<CallLineage> {
    return this.useCases.execute(new ExplainCall(caller, { id, proofs }));
  }

  @Get('felix/training-jobs/:id/lineage')
  @AnswerBytes(() => LINEAGE_BYTES)
  @ApiOperation({ summary: 'The lineage of a model, as OpenLineage events or as a CycloneDX ML-BOM' })
  @ApiOkResponse({ content: { 'application/json': { schema: {} } } })
  model(
    @CurrentCaller() caller: Caller,
    @Param('id') jobId: string,
    @KnownQuery() { format }: ModelLineageQuery,
  ): Promise<JsonObject | readonly JsonObject[]> {
    return this.useCases.execute(new ExportLineage(caller, { jobId, format }));
  }

  @Get('lineage/datasets/:name/:version')
  @ApiParam(VERSION)
  @AnswerBytes(() => LINEAGE_BYTES)
  @ApiOperation({ summary: 'The jobs, model versions and answers that derive from the rows of a dataset version' })
  @ApiOkResponse({ type: DatasetLineage })
  dataset(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Param('version', versionPipe) version: VersionRequest,
    @KnownQuery() page: DatasetLineageQuery,
  ): Promise<DatasetLineage> {
    return this.useCases.execute(new FollowDataset(caller, { name, version, page }));
  }

  @Get('lineage/datasets/:name/:version/rows/:row')
  @ReadsContent('dataset/{name}/{version}', { ifAsked: 'content' })
  @AnswerBytes(() => LINEAGE_BYTES + MAX_PAGE_BYTES)
  @ApiOperation({
    summary: 'The origin of one row of a dataset version, and the jobs that learned from it; rows count from 1',
  })
  @ApiOkResponse({ type: RowLineage })
  row(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Param('version') asked: string,
    @Param('row') row: string,
    @KnownQuery() { content, ...page }: RowLineageQuery,
  ): Promise<RowLineage> {
    // Read here: pipes of several parts would leave open which mistake is named.
    const version = versionPipe.transform(asked, { type: 'param' });
    return this.useCases.execute(new FollowRow(caller, { name, version, row, content, page }));
  }
}
