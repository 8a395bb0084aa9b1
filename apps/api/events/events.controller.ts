import { Controller, Get, Headers, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { AnswerBytes, MAX_PAGE_BYTES } from '../answer-budget.js';
import { CurrentCaller, Needs, ReadingNeeds } from '../auth/index.js';
import type { FastifyReply, FastifyRequest } from '../http.js';
import { EventPage, EventTypeList, LiveEventsQuery, LogPage, ReadEventsQuery, ReadLogQuery } from './dto.js';
import { EVENT_TYPES } from '#application/event-types.js';
import { LiveEvents } from './live-events.js';
import { LiveMessages } from '../live-messages.js';
import { ReadLog } from './read-log.js';
import { ReadEvents } from './queries.js';
import { ReadsContent } from '../reads/decorator.js';
import { KnownQuery } from '../validation/index.js';

@ApiTags('Event log')
@ReadingNeeds('audit')
@Controller('events')
export class EventsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly events: LiveEvents,
    private readonly live: LiveMessages,
  ) {}

  @Get()
  @ReadsContent('events/{stream}')
  @AnswerBytes(() => 2 * MAX_PAGE_BYTES)
  @ApiOperation({ summary: "Replay one stream of the event log: your own workspace's events, in order" })
  @ApiOkResponse({ type: EventPage })
  read(@CurrentCaller() caller: Caller, @KnownQuery() query: ReadEventsQuery): Promise<EventPage> {
    return this.queries.execute(new ReadEvents(caller, query));
  }

  @Get('log')
  @ReadsContent('events/{stream}')
  @AnswerBytes(() => 2 * MAX_PAGE_BYTES)
  @ApiOperation({
    summary: "Your workspace's events in the order of the log, by type, stream, actor, request and time",
  })
  @ApiOkResponse({ type: LogPage })
  readLog(@CurrentCaller() caller: Caller, @KnownQuery() query: ReadLogQuery): Promise<LogPage> {
    return this.queries.execute(new ReadLog(caller, query));
  }

  @Get('live')
  @ReadsContent('events/{stream}')
  @ApiOperation({
    summary: "Your workspace's events as they happen, as server-sent events",
    description:
      'Messages are `event`, with an `EventRecord`, and `checkpoint`: all up to that position was looked at. Their ids are positions. A stream ends after 10 minutes; a client that comes again sends the last id as `Last-Event-ID` (browsers do) and misses nothing.',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Goes on behind this position.' })
  @ApiOkResponse({ content: { 'text/event-stream': { schema: { type: 'string' } } } })
  async follow(
    @CurrentCaller() caller: Caller,
    @KnownQuery() query: LiveEventsQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.live.send(request, reply, await this.events.follow(caller, query, lastEventId));
  }

  @Get('types')
  @Needs('audit', 'history')
  @ApiOperation({
    summary: 'Every type of event that a log may hold: its streams, writers, JSON schema and an example',
  })
  @ApiOkResponse({ type: EventTypeList })
  types(): EventTypeList {
    return { data: EVENT_TYPES };
  }
}
