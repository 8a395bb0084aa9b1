import { ApiProperty } from '@nestjs/swagger';
import { ArrayUnique } from 'class-validator';
import {
  CASCADE_STATES,
  DISTILLATION_STAGES,
  HEAD_KINDS,
  PROMPT_VERSIONS,
  UNMAPPED,
  type HeadKind,
  type PromptVersions,
  type Unmapped,
} from '#domain/distillation/index.js';
import { KEY_LIMIT_BOUNDS } from '#domain/api-key/index.js';
import { IMPROVEMENT_TRIGGERS } from '#domain/improvement/index.js';
import {
  BodyItems,
  BodyNumber,
  BodyObject,
  BodyOneOf,
  BodyText,
  BodyTime,
  QueryInteger,
} from '../../edge/validation/index.js';

import { DatasetReference } from '../training-jobs/requests/dto.js';

const optional = true;

export class CallsToLearn {
  @BodyText({
    ...{ optional, max: 300, example: 'gpt-4o-mini-2024-07-18' },
    description: 'The model that answered them, as imported calls name it. Default: the teacher',
  })
  model?: string | null;

  @BodyText({ optional, max: 64, description: 'Only calls of this project' }) project_id?: string | null;
  @BodyTime({ optional, description: 'Only calls from this time on' }) since?: string | null;
  @BodyTime({ optional, description: 'Only calls before this time' }) until?: string | null;
}

class LabelBody {
  @BodyObject(DatasetReference, {
    description: 'Its texts are asked about, in the words of the newest call of the task',
  })
  dataset!: DatasetReference;

  @BodyNumber({
    ...{ min: 0.000_001, max: KEY_LIMIT_BOUNDS.budgetDollars },
    description: 'US dollars that its answers may cost',
  })
  budget!: number;
}

class WantedHeadBody {
  @BodyText({ max: 300, description: 'As in `GET /distillable`', example: 'items[].sku' }) path!: string;
  @BodyOneOf(HEAD_KINDS, { description: 'One of its `choices`' }) kind!: HeadKind;
}

export class DistilBody {
  @BodyText({ max: 300, description: 'The hosted model whose recorded answers are learned', example: 'acme/gpt' })
  teacher!: string;

  @BodyObject(CallsToLearn, { optional, description: 'Which of its calls. Default: the newest 20,000' })
  from?: CallsToLearn | null;

  @BodyObject(LabelBody, { optional, description: 'Texts that the teacher is asked about first. Default: none' })
  label?: LabelBody | null;

  @BodyText({ optional, max: 64, description: 'Task by its id in `GET /distillable`. Default: the only one' })
  task?: string | null;

  @BodyNumber({
    ...{ optional, min: 0.5, max: 0.999 },
    description: "Share of the small model's own answers that have to be the teacher's. Default 0.95",
  })
  target_agreement?: number | null;

  @BodyNumber({
    ...{ optional, min: 0, max: 1 },
    description: "Share of the small model's answers that the teacher is asked for as well, unseen. Default 0.02",
  })
  audit_share?: number | null;

  @BodyOneOf(UNMAPPED, {
    ...{ optional, default: 'null' },
    description: 'What becomes of fields of the answers that cannot be learned: they are null, or it is refused',
  })
  unmapped?: Unmapped | null;

  @BodyOneOf(PROMPT_VERSIONS, {
    ...{ optional, default: 'newest' },
    description: 'Whether calls of the newest version of the prompt are learned, or of all',
  })
  prompt_versions?: PromptVersions | null;

  @BodyItems(
    WantedHeadBody,
    {
      ...{ optional, min: 0, max: 500, item: '{path, kind}' },
      description: 'What places of the answers are to become, where that is not what `GET /distillable` proposes',
    },
    ArrayUnique((head: WantedHeadBody | null) => head?.path, { message: '$property must not name a path twice' }),
  )
  heads?: readonly WantedHeadBody[] | null;

  @BodyText({
    ...{ optional, max: 300 },
    description:
      'Model to train: an encoder, or a language model, which learns free text too, without a bound. Default: the best encoder here',
  })
  base_model?: string | null;
}

