import { ApiProperty } from '@nestjs/swagger';
import {
  GATE_EVIDENCE,
  type GateEvidence,
  type OnPass,
  type RefusedCorrections,
  ON_PASS,
  REFUSED_CORRECTIONS,
  COMPARED_ROWS,
  GATE_RULES,
  IMPROVEMENT_OUTCOMES,
  IMPROVEMENT_TRIGGERS,
  TEACHER_DOWN,
  type CascadePolicy,
  WEEKDAYS,
  type Weekday,
} from '#domain/improvement/index.js';
import { VersionReference } from '../training-jobs/requests/version-reference.js';
import {
  BodyInteger,
  BodyNumber,
  BodyObject,
  BodyOneOf,
  BodyPositive,
  BodyText,
  NotBlank,
  QueryInteger,
  QueryOneOf,
} from '../../edge/validation/index.js';

const optional = true;
const Share = (description: string): PropertyDecorator => BodyNumber({ optional, min: 0, max: 1, description });

export class ImproveBody {
  @BodyText({
    ...{ optional, max: 128 },
    description:
      'Dataset to learn from, besides the datasets of the version in use. Default: a new version made from the corrections',
  })
  dataset_name?: string | null;

  @VersionReference() version_number?: string | number | null;
}

export class ForceBody {
  @BodyText(
    { max: 500, description: 'The reason; stored with the event', example: 'the lost label is retired' },
    NotBlank(),
  )
  reason!: string;
}

export class CascadeBody {
  @BodyText({ max: 300, description: 'The teacher: catalog id of a model that generates text' }) to!: string;

  @BodyNumber({
    min: 0.5,
    max: 0.999,
    description: "Share of the small model's own answers that have to be the teacher's",
  })
  target_agreement!: number;

  @Share('Share of its answers that the teacher is asked for as well, unseen. Default 0.02') audit_share?:
    number | null;

  @BodyOneOf(TEACHER_DOWN, {
    ...{ optional, default: 'fail' },
    description:
      'What becomes of calls that the teacher should answer and cannot: the small model answers, or they fail',
  })
  teacher_down?: CascadePolicy['teacherDown'] | null;
}

export class PolicyBody {
  @Share('Largest allowed drop in F1. Default 0.01') max_f1_drop?: number | null;

  @BodyOneOf(GATE_EVIDENCE, {
    ...{ optional, default: 'worse' },
    description: '`worse` refuses what is shown to be worse; `not_worse` takes only what is shown not to be',
  })
  evidence?: GateEvidence | null;

  @Share('Largest allowed drop in the F1 of a label. Default 0.1; null: not judged') max_label_drop?: number | null;

  @BodyInteger({
    optional,
    min: 1,
    max: 1_000_000,
    default: 10,
    description: 'Minimum number of rows for a label to be judged',
  })
  min_label_rows?: number | null;

  @BodyInteger({ optional, min: 1, max: 1_000_000, default: 10, description: 'Minimum number of regression rows' })
  min_rows?: number | null;

  @BodyInteger({ optional, min: 0, max: 1_000_000, default: 0, description: 'Minimum number of held-out corrections' })
  min_corrections?: number | null;

  @BodyInteger({ optional, min: 1, max: 2 ** 50, description: 'Maximum size of the stored model in bytes' })
  max_size_bytes?: number | null;

  @BodyPositive({
    optional,
    max: 600_000,
    description: 'Maximum of the median time of a call; each model answers twenty calls',
  })
  max_latency_ms?: number | null;

  @BodyOneOf(ON_PASS, { optional, default: 'candidate', description: 'What a passed gate leads to' })
  on_pass?: OnPass | null;

  @BodyText({
    optional,
    max: 128,
    description: 'Dataset on which both versions are compared too; no version learns from it',
  })
  regression_dataset?: string | null;

  @VersionReference() regression_version?: string | number | null;

  @BodyOneOf(REFUSED_CORRECTIONS, {
    ...{ optional, default: 'again' },
    description:
      'Corrections that a refused version learned are learned again with later ones, or left out from then on',
  })
  refused_corrections?: RefusedCorrections | null;

  @BodyInteger({
    optional,
    min: 1,
    max: 1_000_000,
    description: 'Number of new corrections that starts an improvement',
  })
  improve_after_corrections?: number | null;

  @BodyOneOf(WEEKDAYS, { optional, description: 'Day of the week on which an improvement starts' })
  weekly_on?: Weekday | null;

  @BodyInteger({ optional, min: 0, max: 23, description: 'Hour of that day, UTC. Default 0' }) weekly_hour?:
    number | null;

