import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EventCitation } from '../events/citation-dto.js';
import { PerTokenKind } from '../../edge/openapi/per-token-kind.js';
import { AnsweringProvider } from '../inferences/dto.js';
import { QueryBoolean, QueryOneOf } from '../../edge/validation/index.js';
import { GRAPH, LineageGraph } from './graph-dto.js';
import {
  Actor,
  ANY_OBJECT,
  Correction,
  DatasetVersionLineage,
  EVENT,
  NULL_TEXT,
  Weights,
  WeightsFile,
} from './parts-dto.js';

class Caused extends Actor {
  @ApiProperty({ ...NULL_TEXT, description: 'The user who owns the key.' }) user_id!: string | null;
  @ApiProperty({ ...NULL_TEXT, description: 'E-mail address of that user.' }) user!: string | null;
}

class NameInForce {
  @ApiProperty() name!: string;
  @ApiProperty({ type: 'integer' }) version!: number;
  @ApiProperty({
    ...{ type: Actor, nullable: true },
    description: 'Who put this version in use: by promotion, traffic or label, or as a shadow.',
  })
  put_in_force_by!: Actor | null;
  @ApiProperty(NULL_TEXT) reason!: string | null;
  @ApiProperty({ ...EVENT, description: 'The last event before the call that put this version in use.' })
  event!: EventCitation | null;
}

class Engine {
  @ApiProperty() name!: string;
  @ApiProperty() version!: string;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class Provider extends AnsweringProvider {
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class ModelInForce {
  @ApiProperty({ description: 'As the call named it.' }) asked!: string;
  @ApiProperty({ type: NameInForce, nullable: true, description: 'null for a call by an id other than a name.' })
  named!: NameInForce | null;
  @ApiProperty({ enum: ['base', 'trained', 'imported'] }) kind!: string;
  @ApiProperty() base_model!: string;
  @ApiProperty(NULL_TEXT) training_job_id!: string | null;
  @ApiProperty({
    ...{ type: Engine, nullable: true },
    description:
      'The engine that answered, as recorded with the call; else the one that the training job pinned; else null.',
  })
  engine!: Engine | null;
  @ApiProperty({
    ...NULL_TEXT,
    description:
      'SHA-256 that identifies the weights of the base model that answered; null for hosted models and older calls.',
  })
  weights_sha256!: string | null;
  @ApiProperty({ type: Provider, nullable: true, description: 'For a hosted model: the provider that answered.' })
  provider!: Provider | null;
}

class PinnedVersion {
  @ApiProperty({ description: 'Id of a version in `datasets`.' }) version_id!: string;
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
  @ApiProperty({
    type: StartedFrom,
    nullable: true,
    description: 'For a fine-tune of a fine-tune: the next entry of `training`.',
  })
  started_from!: StartedFrom | null;
  @ApiProperty({ type: Weights, nullable: true, description: 'null until the job is complete.' })
  weights!: Weights | null;
  @ApiProperty({ ...EVENT, description: 'The deletion of the job; null if it was not deleted.' })
  deleted!: EventCitation | null;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

const PRICES = 'Picodollars (10^-12 USD) per token, like the other prices.';

class PriceInForce {
  @PerTokenKind('field', ({ kind }) => ApiProperty({ type: String, ...(kind === 'input' && { description: PRICES }) }))
  input!: string;

  @ApiProperty() cost_picodollars!: string;
  @ApiProperty({ enum: ['configured'], description: 'Prices are those of the catalog; the call recorded them.' })
  source!: string;
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
}

class ProjectOfCall {
  @ApiProperty() id!: string;
  @ApiProperty(NULL_TEXT) name!: string | null;
  @ApiProperty(EVENT) event!: EventCitation | null;
}

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
  @ApiProperty({ description: 'Whether `training` or `datasets` was cut at 100 entries.' }) truncated!: boolean;
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
  @QueryBoolean('Whether each cited event comes with the proof that it is in the log.') proofs?: boolean;
}

const LINEAGE_FORMATS = ['openlineage', 'cyclonedx'] as const;

export class ModelLineageQuery {
  @QueryOneOf(LINEAGE_FORMATS, 'Default: openlineage.') format: (typeof LINEAGE_FORMATS)[number] = 'openlineage';
}
