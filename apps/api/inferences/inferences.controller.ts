import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { CurrentCaller, Identity } from '../auth/decorators.js';
import { Idempotent } from '../idempotency/decorators.js';
import { GiveFeedback } from './commands.js';
import {
  FeedbackAccepted,
  FeedbackBody,
  FeedbackRecord,
  InferencePage,
  InferenceRecord,
  ListInferencesQuery,
} from './dto.js';
import { GetFeedback, GetInference, ListInferences } from './queries.js';

@ApiTags('Inference history')
@Controller('inferences')
export class InferencesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List recorded calls, newest first' })
  @ApiOkResponse({ type: InferencePage })
  list(@CurrentCaller() caller: Caller, @Query() query: ListInferencesQuery): Promise<unknown> {
    return this.queries.execute(new ListInferences(caller, query));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One recorded call' })
  @ApiOkResponse({ type: InferenceRecord })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<unknown> {
    return this.queries.execute(new GetInference(caller, id));
  }

  @Get(':id/feedback')
  @ApiOperation({ summary: 'The feedback on a call; 404 when none was submitted' })
  @ApiOkResponse({ type: FeedbackRecord })
  getFeedback(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<unknown> {
    return this.queries.execute(new GetFeedback(caller, id));
  }

  @Post(':id/feedback')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Say whether a call was right, and what it should have been' })
  @ApiOkResponse({ type: FeedbackAccepted })
  giveFeedback(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('id') id: string,
    @Body() body: FeedbackBody,
  ): Promise<unknown> {
    return this.commands.execute(new GiveFeedback(caller, identity, id, body));
  }
}
