import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsNotEmpty, IsString } from 'class-validator';
import { QueryInteger, QueryOneOf, QueryText, QueryTime } from '../../edge/validation/index.js';

export class ReadEventsQuery {
  @ApiProperty({ example: 'job-0199a7c2-5b1e-7c11-9d0e-3a4f5b6c7d8e', description: 'The stream: `<category>-<id>`.' })
  @IsString()
  @IsNotEmpty()
  stream!: string;

  @QueryInteger({ min: 0, default: 0 }, 'First revision to read.') from = 0;
  @QueryInteger({ min: 1, max: 1000, default: 100 }, 'Maximum number of rows; fewer are returned if they exceed 1 MiB.')
  limit = 100;
}

/** Conditions on events of the workspace; all must hold. */
class EventFilters {
  @QueryText('An event type from `GET /events/types`, or several separated by commas. Default: all.')
  @IsNotEmpty()
  type?: string;

  @QueryText('One stream: `<category>-<id>`.') @IsNotEmpty() stream?: string;
  @QueryText('The actor that caused the event, in full: `user:<id>`, `key:<id>`, `runner:<id>` or `system:<role>`.')
  @IsNotEmpty()
  actor?: string;
  @QueryText('Id of the request that started the chain of events.') @IsNotEmpty() correlation_id?: string;
}

export class ReadLogQuery extends EventFilters {
  @QueryTime('Inclusive bound on the time of the events.') since?: string;
  @QueryTime('Inclusive bound on the time of the events.') until?: string;
  @QueryOneOf(['asc', 'desc'], 'Order by position in the log. Default: `asc`, oldest first.') order: 'asc' | 'desc' =
    'asc';
  @QueryText('`next_cursor` of the previous page.') @IsNotEmpty() cursor?: string;
  @QueryInteger({ min: 1, max: 1000, default: 100 }, 'Maximum number of rows; fewer are returned if they exceed 1 MiB.')
  limit = 100;
}

export class LiveEventsQuery extends EventFilters {
  @QueryText('Starts after this position; default: only new events. `Last-Event-ID` takes precedence.')
  @IsNotEmpty()
  after?: string;
}

export class EventRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'training-job-requested.v1' }) type!: string;
  @ApiProperty() stream!: string;
  @ApiProperty({ type: 'integer' }) revision!: number;
  @ApiProperty({ description: 'Position in the whole log; string order is log order.' }) position!: string;
  @ApiProperty({ type: 'object', additionalProperties: true }) data!: unknown;
  @ApiProperty({ example: 'user:0f2c', description: 'Who caused it.' }) actor!: string;
  @ApiProperty() correlation_id!: string;
  @ApiProperty() causation_id!: string;
  @ApiProperty({ format: 'date-time' }) occurred_at!: string;
  @ApiPropertyOptional({ description: 'The user of the operating system who ran `npx anneal`.' }) by?: string;
  @ApiPropertyOptional({ description: 'Why, as the person said who caused it.' }) reason?: string;
  @ApiPropertyOptional({ description: 'The ticket or case that the person named.' }) ticket?: string;
  @ApiPropertyOptional({ description: 'Who confirmed it, of two people.' }) confirmed_by?: string;
}

export class EventPage {
  @ApiProperty({ type: [EventRecord] }) events!: EventRecord[];
  @ApiProperty({ type: Number, nullable: true, description: '`from` of the next page, null at the end.' })
  next_from!: number | null;
}

export class LogPage {
  @ApiProperty({ type: [EventRecord] }) events!: EventRecord[];
  @ApiProperty({
    ...{ type: String, nullable: true },
    description: '`cursor` of the next page, null at the end. A page may be short, or empty, before the end.',
  })
  next_cursor!: string | null;
}

class EventType {
  @ApiProperty({ example: 'training-attempt-lost.v2' }) type!: string;
  @ApiProperty({ description: 'Category of its streams: the part before the first `-`.', example: 'job' })
  category!: string;
  @ApiProperty({ description: '`api`, `worker`, `operator` (`npx anneal`).', isArray: true, type: String })
  writers!: readonly string[];
  @ApiProperty({ description: 'Whether its streams are never deleted.' }) kept!: boolean;
  @ApiProperty({ type: String, nullable: true }) description!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The type that replaced it; null for the newest version.' })
  read_as!: string | null;
  @ApiProperty({
    ...{ type: 'object', additionalProperties: true, nullable: true },
    description: 'JSON Schema (draft 7) of `data`; null for a replaced version, whose fields the example shows.',
  })
  schema!: object | null;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Example of `data`.' })
  example!: object;
}

export class EventTypeList {
  @ApiProperty({ type: [EventType] }) data!: readonly EventType[];
}
