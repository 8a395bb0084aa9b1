import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Input, Select, TextArea } from '../../components/field.js';
import { textOf } from '../../components/form.js';

type Body = Schema['CreateTrainingJobBody'];

/** Settings that a job tells of too. */
type NumberName =
  | 'learning_rate'
  | 'batch_size'
  | 'validation_data_percentage'
  | 'early_stopping_patience'
  | 'lora_r'
  | 'lora_alpha'
  | 'lora_dropout'
  | 'warmup_ratio'
  | 'weight_decay'
  | 'save_steps'
  | 'seed';

interface Setting {
  readonly name: NumberName;
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly hint?: string;
}

/** The bounds are those of the API. */
export const NUMBERS: readonly Setting[] = [
  { name: 'learning_rate', label: 'Learning rate', min: 0, max: 10, hint: 'how far each step goes' },
  { name: 'batch_size', label: 'Batch size (rows)', min: 1, max: 1024 },
  { name: 'validation_data_percentage', label: 'Held out', min: 0.01, max: 0.5, hint: 'share of the rows: 0.1' },
  { name: 'early_stopping_patience', label: 'Patience (epochs)', min: 0, max: 200, hint: '0: never stop early' },
  { name: 'lora_r', label: 'LoRA rank', min: 1, max: 256 },
  { name: 'lora_alpha', label: 'LoRA alpha', min: 0, max: 1024 },
  { name: 'lora_dropout', label: 'LoRA dropout', min: 0, max: 0.9 },
  { name: 'warmup_ratio', label: 'Warm-up', min: 0, max: 1, hint: 'share of the steps' },
  { name: 'weight_decay', label: 'Weight decay', min: 0, max: 1 },
  { name: 'save_steps', label: 'Checkpoint every (steps)', min: 0, max: 1_000_000 },
  { name: 'seed', label: 'Seed', min: 0, max: 4_294_967_295, hint: 'the same seed gives the same file' },
];

export const NUMBER_NAMES: readonly NumberName[] = NUMBERS.map(({ name }) => name);

/** Name of the form of a training in the tab's storage. */
export const formKey = (dataset = '', base = ''): string => `training ${dataset} ${base}`;

/** Settings that most trainings leave to the API. */
export const MoreSettings = (): ReactElement => (
  <details>
    <summary className="cursor-pointer text-sm text-muted">Learning rate, LoRA and other settings</summary>
    <p className="my-2 text-sm text-muted">What is left empty becomes what suits the base model and the rows.</p>
    <div className="grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-3">
      <Select label="Learns" name="training_type">
        <option value="">as suits the base</option>
        <option value="lora">beside the base (LoRA)</option>
        <option value="full">everything (full)</option>
      </Select>
      <Select label="Schedule" name="lr_scheduler_type">
        <option value="">as suits the base</option>
        {SCHEDULES.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </Select>
      {NUMBERS.map(({ name, label, min, max, hint }) => (
        <Input key={name} {...{ label, name, min, max, hint }} type="number" step="any" />
      ))}
    </div>
    <TextArea
      className="mt-3"
      label="What classes mean (optional)"
      name="label_descriptions"
      rows={3}
      hint="A class on each line, as refund: wants money back. One that no row has is learned from it alone."
    />
  </details>
);

const TYPES = ['lora', 'full'] as const;
const SCHEDULES = ['constant', 'linear', 'cosine'] as const;

/** The settings of a form that were filled in. */
export function moreSettings(form: FormData): Partial<Body> {
  const type = TYPES.find((each) => each === textOf(form, 'training_type'));
  const schedule = SCHEDULES.find((each) => each === textOf(form, 'lr_scheduler_type'));
  const numbers = NUMBERS.map(({ name }) => [name, textOf(form, name)] as const).filter(([, text]) => text !== '');
  const descriptions = textOf(form, 'label_descriptions').split('\n').flatMap(described);
  return {
    ...(type && { training_type: type }),
    ...(schedule && { lr_scheduler_type: schedule }),
    ...(descriptions.length > 0 && { label_descriptions: Object.fromEntries(descriptions) }),
    ...Object.fromEntries(numbers.map(([name, text]) => [name, Number(text)])),
  };
}

/** A label and what it means, of a line "label: meaning"; a line without a meaning is sent as it is, and refused. */
function described(line: string): readonly (readonly [string, string])[] {
  if (line.trim() === '') return [];
  const [label = '', ...meaning] = line.split(':');
  return [[label.trim(), meaning.join(':').trim()]];
}
