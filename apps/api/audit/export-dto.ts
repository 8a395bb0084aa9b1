import { IsNotEmpty } from 'class-validator';
import { QueryOneOf, QueryText, QueryTime } from '../validation/index.js';

export class ExportAuditQuery {
  @QueryText('One stream: `<category>-<id>`. By default all events of the workspace.')
  @IsNotEmpty()
  stream?: string;

  @QueryTime('Inclusive bound on the time of the events.') from?: string;
  @QueryTime('Inclusive bound on the time of the events.') to?: string;
  @QueryOneOf(['jsonl'], 'By default jsonl.') format?: 'jsonl';
}
