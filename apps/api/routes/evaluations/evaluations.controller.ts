import { Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { InvalidError } from '#domain/errors.js';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { MAX_PAGE_BYTES } from '#use-cases/calls/answer-budget.js';
import { AnswerBytes } from '../../edge/answer-budget.js';
import type { AsOfRequest } from '#application/as-of.js';
import { AsOf } from '../../edge/as-of.js';
import { CurrentCaller, Identity, Needs, ReadingNeeds } from '../../edge/auth/index.js';
import { untilClientGone } from '../../edge/client-gone.js';
import type { FastifyRequest } from '../../edge/http.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { Deleted } from '../projects/dto.js';
import { StartEvaluation } from '#use-cases/evaluations/commands/start.js';
import { DeleteEvaluation } from '#use-cases/evaluations/commands/delete.js';
import { CompareEvaluations } from '#use-cases/evaluations/queries/comparison.js';
import { ComparisonQuery, ListEvaluationsQuery, PredictionsQuery, StartEvaluationBody } from './dto.js';
import { GetEvaluation, ListEvaluations } from '#use-cases/evaluations/queries/evaluations.js';
import { comparisonRecord, evaluationRecord } from './record.js';
import { EvaluationComparison, EvaluationList, EvaluationRecord } from './responses.js';
import { ReadsContent } from '../../edge/reads/decorator.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { UseCases } from '#use-cases/use-cases.js';
import { Reasoned } from '../../edge/why.js';
import { MayNeedTwo } from '../../edge/two-people.js';

/** Counts of both evaluations, and predictions while they are read. */
const MAX_COMPARISON_BYTES = 16 * 1024 * 1024;

@ApiTags('Evaluations')
@ReadingNeeds('history')
@Controller('felix/evaluations')
export class EvaluationsController {
  constructor(private readonly useCases: UseCases) {}

  @Post()
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Evaluates a model on a labelled dataset, in the background' })
  @ApiOkResponse({ type: EvaluationRecord })
  async start(
    @KnownBody() body: StartEvaluationBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<EvaluationRecord> {
    const evaluation = await this.useCases.execute(new StartEvaluation(caller, identity, body));
    return { ...evaluationRecord(evaluation), predictions: [] };
  }

  @Get()
  @ApiOperation({ summary: 'Lists evaluations, newest first' })
  @ApiOkResponse({ type: EvaluationList })
  async list(@KnownQuery() query: ListEvaluationsQuery, @CurrentCaller() caller: Caller): Promise<EvaluationList> {
    const { documents, total } = await this.useCases.execute(new ListEvaluations(caller, query));
    const evaluations = documents.map((each) => evaluationRecord(each.evaluation, each));
    const has_more = query.offset + evaluations.length < total;
    return { success: true, evaluations, count: evaluations.length, total, has_more };
  }

  @Get(':id')
  @Needs('history')
  @ReadsContent('evaluation/{id}')
  @AnswerBytes(() => 2 * MAX_PAGE_BYTES)
  @ApiOperation({ summary: 'One evaluation with a page of its predictions' })
  @ApiOkResponse({ type: EvaluationRecord })
  async one(
    @Param('id') id: string,
    @KnownQuery() { limit, offset, only_wrong: onlyWrong = false }: PredictionsQuery,
    @AsOf() asOf: AsOfRequest | null,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<EvaluationRecord> {
    const { evaluation, predictions, isWithheld, ...seen } = await untilClientGone(request, (gone) =>
      this.useCases.execute(new GetEvaluation(caller, { id, page: { limit, offset, onlyWrong }, gone }, asOf)),
    );
    return {
      ...{ ...evaluationRecord(evaluation, seen), predictions: [...predictions], limit, offset },
      ...(isWithheld && { content_withheld: true }),
    };
  }

  @Get(':id/comparison')
  @AnswerBytes(() => MAX_COMPARISON_BYTES)
  @ApiOperation({
    summary: 'Compares two evaluations on the same rows: wins, losses and statistical significance',
  })
  @ApiOkResponse({ type: EvaluationComparison })
  async comparison(
    @Param('id') id: string,
    @KnownQuery() { with: other }: ComparisonQuery,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<EvaluationComparison> {
    if (!other) throw new InvalidError({ path: ['query', 'with'], message: 'is required', type: 'missing' });
    return comparisonRecord(
      await untilClientGone(request, (gone) =>
        this.useCases.execute(new CompareEvaluations(caller, { id, other, gone })),
      ),
    );
  }

  @Delete(':id')
  @Reasoned()
  @ApiOperation({ summary: 'Deletes an evaluation with its predictions; a running one is stopped' })
  @MayNeedTwo()
  @ApiOkResponse({ type: Deleted })
  async remove(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<Deleted> {
    await this.useCases.execute(new DeleteEvaluation(caller, identity, id));
    return { success: true, message: 'the evaluation and its predictions are deleted' };
  }
}
