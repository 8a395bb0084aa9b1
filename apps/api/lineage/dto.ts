import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EventCitation } from '../events/citation-dto.js';
import { QueryBoolean, QueryInteger, QueryOneOf } from '../validation/index.js';

const NULL_TEXT = { type: String, nullable: true } as const;
const NULL_NUMBER = { type: 'integer', nullable: true } as const;
const ANY_OBJECT = { type: 'object', additionalProperties: true } as const;

const EVENT = { type: EventCitation, nullable: true, description: 'null where no event tells it.' } as const;

class Actor {
  @ApiProperty({ example: 'key:0f2c', description: '`key:<id>`, `user:<id>`, `runner:<id>` or `system:<role>`.' })
  actor!: string;
  @ApiProperty({ ...NULL_TEXT, description: 'Name of the key, address of the user; null where the log tells none.' })
  name!: string | null;
  @ApiProperty(EVENT) event!: EventCitation | null;
}

class Caused extends Actor {
  @ApiProperty({ ...NULL_TEXT, description: 'The user whose key it was.' }) user_id!: string | null;
  @ApiProperty({ ...NULL_TEXT, description: 'Address of that user.' }) user!: string | null;
}

class NameInForce {
  @ApiProperty() name!: string;
  @ApiProperty({ type: 'integer' }) version!: number;
  @ApiProperty({
    ...{ type: Actor, nullable: true },
    description: 'Who put this version there: by promotion, traffic, label, or as shadow.',
  })
  put_in_force_by!: Actor | null;
  @ApiProperty(NULL_TEXT) reason!: string | null;
  @ApiProperty({ ...EVENT, description: 'The last event before the call that put this version there.' })
  event!: EventCitation | null;
}

class Engine {
  @ApiProperty() name!: string;
  @ApiProperty() version!: string;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class Provider {
  @ApiProperty() name!: string;
  @ApiProperty() model!: string;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class ModelInForce {
  @ApiProperty({ description: 'As the call named it.' }) asked!: string;
  @ApiProperty({ type: NameInForce, nullable: true, description: 'null for a call by another id than a name.' })
  named!: NameInForce | null;
  @ApiProperty({ enum: ['base', 'trained', 'imported'] }) kind!: string;
  @ApiProperty() base_model!: string;
  @ApiProperty(NULL_TEXT) training_job_id!: string | null;
  @ApiProperty({
    ...{ type: Engine, nullable: true },
    description:
      'What answered, as the call recorded it; of a call that recorded none, what its training job pinned. null otherwise.',
  })
  engine!: Engine | null;
  @ApiProperty({
    ...NULL_TEXT,
    description:
      'SHA-256 that identifies the weights of the base model that answered; null of hosted models and older calls.',
  })
  weights_sha256!: string | null;
  @ApiProperty({ type: Provider, nullable: true, description: 'The provider that answered, of a hosted model.' })
  provider!: Provider | null;
}

class WeightsFile {
  @ApiProperty() name!: string;
  @ApiProperty() sha256!: string;
  @ApiProperty({ type: 'integer' }) size!: number;
}

class Weights {
  @ApiProperty({ type: [WeightsFile] }) files!: readonly WeightsFile[];
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class PinnedVersion {
  @ApiProperty({ description: 'Of a version in `datasets`.' }) version_id!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ type: 'integer' }) version!: number;
  @ApiProperty({ type: 'integer' }) rows!: number;
  @ApiProperty({ description: 'SHA-256 of its rows.' }) sha256!: string;
}

class StartedFrom {
  @ApiProperty() job_id!: string;
  @ApiProperty({ ...NULL_TEXT, description: 'null: the result of that job.' }) checkpoint_id!: string | null;
  @ApiProperty({ type: [WeightsFile] }) files!: readonly WeightsFile[];
}

class BaseOfJob {
  @ApiProperty() id!: string;
  @ApiProperty() sha256!: string;
}

class Training {
  @ApiProperty() job_id!: string;
  @ApiProperty() model_name!: string;
  @ApiProperty({ type: Actor }) started_by!: Actor;
  @ApiProperty({ type: BaseOfJob }) base_model!: BaseOfJob;
  @ApiProperty({ type: Engine }) engine!: Engine;
  @ApiProperty({ ...ANY_OBJECT, description: 'Every setting that the job ran with.' }) configuration!: object;
  @ApiProperty({ type: [PinnedVersion] }) datasets!: readonly PinnedVersion[];
  @ApiProperty({ type: StartedFrom, nullable: true, description: 'The next one of `training`, of a fine-tune of one.' })
  started_from!: StartedFrom | null;
  @ApiProperty({ type: Weights, nullable: true, description: 'null before completion.' }) weights!: Weights | null;
  @ApiProperty({ ...EVENT, description: 'The deletion of the job; null while it is there.' })
  deleted!: EventCitation | null;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class MergedFrom {
  @ApiProperty() version_id!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ type: 'integer' }) version!: number;
}