export class DistillationsQuery {
  @QueryInteger({ min: 1, max: 200, default: 100 }) limit = 100;
  @QueryInteger({ min: 0, default: 0 }) offset = 0;
}

const TEXT_OR_NULL = { type: String, nullable: true } as const;
const INTEGER = { type: 'integer' } as const;
const INTEGER_OR_NULL = { type: 'integer', nullable: true } as const;
const NUMBER_OR_NULL = { type: Number, nullable: true } as const;

class LearnedCalls {
  @ApiProperty({ ...INTEGER, description: 'Calls of the teacher that were read' }) read!: number;
  @ApiProperty({
    type: Object,
    additionalProperties: { type: 'integer' },
    description: 'Calls that were not, by reason',
  })
  left_out!: Record<string, number>;

  @ApiProperty({ ...INTEGER, description: 'Calls of the task' }) of_task!: number;
  @ApiProperty({ ...INTEGER, description: 'Those whose answer cannot be learned' }) not_mapped!: number;
  @ApiProperty({
    ...INTEGER,
    description: 'Calls of other versions of the prompt; `prompt_versions` says whether they were learned',
  })
  other_versions!: number;
  @ApiProperty(INTEGER) copies!: number;
  @ApiProperty(INTEGER) near_copies!: number;
  @ApiProperty(INTEGER) rows!: number;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Agreement of the teacher with itself, on copies' })
  own_agreement!: number | null;
}

class LabellingRecord {
  @ApiProperty() dataset_name!: string;
  @ApiProperty(INTEGER) dataset_version!: number;
  @ApiProperty({ description: 'US dollars' }) budget!: number;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Whose files name the answers, and the texts without one' })
  batch_id!: string | null;

  @ApiProperty({ ...INTEGER_OR_NULL, description: 'Of the dataset' }) texts!: number | null;
  @ApiProperty({ ...INTEGER_OR_NULL, description: 'Texts that calls had before, which are not asked about again' })
  copies!: number | null;
  @ApiProperty({ ...INTEGER_OR_NULL, description: 'null until it has ended' }) labelled!: number | null;
  @ApiProperty(INTEGER_OR_NULL) not_labelled!: number | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Why it ended early, as by its budget' }) reason!: string | null;
}

class BoundRecord {
  @ApiProperty({ description: 'Certainty from which the small model answers' }) threshold!: number;
  @ApiProperty({ ...INTEGER, description: 'Calls of at least that certainty, out of fold' }) answered!: number;
  @ApiProperty(INTEGER) disagreements!: number;
  @ApiProperty(INTEGER) judged!: number;
}

class LiveCascadeRecord {
  @ApiProperty({ enum: CASCADE_STATES }) state!: string;
  @ApiProperty(NUMBER_OR_NULL) threshold!: number | null;
  @ApiProperty({ description: 'Audits speak against the target: more answers are audited' }) suspected!: boolean;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Why the teacher answers again' }) reason!: string | null;
  @ApiProperty({ ...INTEGER, description: 'First calls, all answered by the teacher' }) watched!: number;
  @ApiProperty(INTEGER) watched_disagreements!: number;
  @ApiProperty({ ...INTEGER, description: 'Answers that the teacher gave as well, unseen' }) audited!: number;
  @ApiProperty(INTEGER) disagreements!: number;
}

class DistillationStageRecord {
  @ApiProperty({ enum: DISTILLATION_STAGES }) stage!: string;
  @ApiProperty({ format: 'date-time', description: 'When it began' }) at!: string;
}

class WantedHeadRecord {
  @ApiProperty() path!: string;
  @ApiProperty({ enum: HEAD_KINDS }) kind!: string;
}

