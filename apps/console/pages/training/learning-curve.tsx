import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Chart } from '../../components/chart.js';

type Point = NonNullable<Schema['TrainingJobRecord']['learning_curve']>[number];

/** Training and validation loss (left) and F1 (right), at the end of each epoch. */
export function LearningCurve({ points }: { readonly points: readonly Point[] }): ReactElement {
  const last = points.at(-1);
  return (
    <Chart
      summary={
        last
          ? `After ${last.step} steps: training loss ${last.training_loss.toFixed(3)}, F1 ${last.f1 ?? 'not measured'}`
          : 'Nothing was measured yet'
      }
      x={{ label: 'step', values: points.map(({ step }) => step) }}
      left={{ label: 'loss' }}
      right={{ label: 'F1', range: [0, 1] }}
      lines={[
        { label: 'Training loss', colour: 'accent', values: points.map(({ training_loss }) => training_loss) },
        { label: 'Validation loss', colour: 'info', values: points.map(({ validation_loss }) => validation_loss) },
        { label: 'F1', colour: 'good', right: true, values: points.map(({ f1 }) => f1) },
      ]}
    />
  );
}
