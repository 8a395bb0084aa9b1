import type { FineTuning, TrainingConfiguration } from '#domain/training-job/index.js';
import type { TrainingType } from '#gpu-runner/contract/settings.js';

/** A dataset version by its name; absent or `latest`: the newest ready one. */
interface DatasetReference {
  readonly name: string;
  readonly version?: string | number | null;
}

/**
 * What a training is asked for by, with the field names of `POST /felix/training-jobs`, which its errors name. Null is as good as
 * absent.
 */
export interface TrainingJobOrder {
  readonly model_name?: string | null;
  readonly datasets: readonly (DatasetReference & { readonly held_out?: boolean | null })[];
  readonly base_model: string;
  readonly training_type?: TrainingType | null;
  readonly nr_epochs?: number | null;
  readonly learning_rate?: number | null;
  readonly batch_size?: number | null;
  readonly validation_data_percentage?: number | null;
  readonly hold_out_like?: string | null;
  readonly exclude_texts_of?: readonly DatasetReference[] | null;
  readonly early_stopping_patience?: number | null;
  readonly lora_r?: number | null;
  readonly lora_alpha?: number | null;
  readonly lora_dropout?: number | null;
  readonly lr_scheduler_type?: TrainingConfiguration['scheduler'] | null;
  readonly warmup_ratio?: number | null;
  readonly weight_decay?: number | null;
  readonly save_steps?: number | null;
  readonly seed?: number | null;
  readonly packing?: boolean | null;
  readonly gradient_checkpointing?: boolean | null;
  readonly load_in_4bit?: boolean | null;
  readonly dpo_beta?: number | null;
  readonly project_id?: string | null;
  /** Of a job of OpenAI's API. */
  readonly fineTuning?: FineTuning;
  /** The configuration of another job, all of which is trained with again; the fields above that set parts of it are absent. */
  readonly configuration?: TrainingConfiguration;
}

export const trainingTypeOf = ({ training_type: type, configuration }: TrainingJobOrder): TrainingType =>
  configuration?.trainingType ?? type ?? 'lora';
