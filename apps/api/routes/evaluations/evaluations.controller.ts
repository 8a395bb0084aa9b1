import { Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { InvalidError } from '#domain/errors.js';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { AnswerBytes, MAX_PAGE_BYTES } from '../../edge/answer-budget.js';
import type { AsOfRequest } from '#application/as-of.js';
import { AsOf } from '../../edge/as-of.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { untilClientGone } from '../../edge/client-gone.js';
import type { FastifyRequest } from '../../edge/http.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { Deleted } from '../projects/dto.js';
import { StartEvaluation } from '#use-cases/evaluations/commands/start.js';
import { DeleteEvaluation } from '#use-cases/evaluations/commands/delete.js';
import { CompareEvaluations } from '#use-cases/evaluations/comparison.js';
import { ComparisonQuery, ListEvaluationsQuery, PredictionsQuery, StartEvaluationBody } from './dto.js';
import { GetEvaluation, ListEvaluations } from '#use-cases/evaluations/queries.js';
import { evaluationRecord } from './record.js';
import { EvaluationComparison, EvaluationList, EvaluationRecord } from './responses.js';
import { ReadsContent } from '../../edge/reads/decorator.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { UseCases } from '#use-cases/use-cases.js';

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
  ) {
    const evaluation = await this.useCases.execute(new StartEvaluation(caller, identity, body));
    return { ...evaluationRecord(evaluation), predictions: [] };
  }

  @Get()
  @ApiOperation({ summary: 'Lists evaluations, newest first' })
  @ApiOkResponse({ type: EvaluationList })
  list(@KnownQuery() query: ListEvaluationsQuery, @CurrentCaller() caller: Caller) {
    return this.useCases.execute(new ListEvaluations(caller, query));
  }

  @Get(':id')
  @ReadsContent('evaluation/{id}')
  @AnswerBytes(() => 2 * MAX_PAGE_BYTES)
  @ApiOperation({ summary: 'One evaluation with a page of its predictions' })
  @ApiOkResponse({ type: EvaluationRecord })
  one(
    @Param('id') id: string,
    @KnownQuery() query: PredictionsQuery,
    @AsOf() asOf: AsOfRequest | null,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ) {
    return untilClientGone(request, (gone) =>
      this.useCases.execute(new GetEvaluation(caller, { id, query, gone }, asOf)),
    );
  }

  @Get(':id/comparison')
  @ReadsContent('evaluation/{id}')
  @AnswerBytes(() => MAX_COMPARISON_BYTES)
  @ApiOperation({
    summary: 'Compares two evaluations on the same rows: wins, losses and statistical significance',
  })
  @ApiOkResponse({ type: EvaluationComparison })
  comparison(
    @Param('id') id: string,
    @KnownQuery() { with: other }: ComparisonQuery,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ) {
    if (!other) throw new InvalidError({ path: ['query', 'with'], message: 'is required', type: 'missing' });
    return untilClientGone(request, (gone) => this.useCases.execute(new CompareEvaluations(caller, id, other, gone)));
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Deletes an evaluation with its predictions; a running one is stopped' })
  @ApiOkResponse({ type: Deleted })
  remove(@Param('id') id: string, @CurrentCaller() caller: Caller, @Identity() identity: RequestIdentity) {
    return this.useCases.execute(new DeleteEvaluation(caller, identity, id));
  }
}