class Origin {
  @ApiProperty({ enum: ['upload', 'batch', 'synthetic', 'labelled', 'merge', 'hub', 'feedback'] }) kind!: string;
  @ApiProperty({ type: [MergedFrom], description: 'Of `merge`: the versions that the rows are of.' })
  merged_from!: readonly MergedFrom[];
  @ApiProperty({ ...ANY_OBJECT, nullable: true, description: 'Of `hub`: repository, commit and files.' })
  hub!: object | null;
  @ApiProperty({ type: [String], nullable: true, description: 'Of `feedback`: the calls that the rows come from.' })
  call_ids!: readonly string[] | null;
  @ApiProperty({ description: 'Whether there are more calls than `call_ids` lists.' }) more_calls!: boolean;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class DatasetVersionLineage {
  @ApiProperty() version_id!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ type: 'integer' }) version!: number;
  @ApiProperty({ ...NULL_TEXT, description: 'SHA-256 of its rows; null until it is ready.' }) sha256!: string | null;
  @ApiProperty(NULL_NUMBER) rows!: number | null;
  @ApiProperty(NULL_TEXT) file_name!: string | null;
  @ApiProperty({ type: Actor }) made_by!: Actor;
  @ApiProperty({ type: Origin }) origin!: Origin;
  @ApiProperty({ ...EVENT, description: 'When its rows were ready.' }) event!: EventCitation | null;
  @ApiProperty({ ...EVENT, description: 'Its deletion; null while it is there.' }) deleted!: EventCitation | null;
}

