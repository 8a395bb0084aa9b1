import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EventCitation } from '../events/citation-dto.js';
import { QueryBoolean, QueryInteger } from '../../edge/validation/index.js';
import { GRAPH, LineageGraph } from './graph-dto.js';
import {
  ANY_OBJECT,
  Correction,
  DatasetVersionLineage,
  EVENT,
  MergedFrom,
  NULL_NUMBER,
  NULL_TEXT,
  Weights,
} from './parts-dto.js';

export class DatasetLineageQuery {
  @QueryInteger({ min: 1, max: 100, default: 20 }, 'Maximum number of jobs on the page.') limit = 20;
  @QueryInteger({ min: 0, default: 0 }) offset = 0;
}

class DerivedVersion extends MergedFrom {
  @ApiProperty({ type: [String], description: 'Ids of the versions followed that its rows come from.' })
  from!: readonly string[];
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class AddedVersion {
  @ApiProperty() name!: string;
  @ApiProperty({ type: 'integer' }) version!: number;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class Learner {
  @ApiProperty() job_id!: string;
  @ApiProperty() model_name!: string;
  @ApiProperty({ enum: ['direct', 'merge', 'fine-tune'], description: 'How it received the rows.' }) through!: string;
  @ApiProperty({ type: [String], description: 'Ids of the versions followed that it learned from.' })
  from_versions!: readonly string[];
  @ApiProperty({ ...NULL_TEXT, description: 'The job followed that it started from.' })
  from_job!: string | null;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
  @ApiProperty({ type: Weights, nullable: true }) weights!: Weights | null;
  @ApiProperty({ type: [AddedVersion], description: 'Named versions of its model.' })
  model_versions!: readonly AddedVersion[];
  @ApiProperty({ type: 'integer', description: 'Recorded calls that it answered.' }) answers!: number;
  @ApiProperty({ description: 'The list of these calls.' }) calls!: string;
}

export class DatasetLineage {
  @ApiProperty({ type: DatasetVersionLineage }) dataset!: DatasetVersionLineage;
  @ApiProperty({ type: [DerivedVersion], description: 'Versions that its rows were merged into, up to 100.' })
  merged_into!: readonly DerivedVersion[];
  @ApiProperty({ type: [Learner], description: 'Jobs that learned from its rows, the oldest first.' })
  jobs!: readonly Learner[];
  @ApiProperty({ type: 'integer', description: 'Jobs of all pages.' }) total!: number;
  @ApiProperty({ type: 'integer' }) limit!: number;
  @ApiProperty({ type: 'integer' }) offset!: number;
  @ApiProperty(GRAPH) graph!: LineageGraph;
}

export class RowLineageQuery extends DatasetLineageQuery {
  @QueryBoolean('Includes the content of the row; requires the permission to read content.') content = false;
}

class VersionOfRow extends DatasetVersionLineage {
  @ApiProperty({ ...NULL_NUMBER, description: 'Its row number there, from 1; null if unknown.' })
  row!: number | null;
}

class CallOfRow {
  @ApiProperty() id!: string;
  @ApiProperty({ description: 'The record with input and output, which are not repeated here.' }) record!: string;
  @ApiProperty({ ...EVENT, description: 'null if the call is no longer recorded.' }) event!: EventCitation | null;
  @ApiProperty({ type: [Correction] }) corrections!: readonly Correction[];
}

class DerivedRows extends DerivedVersion {
  @ApiProperty({
    ...{ type: [Number], nullable: true },
    description:
      'Its row numbers there; null after a merge with feedback, which may have replaced the row with a correction.',
  })
  rows!: readonly number[] | null;
}

export class RowLineage {
  @ApiProperty({ type: DatasetVersionLineage }) dataset!: DatasetVersionLineage;
  @ApiProperty({ type: 'integer', description: 'Number of the row in this version, from 1.' }) row!: number;
  @ApiPropertyOptional({ ...ANY_OBJECT, nullable: true, description: 'With `content=true`; null after a purge.' })
  content?: object | null;
  @ApiProperty({
    type: [VersionOfRow],
    description: 'Versions from which it was merged, the nearest first, up to 100.',
  })
  came_from!: readonly VersionOfRow[];
  @ApiProperty({
    type: CallOfRow,
    nullable: true,
    description: 'For feedback: the call whose judged answer became the row.',
  })
  call!: CallOfRow | null;
  @ApiProperty({ type: [DerivedRows], description: 'Versions that it was merged into, up to 100.' })
  merged_into!: readonly DerivedRows[];
  @ApiProperty({ type: [Learner], description: 'Jobs that were given the row, the oldest first.' })
  jobs!: readonly Learner[];
  @ApiProperty({ type: 'integer', description: 'Jobs of all pages.' }) total!: number;
  @ApiProperty({ type: 'integer' }) limit!: number;
  @ApiProperty({ type: 'integer' }) offset!: number;
  @ApiProperty(GRAPH) graph!: LineageGraph;
}
