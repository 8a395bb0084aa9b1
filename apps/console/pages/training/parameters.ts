import { number } from '../../components/values.js';
import type { Job } from './live-job.js';
import { NUMBERS } from './more-settings.js';

/** A setting of a job in words. */
export interface Parameter {
  readonly name: string;
  readonly of: (job: Job) => string;
}

const listOf = (datasets: readonly { readonly name: string; readonly version: string }[]): string =>
  datasets.map(({ name, version }) => `${name}/${version}`).join(', ') || '–';

/** All settings of a job. */
export const PARAMETERS: readonly Parameter[] = [
  { name: 'Datasets', of: ({ datasets }) => listOf(datasets.filter(({ held_out }) => held_out !== true)) },
  { name: 'Held out whole', of: ({ datasets }) => listOf(datasets.filter(({ held_out }) => held_out === true)) },
  { name: 'Without the texts of', of: ({ exclude_texts_of }) => listOf(exclude_texts_of) },
  { name: 'Rows held out', of: ({ metrics }) => (metrics?.judged_rows == null ? '–' : number(metrics.judged_rows)) },
  { name: 'Begins with', of: ({ base_model }) => base_model },
  { name: 'Goes on from', of: ({ start_checkpoint_id }) => start_checkpoint_id ?? '–' },
  { name: 'Learns', of: ({ training_type }) => training_type },
  { name: 'Epochs', of: ({ current_epoch, nr_epochs }) => `${current_epoch} of ${nr_epochs}` },
  { name: 'Schedule', of: ({ lr_scheduler_type }) => lr_scheduler_type },
  ...NUMBERS.map(({ name, label }): Parameter => ({ name: label, of: (job) => String(job[name]) })),
];

/** The settings by which two jobs differ, and those that are the same. */
export function settingsOf(
  one: Job,
  other: Job,
): readonly [differing: readonly Parameter[], same: readonly Parameter[]] {
  const isSame = ({ of }: Parameter): boolean => of(one) === of(other);
  return [PARAMETERS.filter((each) => !isSame(each)), PARAMETERS.filter(isSame)];
}