class PriceInForce {
  @ApiProperty({ description: 'Picodollars (10^-12 USD) a token, as the others.' }) input!: string;
  @ApiProperty() output!: string;
  @ApiProperty() cache_read!: string;
  @ApiProperty() cache_write!: string;
  @ApiProperty() cost_picodollars!: string;
  @ApiProperty({ enum: ['configured'], description: 'Prices are those of the catalog; the call recorded them.' })
  source!: string;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class Correction {
  @ApiProperty({ enum: ['correct', 'incorrect', 'unsure'], nullable: true, description: 'null: it was taken back.' })
  verdict!: string | null;
  @ApiProperty() reviewer!: string;
  @ApiProperty({ type: Actor }) by!: Actor;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class ProjectOfCall {
  @ApiProperty() id!: string;
  @ApiProperty(NULL_TEXT) name!: string | null;
  @ApiProperty(EVENT) event!: EventCitation | null;
}

const NODE_KINDS = [
  ...['call', 'answers', 'correction', 'actor'],
  ...['model_version', 'job', 'base_model', 'dataset_version', 'row'],
] as const;
const RELATIONS = [
  ...['called', 'started', 'made', 'put_in_force', 'gave'],
  ...['learned', 'continued', 'based', 'named', 'answered', 'judged', 'merged', 'corrected', 'has'],
] as const;

class LineageNode {
  @ApiProperty({ example: 'job:12f5ddc1-0cd6-5883-9630-8d0a4ebd1145', description: 'Kind and id.' }) id!: string;
  @ApiProperty({ enum: NODE_KINDS }) kind!: string;
  @ApiProperty({ description: 'For people: a name, a status, a verdict, a count.' }) label!: string;
  @ApiProperty({ ...EVENT, description: 'The event that made it; null where the answer tells none.' })
  event!: EventCitation | null;
  @ApiProperty({ ...NULL_TEXT, description: 'The route that tells more.' }) link!: string | null;
}

class LineageEdge {
  @ApiProperty({ description: 'Id of the node that was there first.' }) from!: string;
  @ApiProperty({ description: 'Id of the node that came of it.' }) to!: string;
  @ApiProperty({ enum: RELATIONS, description: 'What `from` did to, or is for, `to`.' }) relation!: string;
  @ApiProperty(EVENT) event!: EventCitation | null;
}

/** All edges go from cause to result, and there is no way in a circle. */
export class LineageGraph {
  @ApiProperty({ description: 'Id of the node that was asked for.' }) root!: string;
  @ApiProperty({ type: [LineageNode] }) nodes!: readonly LineageNode[];
  @ApiProperty({ type: [LineageEdge], description: 'Both ends are nodes.' }) edges!: readonly LineageEdge[];
  @ApiProperty({ description: 'Whether nodes are left out, by a limit or because they are on another page.' })
  truncated!: boolean;
}

const GRAPH = { type: LineageGraph, description: 'The same as nodes and edges.' } as const;

export class CallLineage {
  @ApiProperty() id!: string;
  @ApiProperty({ description: 'The record with input and output, which are not repeated here.' }) record!: string;
  @ApiProperty({ format: 'date-time' }) at!: string;
  @ApiProperty() status!: string;
  @ApiProperty({ type: Caused }) by!: Caused;
  @ApiProperty({ type: ProjectOfCall, nullable: true }) project!: ProjectOfCall | null;
  @ApiProperty({ type: ModelInForce }) model!: ModelInForce;
  @ApiProperty({ type: [Training], description: 'The job whose model answered, then each that it started from.' })
  training!: readonly Training[];
  @ApiProperty({
    type: [DatasetVersionLineage],
    description: 'Versions that these jobs learned from, and their sources.',
  })
  datasets!: readonly DatasetVersionLineage[];
  @ApiProperty({ description: 'Whether `training` or `datasets` would be longer than 100.' }) truncated!: boolean;
  @ApiProperty({ type: PriceInForce, nullable: true, description: 'null for an imported call.' })
  price!: PriceInForce | null;
  @ApiProperty({ type: [Correction] }) corrections!: readonly Correction[];
  @ApiProperty({ ...EVENT, description: 'The erasure of its content; null if it was not erased.' })
  erased!: EventCitation | null;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
  @ApiProperty(GRAPH) graph!: LineageGraph;
  @ApiPropertyOptional({ description: 'With `proofs=true`: the signed checkpoint that the proofs lead to.' })
  checkpoint?: string;
  @ApiPropertyOptional({ type: [String], description: 'With `proofs=true`: keys that may have signed it.' })
  public_keys?: readonly string[];
}

export class CallLineageQuery {
  @QueryBoolean('Whether each cited event has its proof that the log has it.') proofs?: boolean;
}

export const LINEAGE_FORMATS = ['openlineage', 'cyclonedx'] as const;
export type LineageFormat = (typeof LINEAGE_FORMATS)[number];

export class ModelLineageQuery {
  @QueryOneOf(LINEAGE_FORMATS, 'By default openlineage.') format: LineageFormat = 'openlineage';
}

export class DatasetLineageQuery {
  @QueryInteger({ min: 1, max: 100, default: 20 }, 'Jobs of the page.') limit = 20;
  @QueryInteger({ min: 0, default: 0 }) offset = 0;
}

class DerivedVersion extends MergedFrom {
  @ApiProperty({ type: [String], description: 'Ids of the versions, of those followed, whose rows it has.' })
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
  @ApiProperty({ enum: ['direct', 'merge', 'fine-tune'], description: 'How the rows came to it.' }) through!: string;
  @ApiProperty({ type: [String], description: 'Ids of the versions, of those followed, that it learned from.' })
  from_versions!: readonly string[];
  @ApiProperty({ ...NULL_TEXT, description: 'The job, of those followed, that it started from.' })
  from_job!: string | null;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
  @ApiProperty({ type: Weights, nullable: true }) weights!: Weights | null;
  @ApiProperty({ type: [AddedVersion], description: 'Names under which its model was put.' })
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
  @QueryBoolean('Whether the answer has the row itself; needs the permission to read content.') content = false;
}

class VersionOfRow extends DatasetVersionLineage {
  @ApiProperty({ ...NULL_NUMBER, description: 'Its number there, from 1; null where that is not known.' })
  row!: number | null;
}

class CallOfRow {
  @ApiProperty() id!: string;
  @ApiProperty({ description: 'The record with input and output, which are not repeated here.' }) record!: string;
  @ApiProperty({ ...EVENT, description: 'null where the call is not recorded any more.' }) event!: EventCitation | null;
  @ApiProperty({ type: [Correction] }) corrections!: readonly Correction[];
}

class DerivedRows extends DerivedVersion {
  @ApiProperty({
    ...{ type: [Number], nullable: true },
    description: 'Its numbers there; null behind a merge with feedback, which may have put a correction in its place.',
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
    description: 'The call whose judged answer the row is, of feedback.',
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
