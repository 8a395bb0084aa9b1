import { Controller, Get, Headers, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { MAX_PAGE_BYTES } from '#use-cases/calls/answer-budget.js';
import { AnswerBytes } from '../../edge/answer-budget.js';
import { CurrentCaller, Needs, ReadingNeeds } from '../../edge/auth/index.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { EventPage, EventTypeList, LiveEventsQuery, LogPage, ReadEventsQuery, ReadLogQuery } from './dto.js';
import { EVENT_TYPES } from '#log/event-types.js';
import { LiveMessages } from '../../edge/live-messages.js';
import { FollowEvents } from '#use-cases/events/queries/follow.js';
import { ReadLog } from '#use-cases/events/queries/log.js';
import { ReadEvents } from '#use-cases/events/queries/stream.js';
import { eventRecord, messagesOf } from './record.js';
import { ReadsContent } from '../../edge/reads/decorator.js';
import { KnownQuery } from '../../edge/validation/index.js';
import { UseCases } from '#use-cases/use-cases.js';

@ApiTags('Event log')
@ReadingNeeds('audit')
@Controller('events')
export class EventsController {
  constructor(
    private readonly useCases: UseCases,
    private readonly live: LiveMessages,
  ) {}

  @Get()
  @ReadsContent('events/{stream}')
  @AnswerBytes(() => 2 * MAX_PAGE_BYTES)
  @ApiOperation({ summary: "Replays one stream of the event log in order; only events of the caller's workspace" })
  @ApiOkResponse({ type: EventPage })
  async read(@CurrentCaller() caller: Caller, @KnownQuery() query: ReadEventsQuery): Promise<EventPage> {
    const { events, nextFrom } = await this.useCases.execute(new ReadEvents(caller, query));
    return { events: events.map(eventRecord), next_from: nextFrom };
  }

  @Get('log')
  @ReadsContent('events/{stream}')
  @AnswerBytes(() => 2 * MAX_PAGE_BYTES)
  @ApiOperation({
    summary: "Lists the workspace's events in log order; filters by type, stream, actor, request and time",
  })
  @ApiOkResponse({ type: LogPage })
  async readLog(@CurrentCaller() caller: Caller, @KnownQuery() query: ReadLogQuery): Promise<LogPage> {
    const { events, nextCursor } = await this.useCases.execute(new ReadLog(caller, query));
    return { events: events.map(eventRecord), next_cursor: nextCursor };
  }

  @Get('live')
  @ReadsContent('events/{stream}')
  @ApiOperation({
    summary: "Streams the workspace's events as they happen, as server-sent events",
    description:
      'Messages are `event`, with an `EventRecord`, and `checkpoint`: all events up to this position have been considered. Message ids are log positions. A stream ends after 10 minutes. A client that reconnects with the last id as `Last-Event-ID`, as browsers do, misses nothing.',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Starts after this position.' })
  @ApiOkResponse({ content: { 'text/event-stream': { schema: { type: 'string' } } } })
  async follow(
    @CurrentCaller() caller: Caller,
    @KnownQuery() query: LiveEventsQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const after = lastEventId || query.after;
    const followed = { ...query, ...(after !== undefined && { after }) };
    const news = await this.useCases.execute(new FollowEvents(caller, followed));
    await this.live.send(request, reply, (signal) => messagesOf(news(signal)));
  }

  @Get('types')
  @Needs('audit', 'history')
  @ApiOperation({
    summary: 'Lists every event type with its streams, writers, JSON schema and an example',
  })
  @ApiOkResponse({ type: EventTypeList })
  types(): EventTypeList {
    return { data: EVENT_TYPES };
  }
}