export class DistillationRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ description: 'Name of the model' }) model!: string;
  @ApiProperty() teacher!: string;
  @ApiProperty({ enum: DISTILLATION_STAGES }) status!: string;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Why it was refused, failed, or is not in use' }) reason!: string | null;
  @ApiProperty({ ...INTEGER_OR_NULL, description: 'Number of the new version' }) version!: number | null;
  @ApiProperty() target_agreement!: number;
  @ApiProperty() audit_share!: number;
  @ApiProperty({
    enum: IMPROVEMENT_TRIGGERS,
    description: 'Who asked: a person, or the policy by corrections or weekly',
  })
  trigger!: string;

  @ApiProperty({ enum: UNMAPPED }) unmapped!: string;
  @ApiProperty({ enum: PROMPT_VERSIONS }) prompt_versions!: string;
  @ApiProperty({ type: [WantedHeadRecord] }) heads!: readonly WantedHeadRecord[];
  @ApiProperty() base_model!: string;
  @ApiProperty({ enum: ['encoder', 'decoder'] }) task_type!: string;
  @ApiProperty(TEXT_OR_NULL) task!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'The model that answered the calls; null for the teacher' })
  from_model!: string | null;

  @ApiProperty(TEXT_OR_NULL) project_id!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, format: 'date-time' }) since!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, format: 'date-time' }) until!: string | null;
  @ApiProperty({ type: LabellingRecord, nullable: true }) labelling!: LabellingRecord | null;
  @ApiProperty({ type: LearnedCalls, nullable: true }) calls!: LearnedCalls | null;
  @ApiProperty(TEXT_OR_NULL) dataset_name!: string | null;
  @ApiProperty(INTEGER_OR_NULL) dataset_version!: number | null;
  @ApiProperty(TEXT_OR_NULL) training_job_id!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'The cross-validation' }) evaluation_id!: string | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Share of the calls that it was surest of, out of fold' })
  share!: number | null;

  @ApiProperty({ type: BoundRecord, nullable: true }) bound!: BoundRecord | null;
  @ApiProperty({
    type: LiveCascadeRecord,
    nullable: true,
    description: 'null for a language model, which asks no teacher',
  })
  cascade!: LiveCascadeRecord | null;

  @ApiProperty({ type: [DistillationStageRecord] }) stages!: DistillationStageRecord[];
  @ApiProperty({ description: 'Stream of its events: `GET /events?stream=`' }) stream!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ ...TEXT_OR_NULL, format: 'date-time' }) completed_at!: string | null;
}

export class DistillationList {
  @ApiProperty({ type: [DistillationRecord], description: 'Newest first' }) distillations!: DistillationRecord[];
  @ApiProperty({ type: 'integer', description: 'On this page.' }) count!: number;
  @ApiProperty({ type: 'integer', description: 'Of all pages.' }) total!: number;
}

export class SavingsQuery {
  @QueryInteger({ min: 1, max: 366, default: 30 }) days = 30;
}

class AgreementRecord {
  @ApiProperty({ description: "Share of the audited answers that were the teacher's" }) agreement!: number;
  @ApiProperty({ description: 'Of its exact interval of 95%' }) low!: number;
  @ApiProperty() high!: number;
}

class SavingsTotals {
  @ApiProperty({ ...INTEGER, description: 'Answered calls of the name' }) calls!: number;
  @ApiProperty({ ...INTEGER, description: 'Those that the small model answered' }) answered!: number;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Their share' }) share!: number | null;
  @ApiProperty({ ...INTEGER, description: 'Those that the teacher answered as well, unseen' }) audited!: number;
  @ApiProperty({ type: AgreementRecord, nullable: true }) agreement!: AgreementRecord | null;
  @ApiProperty({ description: 'Dollars, audits and failed calls included, as bills have them' }) cost!: number;
  @ApiProperty({ description: 'The same in picodollars' }) cost_picodollars!: string;
  @ApiProperty({
    ...NUMBER_OR_NULL,
    description: 'Dollars at the teacher alone, by the mean of the calls that it answered',
  })
  cost_before!: number | null;

  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Mean of the calls' }) latency_ms!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Mean of the calls that the teacher answered' }) latency_ms_before!:
    number | null;
}

class SavingsOfDay extends SavingsTotals {
  @ApiProperty({ format: 'date' }) day!: string;
}

export class SavingsRecord extends SavingsTotals {
  @ApiProperty() model!: string;
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) until!: string;
  @ApiProperty({ type: [SavingsOfDay], description: 'Days with calls, oldest first' }) days!: SavingsOfDay[];
}
