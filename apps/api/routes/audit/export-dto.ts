import { IsNotEmpty } from 'class-validator';
import { QueryBoolean, QueryOneOf, QueryText, QueryTime } from '../../edge/validation/index.js';

const AUDIT_EXPORT_FORMATS = ['jsonl', 'parquet'] as const;

export class ExportAuditQuery {
  @QueryText('One stream: `<category>-<id>`. Default: all events of the workspace.')
  @IsNotEmpty()
  stream?: string;

  @QueryTime('Inclusive bound on the time of the events.') from?: string;
  @QueryTime('Inclusive bound on the time of the events.') to?: string;
  @QueryBoolean(
    'Includes the content of calls and corrections, decrypted. Content that is encrypted comes with the key that proves it.',
  )
  content?: boolean;
  @QueryOneOf(AUDIT_EXPORT_FORMATS, 'Default: jsonl.') format?: (typeof AUDIT_EXPORT_FORMATS)[number];
}
