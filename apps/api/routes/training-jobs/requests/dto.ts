import type { TrainingJobOrder } from '#use-cases/training-jobs/order.js';
import {
  MAX_EPOCHS,
  TRAINING_TYPES,
  type LearningRateSchedule,
  type TrainingType,
  LEARNING_RATE_SCHEDULES,
} from '#domain/training-job/index.js';
import {
  BodyFlag,
  BodyInteger,
  BodyItems,
  BodyNumber,
  BodyOneOf,
  BodyPositive,
  BodyText,
  Printable,
} from '../../../edge/validation/index.js';
import { Closed } from '../../../edge/validation/closed.js';
import { LabelDescriptions } from './label-descriptions.js';
import { VersionReference } from './version-reference.js';

const optional = true;

export class DatasetReference {
  @BodyText({ max: 128, description: 'Name of a dataset' }) name!: string;
  @VersionReference() version?: string | number | null;
}

class JobDatasetReference extends DatasetReference {
  @BodyFlag({ optional, default: false, description: 'Holds out all rows of it, after those to learn from' })
  held_out?: boolean | null;
}

/** An improvement adds one to those of the version in use. */
const MAX_DATASETS = 200;
const MAX_EXCLUDED = 10;
const SHARE = 'must be a share from 0.01 to 0.5: 0.1 holds out a tenth of the rows';

@Closed()
export class CreateTrainingJobBody implements TrainingJobOrder {
  @BodyText({ optional, max: 100, description: 'Name of the resulting model' }, Printable())
  model_name?: string | null;

  @BodyItems(JobDatasetReference, {
    min: 1,
    max: MAX_DATASETS,
    item: '{name, version?, held_out?}',
    tooFew: 'must name at least one dataset',
  })
  datasets!: JobDatasetReference[];

  @BodyText({
    max: 200,
    description: 'A catalog id that supports training, or the id of a checkpoint to continue from',
  })
  base_model!: string;

  @BodyOneOf(TRAINING_TYPES, {
    optional,
    description: 'Default: lora; of entities, structures and relations on encoder packs: full',
  })
  training_type?: TrainingType | null;

  @BodyInteger({ optional, min: 1, max: MAX_EPOCHS, description: 'Default: depends on base model and rows' })
  nr_epochs?: number | null;

  @BodyPositive({ optional, max: 10 }) learning_rate?: number | null;
  @BodyInteger({ optional, min: 1, max: 1024 }) batch_size?: number | null;

  @BodyNumber({ optional, min: 0.01, max: 0.5, description: 'Share of the rows held out: 0.1 for a tenth' }, SHARE)
  validation_data_percentage?: number | null;

  @BodyText({
    ...{ optional, max: 200 },
    description:
      'Id of a training job on the first of these datasets: of those, the rows that it held out are held out again',
  })
  hold_out_like?: string | null;

  @BodyItems(DatasetReference, {
    ...{ optional, min: 0, max: MAX_EXCLUDED, item: '{name, version?}' },
    description: 'Datasets for evaluation: rows that share a text with them are excluded from training',
  })
  exclude_texts_of?: DatasetReference[] | null;

  @BodyInteger({ optional, min: 0, max: MAX_EPOCHS, description: '0: train all epochs' })
  early_stopping_patience?: number | null;

  @BodyInteger({ optional, min: 1, max: 256 }) lora_r?: number | null;
  @BodyPositive({ optional, max: 1024 }) lora_alpha?: number | null;
  @BodyNumber({ optional, min: 0, max: 0.9 }) lora_dropout?: number | null;

  @BodyOneOf(LEARNING_RATE_SCHEDULES, { optional })
  lr_scheduler_type?: LearningRateSchedule | null;

  @BodyNumber({ optional, min: 0, max: 1 }) warmup_ratio?: number | null;
  @BodyNumber({ optional, min: 0, max: 1 }) weight_decay?: number | null;

  @BodyInteger({
    ...{ optional, min: 0, max: 1_000_000 },
    description:
      'Steps from one checkpoint to the next, besides those at the epochs’ ends; 0 for none. Thinned where too many',
  })
  save_steps?: number | null;

  @BodyInteger({ optional, min: 0, max: 4_294_967_295, default: 3407 }) seed?: number | null;
  @BodyFlag({
    optional,
    default: false,
    description: 'For decoders: packs several rows into one sequence, in which no row sees another',
  })
  packing?: boolean | null;

  @BodyFlag({ optional, default: false, description: 'For decoders: uses less memory, but is slower' })
  gradient_checkpointing?: boolean | null;

  @BodyFlag({
    optional,
    default: false,
    description: 'For decoders: loads the base in 4 bits during training; requires bitsandbytes',
  })
  load_in_4bit?: boolean | null;

  @BodyNumber({
    ...{ optional, min: 0.0001, max: 100 },
    description: 'For pairs of answers: how strongly the model is held to its starting point. Default 0.1',
  })
  dpo_beta?: number | null;

  @LabelDescriptions() label_descriptions?: Record<string, string> | null;
  @BodyText({ optional, min: 0, description: 'Id of a project' }) project_id?: string | null;
}
