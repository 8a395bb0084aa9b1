import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { HEAD_KINDS } from '#domain/distillation/index.js';
import { QueryText, QueryTime } from '../../edge/validation/index.js';

const WITHHELD = 'null without the permission `content`.';
const NULL_NUMBER = { type: Number, nullable: true } as const;

export class DistillableQuery {
  @QueryText('Only calls of this project.') project_id?: string;
  @QueryText('Only calls of this model. Default: all that generate texts.') model?: string;
  @QueryTime('Inclusive bound on the time of the calls.') since?: string;
}

class CountedCalls {
  @ApiProperty({ description: 'Catalog id of the model that was called.' }) model!: string;
  @ApiProperty({ type: 'integer' }) calls!: number;
  @ApiProperty({ type: 'integer', description: 'Of input and output.' }) tokens!: number;
  @ApiProperty({ description: 'USD' }) cost!: number;
  @ApiProperty({ description: 'USD in 30 days at the rate between `from` and `until`, taken as at least a day.' })
  cost_a_month!: number;
  @ApiProperty({ format: 'date-time', description: 'The oldest call.' }) first_call_at!: string;
  @ApiProperty({ format: 'date-time', description: 'The newest call.' }) last_call_at!: string;
}

export const DOUBTS = [
  'free_text',
  'answers_not_mapped',
  'one_sided',
  'too_few_calls',
  'random',
  'cut_not_certain',
  'teacher_disagrees_with_itself',
  'unmapped_fields',
  'uncertain_fields',
] as const;

class DistillableField {
  @ApiProperty({ example: 'items[].sku' }) path!: string;
  @ApiProperty() reason!: string;
}

class DistillableDoubt {
  @ApiProperty({ enum: DOUBTS }) code!: string;
  @ApiProperty() message!: string;
  @ApiPropertyOptional({
    type: 'integer',
    description: 'Of `too_few_calls`: calls with other texts that are missing for the least that can show 95%.',
  })
  missing_calls?: number;
  @ApiPropertyOptional({ type: [DistillableField], description: 'Absent without the permission `content`.' })
  fields?: readonly DistillableField[];
}

class DistillableHead {
  @ApiProperty({ description: 'Where it stands in the answers; `label` for a label word.', example: 'items[].sku' })
  path!: string;
  @ApiProperty({ enum: HEAD_KINDS, description: '`constant`: all answers have one value; `null`: it is not learned.' })
  kind!: string;
  @ApiProperty({ type: [String], nullable: true, description: 'null for others than classes and entities.' })
  labels!: readonly string[] | null;
  @ApiProperty({ enum: HEAD_KINDS, isArray: true, description: 'What `heads` of a distillation can make of it.' })
  choices!: readonly string[];
}

class DistillableShare {
  @ApiProperty({ example: 0.95 }) target_agreement!: number;
  @ApiProperty({ ...NULL_NUMBER, description: 'Share of the calls; null if it errs too often where it is surest.' })
  share!: number | null;
}

class DistillableEstimate {
  @ApiProperty({ type: 'integer', description: 'Calls that it was judged on, none of which it had learned from.' })
  judged_calls!: number;
  @ApiProperty({ description: 'Share in which it agrees with the model that was called.' }) agreement!: number;
  @ApiProperty({ description: 'Share that always answering the commonest answer would reach.' }) guessed!: number;
  @ApiProperty({
    type: [DistillableShare],
    description: 'By target; those that the calls are too few for are left out.',
  })
  shares!: readonly DistillableShare[];
}

export class DistillableTask extends CountedCalls {
  @ApiProperty({ description: 'The same for the same constant part of a prompt.', example: '0f1c5a0b9d3e7a21' })
  id!: string;
  @ApiProperty({ enum: ['label', 'json', 'tool', 'text'], description: 'What the answers are.' }) form!: string;
  @ApiProperty({ description: 'Whether the requests name a schema of the answer.' }) has_schema!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: `The constant part of the prompt, shortened: \`{text}\` is where the text stands. ${WITHHELD}`,
  })
  prompt!: string | null;
  @ApiProperty({ type: 'integer', description: 'Calls without copies of a text: what a model learns from.' })
  distinct_calls!: number;
  @ApiProperty({
    ...NULL_NUMBER,
    description: 'Share of copies that were answered alike, above which no model can agree; null without copies.',
  })
  self_agreement!: number | null;
  @ApiProperty({
    enum: ['yes', 'ask', 'no'],
    description: 'Whether a small model can do it; `ask`: a person is to say whether `doubts` matter.',
  })
  suitable!: string;
  @ApiProperty({ type: [DistillableDoubt] }) doubts!: readonly DistillableDoubt[];
  @ApiProperty({
    type: [DistillableHead],
    nullable: true,
    description: `What a model would learn of each place of the answers. Also null if the answers cannot be mapped. ${WITHHELD}`,
  })
  heads!: readonly DistillableHead[] | null;
  @ApiProperty({
    type: DistillableEstimate,
    nullable: true,
    description:
      'A lower estimate: what a quick model over words could answer, cross-fitted on up to 2,000 calls, spread over the time.',
  })
  estimate!: DistillableEstimate | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why there is no estimate; null if there is one.' })
  no_estimate_because!: string | null;
}

class DistillableRefused extends CountedCalls {
  @ApiProperty({ description: 'Why no task can be made of them.' }) reason!: string;
}

class DistillableLeftOut {
  @ApiProperty({
    ...NULL_NUMBER,
    type: 'integer',
    description:
      'Made with `store: false`, on whole days; or interrupted, so that the content was lost. null with `project_id`, since nothing tells of which project the former were.',
  })
  not_kept!: number | null;
  @ApiProperty({ type: 'integer' }) erased!: number;
  @ApiProperty({ type: 'integer' }) failed!: number;
  @ApiProperty({ type: 'integer', description: 'The latest verdict is incorrect or unsure, without a correction.' })
  disputed!: number;
}

export class DistillableTasks {
  @ApiProperty({ type: [DistillableTask], description: 'Those that cost most first.' })
  tasks!: readonly DistillableTask[];
  @ApiProperty({ type: [DistillableRefused] }) refused!: readonly DistillableRefused[];
  @ApiProperty({ type: DistillableLeftOut, description: 'Calls that were not looked at.' })
  left_out!: DistillableLeftOut;
  @ApiProperty({
    type: String,
    nullable: true,
    enum: ['calls', 'bytes'],
    description: 'What kept older calls from being read; null if all were.',
  })
  limit!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description: '`since`, or the oldest call that was read; null without calls.',
  })
  from!: string | null;
  @ApiProperty({ format: 'date-time' }) until!: string;
  @ApiProperty({ description: 'true without the permission `content`.' }) content_withheld!: boolean;
}
