import type { FineTuning, SettingFields, TrainingConfiguration, TrainingType } from '#domain/training-job/index.js';

/** A dataset version by its name; absent or `latest`: the newest ready one. */
interface DatasetReference {
  readonly name: string;
  readonly version?: string | number | null;
}

type OrNull<Fields> = { readonly [Field in keyof Fields]: Fields[Field] | null };

/**
 * What a training is asked for by, with the field names of `POST /felix/training-jobs`, which its errors name. Null is as good as
 * absent.
 */
export interface TrainingJobOrder extends Partial<OrNull<SettingFields>> {
  readonly model_name?: string | null;
  readonly datasets: readonly (DatasetReference & { readonly held_out?: boolean | null })[];
  readonly base_model: string;
  readonly training_type?: TrainingType | null;
  readonly validation_data_percentage?: number | null;
  readonly hold_out_like?: string | null;
  readonly exclude_texts_of?: readonly DatasetReference[] | null;
  readonly packing?: boolean | null;
  readonly gradient_checkpointing?: boolean | null;
  readonly load_in_4bit?: boolean | null;
  readonly dpo_beta?: number | null;
  readonly project_id?: string | null;
  /** Of a job of OpenAI's API. */
  readonly fineTuning?: FineTuning;
  /** Of an improvement or a distillation, whose model becomes a version by its gate: it gets no name by itself. */
  readonly unnamed?: true;
  /** The configuration of another job, all of which is trained with again; the fields above that set parts of it are absent. */
  readonly configuration?: TrainingConfiguration;
}

/** @param byDefault if the order has none */
export const trainingTypeOf = (
  { training_type: type, configuration }: TrainingJobOrder,
  byDefault: TrainingType = 'lora',
): TrainingType => configuration?.trainingType ?? type ?? byDefault;
