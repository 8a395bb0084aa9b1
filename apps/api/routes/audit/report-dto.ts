import { ApiProperty } from '@nestjs/swagger';
import { REPORT_KINDS, type ReportKind, type ReportHead, type Section } from '#use-cases/reports/report.js';
import { QueryOneOf, QueryText, QueryTime } from '../../edge/validation/index.js';

export class ReportQuery {
  @QueryOneOf(REPORT_KINDS, 'Default: all.') kind?: ReportKind;
  @QueryText('For model cards: a name, or `name@version`. Default: all names.') model?: string;
  @QueryTime('Inclusive bound on the time of the acts and incidents.') since?: string;
  @QueryTime('Inclusive bound on the time of the acts and incidents.') until?: string;
  @QueryText('Position of the last event that the report takes in. Default: the newest.') position?: string;
  @QueryOneOf(['json', 'markdown'], 'Default: json.') format?: 'json' | 'markdown';
}

class ReportRecord {
  @ApiProperty({ enum: REPORT_KINDS }) kind!: string;
  @ApiProperty({ description: 'Name of its file, without an ending.' }) name!: string;
  @ApiProperty() title!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The place of the log that it was made at: `position`, and the signed head of the audit tree.',
  })
  head!: ReportHead;
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Each has a title and statements: `text`, `source`, and the `events` that it rests on.',
  })
  sections!: readonly Section[];
}

export class ReportList {
  @ApiProperty({ type: [ReportRecord] }) reports!: readonly ReportRecord[];
}