  @BodyInteger({
    optional,
    min: 1,
    max: 1_000,
    description: 'Maximum number of improvements, and of distillations, within `max_runs_days`, whoever starts them',
  })
  max_runs?: number | null;

  @BodyInteger({ optional, min: 1, max: 366, description: 'Default 7' }) max_runs_days?: number | null;

  @Share('Share of failed calls above which the previous version is put in use again') rollback_max_error_rate?:
    number | null;

  @Share('Share of corrected answers, among reviewed ones, above which the previous version is put in use again')
  rollback_max_disagreement?: number | null;

  @BodyInteger({
    optional,
    min: 1,
    max: 8_760,
    description: 'Hours after a promotion in which both rates are watched. Default 24',
  })
  rollback_window_hours?: number | null;

  @BodyInteger({
    optional,
    min: 1,
    max: 1_000_000,
    description: 'Minimum number of calls for a rate to be judged. Default 20',
  })
  rollback_min_calls?: number | null;

  @BodyPositive({
    optional,
    max: 100,
    description: 'Population stability index from which drift is reported, such as 0.25',
  })
  drift_psi?: number | null;

  @BodyObject(CascadeBody, {
    optional,
    description:
      'Who answers the calls of distilled versions with them. Default: what it was; null: such versions answer alone',
  })
  cascade?: CascadeBody | null;
}

export class ImprovementsQuery {
  @QueryInteger({ min: 1, max: 200, default: 100 }) limit = 100;
  @QueryInteger({ min: 0, default: 0 }) offset = 0;
}

const STAGES = ['collecting', 'training', 'evaluating', 'gating', 'done', 'failed', 'cancelled'] as const;
type Stage = (typeof STAGES)[number];
const ENDED: readonly Stage[] = ['done', 'failed', 'cancelled'];
export const OPEN_STAGES = STAGES.filter((stage) => !ENDED.includes(stage));

export class AllImprovementsQuery extends ImprovementsQuery {
  @QueryOneOf([...STAGES, 'open'], '`open`: only improvements that have not ended') status?: Stage | 'open';
}

const TEXT_OR_NULL = { type: String, nullable: true } as const;
const NUMBER_OR_NULL = { type: Number, nullable: true } as const;
const INTEGER = { type: 'integer' } as const;
const INTEGER_OR_NULL = { type: 'integer', nullable: true } as const;

class CascadeRecord {
  @ApiProperty() to!: string;
  @ApiProperty() target_agreement!: number;
  @ApiProperty() audit_share!: number;
  @ApiProperty({ enum: TEACHER_DOWN }) teacher_down!: string;
}

export class PolicyRecord {
  @ApiProperty() max_f1_drop!: number;
  @ApiProperty({ enum: GATE_EVIDENCE }) evidence!: string;
  @ApiProperty(NUMBER_OR_NULL) max_label_drop!: number | null;
  @ApiProperty(INTEGER) min_label_rows!: number;
  @ApiProperty(INTEGER) min_rows!: number;
  @ApiProperty(INTEGER) min_corrections!: number;
  @ApiProperty(INTEGER_OR_NULL) max_size_bytes!: number | null;
  @ApiProperty(NUMBER_OR_NULL) max_latency_ms!: number | null;
  @ApiProperty({ enum: ON_PASS }) on_pass!: string;
  @ApiProperty(TEXT_OR_NULL) regression_dataset!: string | null;
  @ApiProperty(INTEGER_OR_NULL) regression_version!: number | null;
  @ApiProperty({ enum: REFUSED_CORRECTIONS }) refused_corrections!: string;
  @ApiProperty(INTEGER_OR_NULL) improve_after_corrections!: number | null;
  @ApiProperty({ ...TEXT_OR_NULL, enum: [...WEEKDAYS, null] }) weekly_on!: string | null;
  @ApiProperty(INTEGER_OR_NULL) weekly_hour!: number | null;
  @ApiProperty(INTEGER_OR_NULL) max_runs!: number | null;
  @ApiProperty(INTEGER_OR_NULL) max_runs_days!: number | null;
  @ApiProperty(INTEGER_OR_NULL) rollback_window_hours!: number | null;
  @ApiProperty(INTEGER_OR_NULL) rollback_min_calls!: number | null;
  @ApiProperty(NUMBER_OR_NULL) rollback_max_error_rate!: number | null;
  @ApiProperty(NUMBER_OR_NULL) rollback_max_disagreement!: number | null;
  @ApiProperty(NUMBER_OR_NULL) drift_psi!: number | null;
  @ApiProperty({ type: CascadeRecord, nullable: true }) cascade!: CascadeRecord | null;
}

class ImprovementStageRecord {
  @ApiProperty({ enum: STAGES }) stage!: string;
  @ApiProperty({ format: 'date-time', description: 'When it began' }) at!: string;
}

