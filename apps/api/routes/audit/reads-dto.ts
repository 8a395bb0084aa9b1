import { ApiProperty } from '@nestjs/swagger';
import { QueryInteger, QueryText, QueryTime } from '../../edge/validation/index.js';

export class ListReadsQuery {
  @QueryText('The resource that was read, as records name it: `call/<id>`, `calls`, `dataset/<name>/<version>`.')
  resource?: string;
  @QueryText('The reader: `key:<id>` or `user:<id>`.') actor?: string;
  @QueryTime('Inclusive bound on the time of the reads.') since?: string;
  @QueryTime('Inclusive bound on the time of the reads.') until?: string;
  @QueryInteger({ min: 1, max: 500, default: 100 }) limit: number = 100;
  @QueryText('`next_cursor` of the previous page.') cursor?: string;
}

class ReadEvent {
  @ApiProperty({ description: 'Position in the whole log; string order is log order.' }) position!: string;
  @ApiProperty({ description: '`GET /events?stream=` replays it.' }) stream!: string;
  @ApiProperty({ type: 'integer' }) revision!: number;
}

class ReadRecord {
  @ApiProperty({ example: 'key:0f2c', description: '`key:<id>` or `user:<id>`.' }) actor!: string;
  @ApiProperty({
    example: 'dataset/tickets/3',
    description: 'Named as in the request, including `latest` for a version.',
  })
  resource!: string;
  @ApiProperty({ example: 'GET /felix/datasets/:name/:version/preview' }) route!: string;
  @ApiProperty({ type: 'integer', description: 'Number of answered requests.' }) count!: number;
  @ApiProperty({
    format: 'date-time',
    description: 'The requests were answered between `from` and `until`, about a second apart.',
  })
  from!: string;
  @ApiProperty({ format: 'date-time' }) until!: string;
  @ApiProperty({ type: ReadEvent, description: 'The event that recorded it.' }) event!: ReadEvent;
}

export class ReadPage {
  @ApiProperty({ type: [ReadRecord] }) reads!: readonly ReadRecord[];
  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last one.' })
  next_cursor!: string | null;
}
