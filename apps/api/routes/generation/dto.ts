import { applyDecorators } from '@nestjs/common';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsNotEmpty,
  IsString,
  Matches,
  MaxLength,
} from 'class-validator';
import type { FieldType, GenerationTask } from '#domain/generation-job/index.js';
import { BUILT_IN } from '#rows/synthetic/generators.js';
import { THRESHOLD } from '../../edge/validation/optional-fields.js';
import { DatasetName } from '../datasets/versions/body-fields.js';
import {
  bodyField,
  BodyFlag,
  BodyInteger,
  BodyItems,
  BodyNumber,
  BodyOneOf,
  BodyText,
} from '../../edge/validation/index.js';

export const TASK_TYPES: readonly GenerationTask[] = [
  'ner',
  'classification',
  'custom',
  'decoder',
  'records',
  'fields',
];
const FIELD_TYPES: readonly FieldType[] = ['string', 'number', 'boolean', 'list'];
const MAX_TEXT_CHARACTERS = 20_000;

const optional = true;

export class FieldBody {
  @BodyText({ max: 100, example: 'customer_email' }) name!: string;
  @BodyOneOf(FIELD_TYPES, { optional, default: 'string' }) type?: FieldType | null;
  @BodyText({ optional, min: 0, max: 2000 }) description?: string | null;

  @bodyField(
    { optional, type: [String], description: 'The only allowed values.' },
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(1000),
    ArrayUnique(),
    IsString({ each: true, message: 'each value in $property must be a string that is not empty' }),
    IsNotEmpty({ each: true, message: 'each value in $property must be a string that is not empty' }),
  )
  choices?: string[] | null;
}

const UniqueNames = (what: string): PropertyDecorator =>
  ArrayUnique((item: { name: string } | null) => item?.name, { message: `$property must not name a ${what} twice` });

const Fields = (description: string, more: { optional: boolean } = { optional }): PropertyDecorator =>
  BodyItems(FieldBody, { ...more, min: 1, max: 100, description }, UniqueNames('field'));

export class StructureBody {
  @BodyText({ max: 200, example: 'order' }) name!: string;
  @Fields('Copied from the text: each is a `string` or a `list` of strings.', { optional: false }) fields!: FieldBody[];
}

export class RelationBody {
  @BodyText({ max: 200, example: 'works_for' }) name!: string;
  @BodyText({ optional, max: 200, description: 'Entity type of the head.', example: 'person' }) head?: string | null;
  @BodyText({ optional, max: 200, description: 'Entity type of the tail.', example: 'company' }) tail?: string | null;
  @BodyText({ optional, min: 0, max: 2000 }) description?: string | null;
}

class ClassifiedExampleBody {
  @BodyText({ max: MAX_TEXT_CHARACTERS }) text!: string;
  @BodyText({ max: 200 }) label!: string;
}

const Labels = (): PropertyDecorator =>
  applyDecorators(
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(200),
    ArrayUnique({ message: '$property must not hold a label twice' }),
    IsString({ each: true, message: 'each value in $property must be a string' }),
    Matches(/\S/, { each: true, message: 'each value in $property must be a label that is not empty' }),
    MaxLength(200, { each: true, message: 'each value in $property must have at most 200 characters' }),
  );

const Text = (description: string): PropertyDecorator => BodyText({ optional, max: MAX_TEXT_CHARACTERS, description });

const NextVersion = (): PropertyDecorator =>
  DatasetName({
    optional,
    description: 'The rows become the next version of this dataset. Without a name, they are returned in `data` only.',
  });

const Saved = (): PropertyDecorator => BodyFlag({ optional, description: 'Default: true if `dataset_name` is set.' });

export class GenerateBody {
  @BodyOneOf(TASK_TYPES) task_type!: GenerationTask;
  @NextVersion() dataset_name?: string | null;

  @bodyField(
    {
      ...{ optional, type: [String], example: ['person', 'city'] },
      description: 'Required for `classification`, and for `ner` without `structures` and `relations`.',
    },
    Labels(),
  )
  labels?: string[] | null;

  @BodyItems(
    StructureBody,
    { optional, min: 1, max: 50, description: 'For `ner`: the records in the texts, as `json_structures`.' },
    UniqueNames('structure'),
  )
  structures?: StructureBody[] | null;

  @BodyItems(
    RelationBody,
    { optional, min: 1, max: 50, description: 'For `ner`: the relations in the texts, as `relations`.' },
    UniqueNames('relation'),
  )
  relations?: RelationBody[] | null;

  @BodyInteger({ optional, min: 1, max: 10_000, default: 100 }) num_examples?: number | null;
  @Text('Subject of the rows. Required for `decoder`.') domain_description?: string | null;
  @Text('Required for `custom`.') prompt?: string | null;
  @Text('Instructions for generating the rows; for `decoder` rows, the system message.') instruction?: string | null;
  @Fields('Required for `records`.') fields?: FieldBody[] | null;
  @Fields('Required for `fields`, with `output_fields`.') input_fields?: FieldBody[] | null;
  @Fields('Required for `fields`, with `input_fields`.') output_fields?: FieldBody[] | null;

  @BodyItems(ClassifiedExampleBody, {
    ...{ optional, min: 0, max: 100 },
    description: 'Labelled example texts. Only with a decoder as `model_id`.',
  })
  classified_examples?: ClassifiedExampleBody[] | null;

  @Saved() save_dataset?: boolean | null;
  @BodyText({ optional, description: 'Id of a project' }) project_id?: string | null;

  @BodyInteger({
    ...{ optional, min: 0, max: 0xffff_ffff },
    description:
      'The built-in generator makes the same rows from the same seed. Default: a random seed, shown in the job.',
  })
  seed?: number | null;

  @BodyText({
    ...{ optional, max: 200, default: BUILT_IN },
    description: `Who makes the rows: \`${BUILT_IN}\`, which needs no model, or the id of a decoder of the catalog.`,
  })
  model_id?: string | null;
}

export class LabelExistingBody {
  @bodyField(
    { type: [String], minItems: 1, maxItems: 1000 },
    IsArray(),
    ArrayMinSize(1, { message: '$property must hold 1 to 1,000 strings' }),
    ArrayMaxSize(1000, { message: '$property must hold 1 to 1,000 strings' }),
    IsString({ each: true, message: 'each value in $property must be a string' }),
    Matches(/\S/, { each: true, message: 'each value in $property must be a text that is not empty' }),
  )
  inputs!: string[];

  @bodyField({ type: [String], minItems: 1, maxItems: 200 }, Labels()) labels!: string[];

  @BodyFlag({ optional, default: false, description: 'For classification: allows several labels per text.' })
  multi_label?: boolean | null;

  @BodyNumber({ optional, min: 0, max: 1, ...THRESHOLD }) threshold?: number | null;
  @Saved() save_dataset?: boolean | null;
  @NextVersion() dataset_name?: string | null;
  @Text('Subject of the texts. Encoders ignore it.') domain_description?: string | null;

  @BodyText({
    ...{ optional, max: 200 },
    description: 'A catalog encoder or a training job. Default: the first encoder of the catalog.',
  })
  model_id?: string | null;

  @BodyText({ optional, description: 'Id of a project' }) project_id?: string | null;
}
