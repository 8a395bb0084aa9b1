import { EVALUATION_STATUSES, type EvaluationStatus } from '#domain/evaluation/index.js';
import type { EvaluationOrder } from '#use-cases/evaluations/order.js';
import { VersionReference } from '../training-jobs/requests/version-reference.js';
import {
  BodyInteger,
  BodyPositive,
  BodyText,
  QueryBoolean,
  QueryInteger,
  QueryOneOf,
  QueryText,
} from '../../edge/validation/index.js';

const optional = true;

export class StartEvaluationBody implements EvaluationOrder {
  @BodyText({ optional, max: 200, description: 'Id of a training job, a checkpoint or a catalog model. Or `model_id`' })
  base_model?: string | null;

  @BodyText({ optional, max: 200, description: 'Another name for `base_model`' }) model_id?: string | null;
  @BodyText({ optional, max: 128, description: 'Required unless `held_out_of` is set' }) dataset_name?: string | null;
  @VersionReference() version_number?: string | number | null;

  @BodyText({
    ...{ optional, max: 200 },
    description: 'Id of a training job. Evaluates on the rows that it held out, instead of a dataset',
  })
  held_out_of?: string | null;

  @BodyText({
    ...{ optional, max: 200 },
    description:
      'Id of a complete training job of an encoder, instead of a model and a dataset. Trains again without each part of its rows, and evaluates on that part',
  })
  cross_validation_of?: string | null;

  @BodyInteger({
    ...{ optional, min: 2, max: 20 },
    description: 'Parts of `cross_validation_of`. Default: 10 up to 1,000 rows, else 5',
  })
  folds?: number | null;

  @BodyInteger({ optional, min: 1, max: 10_000_000, description: 'Number of leading rows to evaluate' })
  max_examples?: number | null;

  @BodyInteger({
    ...{ optional, min: 1, max: 1_000_000 },
    description:
      'For decoders: maximum tokens of an answer. Default: as many as the longest expected answer may have; for hosted models 1,024',
  })
  max_answer_tokens?: number | null;

  @BodyText({
    ...{ optional, max: 200 },
    description: 'For decoders: id of a hosted decoder that grades each answer by `judge_rubric`',
  })
  judge_model_id?: string | null;

  @BodyText({ optional, max: 8_000, description: 'Criteria of a good answer, in words, for the judge' })
  judge_rubric?: string | null;

  @BodyPositive({
    ...{ optional, max: 1_000 },
    description: 'US dollars, for hosted models: no call starts that could exceed it; the evaluation then fails',
  })
  max_cost?: number | null;

  @BodyText({ optional, min: 0, description: 'Id of a project' }) project_id?: string | null;
}

export class ListEvaluationsQuery {
  @QueryText('Id of the evaluated model') model_id?: string;
  @QueryText('Id of a project') project_id?: string;

  @QueryText('Id of a training job. Lists evaluations of its model and checkpoints, including the automatic one')
  training_job_id?: string;

  @QueryText('Name of the evaluation dataset') dataset_name?: string;
  @QueryOneOf(EVALUATION_STATUSES) status?: EvaluationStatus;
  @QueryInteger({ min: 1, max: 200, default: 200 }) limit: number = 200;
  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
}

export class ComparisonQuery {
  @QueryText('Id of another evaluation on the same rows (required)') with?: string;
}

export class PredictionsQuery {
  @QueryInteger(
    { min: 0, max: 1000, default: 100 },
    'Maximum number of predictions; fewer are returned if they exceed 1 MiB',
  )
  limit: number = 100;

  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
  @QueryBoolean('Returns only wrong predictions; `offset` counts these') only_wrong?: boolean;
}
