import { ApiProperty } from '@nestjs/swagger';
import { VERDICTS } from '#domain/feedback/index.js';
import { GENERATION_TYPES } from '#domain/dataset/index.js';
import { EventCitation } from '../events/citation-dto.js';
import { DestroyedKey } from '../inferences/erasure-dto.js';

export const NULL_TEXT = { type: String, nullable: true } as const;
export const NULL_NUMBER = { type: 'integer', nullable: true } as const;
export const ANY_OBJECT = { type: 'object', additionalProperties: true } as const;

export const EVENT = { type: EventCitation, nullable: true, description: 'null if no event records it.' } as const;

export class Actor {
  @ApiProperty({ example: 'key:0f2c', description: '`key:<id>`, `user:<id>`, `runner:<id>` or `system:<role>`.' })
  actor!: string;
  @ApiProperty({ ...NULL_TEXT, description: 'Name of the key, or address of the user; null if the log has none.' })
  name!: string | null;
  @ApiProperty(EVENT) event!: EventCitation | null;
}

export class WeightsFile {
  @ApiProperty() name!: string;
  @ApiProperty() sha256!: string;
  @ApiProperty({ type: 'integer' }) size!: number;
}

export class Weights {
  @ApiProperty({ type: [WeightsFile] }) files!: readonly WeightsFile[];
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

export class MergedFrom {
  @ApiProperty() version_id!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ type: 'integer' }) version!: number;
}

class Origin {
  @ApiProperty({ enum: GENERATION_TYPES }) kind!: string;
  @ApiProperty({ type: [MergedFrom], description: 'For `merge`: the versions that the rows come from.' })
  merged_from!: readonly MergedFrom[];
  @ApiProperty({ ...ANY_OBJECT, nullable: true, description: 'For `hub`: repository, commit and files.' })
  hub!: object | null;
  @ApiProperty({ type: [String], nullable: true, description: 'For `feedback`: the calls that the rows come from.' })
  call_ids!: readonly string[] | null;
  @ApiProperty({ description: 'Whether there are more calls than `call_ids` lists.' }) more_calls!: boolean;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

export class VersionErasure {
  @ApiProperty({ format: 'date-time' }) erased_at!: string;
  @ApiProperty({ type: Actor, description: '`system:storage` for one that freed space.' }) erased_by!: Actor;
  @ApiProperty({
    type: [DestroyedKey],
    description: 'Keys of the rows that were destroyed; empty for rows that were stored unencrypted.',
  })
  keys!: readonly DestroyedKey[];
  @ApiProperty({
    example: '/felix/datasets/tickets/3?erase=true',
    description: 'DELETE of this address answers with the certificate, as it did when the version was erased.',
  })
  certificate!: string;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class DescribedVersion {
  @ApiProperty({ ...NULL_TEXT, description: 'What the rows are for.' }) purpose!: string | null;
  @ApiProperty({ ...NULL_TEXT, description: 'Where the rows come from.' }) source!: string | null;
  @ApiProperty(NULL_TEXT) license!: string | null;
  @ApiProperty(NULL_TEXT) consent!: string | null;
  @ApiProperty({ type: Actor, description: 'Who said so last.' }) by!: Actor;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

export class DatasetVersionLineage {
  @ApiProperty() version_id!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ type: 'integer' }) version!: number;
  @ApiProperty({ ...NULL_TEXT, description: 'SHA-256 of its rows; null until it is ready.' }) sha256!: string | null;
  @ApiProperty(NULL_NUMBER) rows!: number | null;
  @ApiProperty(NULL_TEXT) file_name!: string | null;
  @ApiProperty({ type: Actor }) made_by!: Actor;
  @ApiProperty({
    type: DescribedVersion,
    nullable: true,
    description: 'What people say of its rows; null for nothing.',
  })
  described!: DescribedVersion | null;
  @ApiProperty({ type: Origin }) origin!: Origin;
  @ApiProperty({ ...EVENT, description: 'When its rows were ready.' }) event!: EventCitation | null;
  @ApiProperty({ ...EVENT, description: 'Its deletion; null if it was not deleted.' }) deleted!: EventCitation | null;
  @ApiProperty({
    type: VersionErasure,
    nullable: true,
    description: 'The erasure of its rows, for good; null while they are kept.',
  })
  erased!: VersionErasure | null;
}

export class Correction {
  @ApiProperty({
    enum: VERDICTS,
    nullable: true,
    description: 'null: the verdict was removed.',
  })
  verdict!: string | null;
  @ApiProperty() reviewer!: string;
  @ApiProperty({ type: Actor }) by!: Actor;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}
