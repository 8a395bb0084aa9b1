import { useState, type ReactElement } from 'react';
import { Chart, type Line } from '../../components/chart.js';
import { Select } from '../../components/field.js';
import { trainedTitle } from '../../components/trained-title.js';
import { percent } from '../../components/values.js';
import type { Job } from './live-job.js';
import { CURVES, metricsOf, rowsOf, STEPS, together } from './runs.js';

interface Props {
  /** Oldest first or newest first: they are drawn by what is chosen. */
  readonly jobs: readonly Job[];
}

const HEIGHT = 220;

/** Learning curves of several runs, and a figure of theirs over time or over the rows that they learned. */
export const RunCharts = ({ jobs }: Props): ReactElement => (
  <div className="grid gap-6 min-[90rem]:grid-cols-2">
    <Curves jobs={jobs} />
    <Figures jobs={jobs} />
  </div>
);

function Curves({ jobs }: Props): ReactElement {
  const [curve, setCurve] = useState<keyof typeof CURVES>('f1');
  const [over, setOver] = useState<keyof typeof STEPS>('step');
  const { at, lines } = together(
    jobs.map((job) => {
      const points = job.learning_curve ?? [];
      return {
        at: points.map(({ step }) => STEPS[over].of(job, step)),
        values: points.map((point) => point[curve]),
      };
    }),
  );
  const lasts = lines.map((values, index) => `${jobs[index]!.model_name} ${shown(curve, lastOf(values))}`);
  return (
    <section aria-label="Learning curves" className="grid gap-2">
      <div className="flex flex-wrap gap-3">
        <Select
          label="Learning curve"
          value={curve}
          onChange={({ target }) => setCurve(target.value as keyof typeof CURVES)}
        >
          {Object.entries(CURVES).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </Select>
        <Axis title="Over" axes={STEPS} chosen={over} onChoose={setOver} />
      </div>
      <Chart
        summary={`${CURVES[curve]} by ${STEPS[over].label}; at last ${lasts.join(', ')}`}
        x={{ label: STEPS[over].label, values: at }}
        left={{ label: CURVES[curve] }}
        height={HEIGHT}
        lines={lines.map((values, index): Line => ({
          label: trainedTitle(jobs[index]!),
          colour: `l${index + 1}-solid`,
          values,
        }))}
      />
    </section>
  );
}

const lastOf = (values: readonly (number | null)[]): number | null =>
  values.findLast((value) => value !== null) ?? null;

const shown = (curve: keyof typeof CURVES, value: number | null): string => {
  if (value === null) return 'not measured';
  return curve === 'f1' ? percent(value) : value.toFixed(3);
};

const OVER = {
  time: { label: 'when it was trained', of: ({ created_at }: Job): number => Date.parse(created_at) / 1_000 },
  rows: { label: 'rows learned', of: rowsOf },
} as const;

function Figures({ jobs }: Props): ReactElement | null {
  const [chosen, setChosen] = useState('F1');
  const [over, setOver] = useState<keyof typeof OVER>('time');
  const metrics = metricsOf(jobs);
  const metric = metrics.find(({ name }) => name === chosen) ?? metrics[0]!;
  const measured = jobs
    .flatMap((job) => {
      const value = metric.of(job);
      return value === null ? [] : [{ job, value, at: OVER[over].of(job) }];
    })
    .sort((a, b) => a.at - b.at);
  return (
    <section aria-label="Figures of the runs" className="grid gap-2">
      <div className="flex flex-wrap gap-3">
        <Select label="Figure" value={metric.name} onChange={({ target }) => setChosen(target.value)}>
          {metrics.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
        <Axis title="By" axes={OVER} chosen={over} onChoose={setOver} />
      </div>
      <Chart
        summary={`${metric.name} by ${OVER[over].label}: ${measured.map(({ job, value }) => `${job.model_name} ${percent(value)}`).join(', ')}`}
        x={{ label: OVER[over].label, values: measured.map(({ at }) => at), time: over === 'time' }}
        left={{ label: metric.name }}
        height={HEIGHT}
        lines={[{ label: metric.name, colour: 'accent', points: true, values: measured.map(({ value }) => value) }]}
      />
    </section>
  );
}

interface AxisProps<Name extends string> {
  readonly title: string;
  readonly axes: Readonly<Record<Name, { readonly label: string }>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

/** Chooses what a chart's horizontal axis counts. */
const Axis = <Name extends string>({ title, axes, chosen, onChoose }: AxisProps<Name>): ReactElement => (
  <Select label={title} value={chosen} onChange={({ target }) => onChoose(target.value as Name)}>
    {Object.entries<{ readonly label: string }>(axes).map(([name, { label }]) => (
      <option key={name} value={name}>
        {label}
      </option>
    ))}
  </Select>
);
