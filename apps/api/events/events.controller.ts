import { Controller, Get } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { AnswerBytes, MAX_PAGE_BYTES } from '../answer-budget.js';
import { CurrentCaller } from '../auth/decorators.js';
import { EventPage, EventTypeList, ReadEventsQuery } from './dto.js';
import { EVENT_TYPES } from '#application/event-types.js';
import { ReadEvents } from './queries.js';
import { ReadsContent } from '../reads/decorator.js';
import { KnownQuery } from '../validation/index.js';

@ApiTags('Event log')
@Controller('events')
export class EventsController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ReadsContent('events/{stream}')
  @AnswerBytes(() => 2 * MAX_PAGE_BYTES)
  @ApiOperation({ summary: "Replay one stream of the event log: your own workspace's events, in order" })
  @ApiOkResponse({ type: EventPage })
  read(@CurrentCaller() caller: Caller, @KnownQuery() query: ReadEventsQuery): Promise<EventPage> {
    return this.queries.execute(new ReadEvents(caller, query));
  }

  @Get('types')
  @ApiOperation({
    summary: 'Every type of event that a log may hold: its streams, writers, JSON schema and an example',
  })
  @ApiOkResponse({ type: EventTypeList })
  types(): EventTypeList {
    return { data: EVENT_TYPES };
  }
}
