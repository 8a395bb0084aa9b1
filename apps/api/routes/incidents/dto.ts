import { ApiProperty } from '@nestjs/swagger';
import { SEVERITIES, type Severity } from '#domain/incident/index.js';
import { BodyInteger, BodyOneOf, BodyText, BodyTexts, QueryOneOf } from '../../edge/validation/index.js';

const MAX_TITLE = 200;
const MAX_TEXT = 5_000;
const CALLS = { max: 100, optional: true, description: 'Ids of affected calls.' } as const;
const MODEL = {
  max: 200,
  optional: true,
  description: 'The name or id by which the affected model is called.',
} as const;
const VERSION = { min: 1, max: 1_000_000, optional: true, description: 'Version of the named model.' } as const;
const SEVERITY = '`serious`: as article 3(49) of the EU AI Act defines it.';

export const INCIDENT_STATES = ['open', 'closed'] as const;

export class OpenIncidentBody {
  @BodyText({ max: MAX_TITLE }) title!: string;
  @BodyOneOf(SEVERITIES, { description: SEVERITY }) severity!: Severity;
  @BodyText({ max: MAX_TEXT, description: 'What happened. It is stored on the log.' }) description!: string;
  @BodyText(MODEL) model?: string | null;
  @BodyInteger(VERSION) version?: number | null;
  @BodyTexts('call', CALLS) calls?: readonly string[] | null;
}

export class UpdateIncidentBody {
  @BodyText({ max: MAX_TITLE, optional: true, description: 'Unchanged if absent.' }) title?: string | null;
  @BodyOneOf(SEVERITIES, { optional: true, description: 'Unchanged if absent.' }) severity?: Severity | null;
  @BodyText({ ...MODEL, description: 'Unchanged if absent.' }) model?: string | null;
  @BodyInteger({ ...VERSION, description: 'Unchanged if absent.' }) version?: number | null;
  @BodyTexts('call', { ...CALLS, description: 'All affected calls; unchanged if absent.' })
  calls?: readonly string[] | null;
  @BodyText({ max: MAX_TEXT, optional: true, description: 'What was found or done.' }) note?: string | null;
}

export class CloseIncidentBody {
  @BodyText({ max: MAX_TEXT, description: 'How it ended, and what prevents another.' }) resolution!: string;
}

export class IncidentsQuery {
  @QueryOneOf(INCIDENT_STATES, 'Default: all.') status?: (typeof INCIDENT_STATES)[number];
}

class IncidentNote {
  @ApiProperty() note!: string;
  @ApiProperty({ format: 'date-time' }) at!: string;
}

export class IncidentRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: INCIDENT_STATES }) status!: string;
  @ApiProperty() title!: string;
  @ApiProperty({ enum: SEVERITIES }) severity!: string;
  @ApiProperty() description!: string;
  @ApiProperty({ type: String, nullable: true }) model!: string | null;
  @ApiProperty({ type: 'integer', nullable: true }) version!: number | null;
  @ApiProperty({ type: [String] }) calls!: readonly string[];
  @ApiProperty({ type: [IncidentNote], description: 'Notes of its updates, oldest first.' })
  notes!: readonly IncidentNote[];
  @ApiProperty({ type: String, nullable: true, description: 'null while it is open.' }) resolution!: string | null;
  @ApiProperty({ format: 'date-time' }) opened_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) closed_at!: string | null;
}

export class IncidentList {
  @ApiProperty({ type: [IncidentRecord], description: 'Newest first.' }) incidents!: readonly IncidentRecord[];
}