class ImprovementEvaluations {
  @ApiProperty({ enum: COMPARED_ROWS }) rows!: string;
  @ApiProperty({ description: 'Evaluation of the new version' }) candidate_id!: string;
  @ApiProperty({ description: 'Evaluation of the version in use' }) champion_id!: string;
}

class GateDifference {
  @ApiProperty({ description: '`candidate` minus `champion`' }) value!: number;
  @ApiProperty({ description: 'Lower bound of the interval, by a paired bootstrap over the rows' }) low!: number;
  @ApiProperty() high!: number;
}

class GateRuleRecord {
  @ApiProperty({
    enum: GATE_RULES,
  })
  rule!: string;

  @ApiProperty() passed!: boolean;
  @ApiProperty({ description: 'Bound in the policy' }) limit!: number;
  @ApiProperty(TEXT_OR_NULL) label!: string | null;
  @ApiProperty({ ...INTEGER_OR_NULL, description: 'Number of rows that decided it' }) rows!: number | null;
  @ApiProperty() candidate!: number;
  @ApiProperty(NUMBER_OR_NULL) champion!: number | null;
  @ApiProperty({ type: GateDifference, nullable: true }) difference!: GateDifference | null;
}

class GateRecord {
  @ApiProperty() passed!: boolean;
  @ApiProperty({ type: [GateRuleRecord] }) rules!: GateRuleRecord[];
  @ApiProperty({ format: 'date-time' }) decided_at!: string;
}

class GateForced {
  @ApiProperty() actor!: string;
  @ApiProperty() reason!: string;
  @ApiProperty({ format: 'date-time' }) at!: string;
}

class CollectedLeftOut {
  @ApiProperty({ ...INTEGER, description: 'Verdicts that are unsure' }) unsure!: number;
  @ApiProperty({ ...INTEGER, description: 'Calls without kept content' }) without_content!: number;
  @ApiProperty({ ...INTEGER, description: 'Calls of decoders and embedders' }) other_tasks!: number;
  @ApiProperty({ ...INTEGER, description: 'Verdicts on texts that other verdicts gave a row' }) duplicates!: number;
}

export class CollectedRecord {
  @ApiProperty(INTEGER) rows!: number;
  @ApiProperty({ ...INTEGER, description: 'Texts with differing verdicts; the newest counts' })
  conflict_count!: number;
  @ApiProperty({ type: CollectedLeftOut }) left_out!: CollectedLeftOut;
}

export class ImprovementRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ description: 'Name of the model' }) model!: string;
  @ApiProperty({ enum: STAGES }) status!: string;
  @ApiProperty({ enum: [...IMPROVEMENT_OUTCOMES, null], ...TEXT_OR_NULL })
  outcome!: string | null;

  @ApiProperty({ ...INTEGER_OR_NULL, description: 'Number of the new version' }) version!: number | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Why it failed, or was refused' }) reason!: string | null;
  @ApiProperty({ enum: IMPROVEMENT_TRIGGERS }) trigger!: string;
  @ApiProperty({ ...INTEGER, description: 'The version that was in use' }) champion_version!: number;
  @ApiProperty() champion_model_id!: string;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Dataset that is learned in addition' }) dataset_name!: string | null;
  @ApiProperty(INTEGER_OR_NULL) dataset_version!: number | null;
  @ApiProperty({
    ...{ type: CollectedRecord, nullable: true },
    description: 'How the verdicts were used; null if the request named the dataset',
  })
  collected!: CollectedRecord | null;
  @ApiProperty(TEXT_OR_NULL) training_job_id!: string | null;
  @ApiProperty({ type: [ImprovementEvaluations] }) evaluations!: ImprovementEvaluations[];
  @ApiProperty({ type: GateRecord, nullable: true }) gate!: GateRecord | null;
  @ApiProperty({ type: GateForced, nullable: true, description: 'Whether the gate was overridden' })
  forced!: GateForced | null;
  @ApiProperty({ type: PolicyRecord, description: 'The policy when the improvement began' }) policy!: PolicyRecord;
  @ApiProperty({ type: [ImprovementStageRecord] }) stages!: ImprovementStageRecord[];
  @ApiProperty({ description: 'Stream of its events: `GET /events?stream=`' }) stream!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ ...TEXT_OR_NULL, format: 'date-time' }) completed_at!: string | null;
}

export class ImprovementList {
  @ApiProperty({ type: [ImprovementRecord], description: 'Newest first' }) improvements!: ImprovementRecord[];
  @ApiProperty({ type: 'integer', description: 'On this page.' }) count!: number;
  @ApiProperty({ type: 'integer', description: 'Of all pages.' }) total!: number;
}
