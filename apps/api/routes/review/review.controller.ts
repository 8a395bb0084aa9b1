import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { AnswerBytes } from '../../edge/answer-budget.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { LISTED_RECORD_BYTES } from '#use-cases/inferences/record.js';
import { ReadsContent } from '../../edge/reads/decorator.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { MarkReview, ReleaseReview, ReserveReview } from '#use-cases/review/commands.js';
import { AssignBody, ReviewerBody, ReviewPage, ReviewQuery, ReviewState, SkipBody } from './dto.js';
import { ListReview } from '#use-cases/review/queries.js';
import { itemRecord, stateRecord } from './record.js';
import { UseCases } from '#use-cases/use-cases.js';

const MAX_LIMIT = 100;

@ApiTags('Review')
@ReadingNeeds('history')
@Controller('review')
export class ReviewController {
  constructor(private readonly useCases: UseCases) {}

  @Get()
  @ReadsContent('calls')
  // A call, and the answer of its shadow.
  @AnswerBytes(() => 2 * LISTED_RECORD_BYTES * MAX_LIMIT)
  @ApiOperation({ summary: 'Lists recorded calls that are worth a review, in the order of a strategy' })
  @ApiOkResponse({ type: ReviewPage })
  async list(@CurrentCaller() caller: Caller, @KnownQuery() query: ReviewQuery): Promise<ReviewPage> {
    const offered = await this.useCases.execute(new ListReview(caller, query));
    return { items: offered.map(itemRecord) };
  }

  @Post(':id/reserve')
  @HttpCode(200)
  @ApiOperation({ summary: 'Reserves a call for one reviewer for ten minutes; a repeat extends the reservation' })
  @ApiOkResponse({ type: ReviewState })
  async reserve(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('id') id: string,
    @KnownBody() body: ReviewerBody,
  ): Promise<ReviewState> {
    return stateRecord(await this.useCases.execute(new ReserveReview(caller, identity, { ...body, id })));
  }

  @Post(':id/release')
  @HttpCode(200)
  @ApiOperation({ summary: 'Releases a reservation' })
  @ApiOkResponse({ type: ReviewState })
  async release(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('id') id: string,
    @KnownBody() body: ReviewerBody,
  ): Promise<ReviewState> {
    return stateRecord(await this.useCases.execute(new ReleaseReview(caller, identity, { ...body, id })));
  }

  @Post(':id/skip')
  @HttpCode(200)
  @ApiOperation({ summary: 'Takes a call out of the queue until it is assigned or gets another verdict' })
  @ApiOkResponse({ type: ReviewState })
  async skip(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('id') id: string,
    @KnownBody() body: SkipBody,
  ): Promise<ReviewState> {
    const mark = { ...body, id, type: 'skip-review' } as const;
    return stateRecord(await this.useCases.execute(new MarkReview(caller, identity, mark)));
  }

  @Post(':id/assign')
  @HttpCode(200)
  @ApiOperation({ summary: 'Assigns a call to one reviewer' })
  @ApiOkResponse({ type: ReviewState })
  async assign(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('id') id: string,
    @KnownBody() body: AssignBody,
  ): Promise<ReviewState> {
    const mark = { ...body, id, type: 'assign-review' } as const;
    return stateRecord(await this.useCases.execute(new MarkReview(caller, identity, mark)));
  }
}
