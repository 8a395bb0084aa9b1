import type { Schema } from '../api/client.js';
import { day, percent } from './values.js';

interface Trained extends Pick<Schema['TrainingJobRecord'], 'model_name' | 'completed_at'> {
  readonly metrics?: Pick<NonNullable<Schema['TrainingJobRecord']['metrics']>, 'f1'> | null;
}

/** A trained model in a choice: by its figures and its day, since several may have one name. */
export const trainedTitle = ({ model_name: name, metrics, completed_at: at }: Trained): string =>
  [name, ...figures(metrics), ...(at ? [day(at)] : [])].join(', ');

const figures = (metrics: Trained['metrics']): readonly string[] =>
  typeof metrics?.f1 === 'number' ? [`F1 ${percent(metrics.f1)}`] : [];
