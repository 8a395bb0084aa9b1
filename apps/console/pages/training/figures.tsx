import type { ReactElement } from 'react';
import { Panel } from '../../components/page.js';
import { Table } from '../../components/table.js';
import { number, percent } from '../../components/values.js';
import type { Job } from './live-job.js';

/** Figures of each label, on the rows held out. */
export function PerLabel({ job }: { readonly job: Job }): ReactElement | null {
  const labels = Object.entries(job.metrics?.per_entity ?? {});
  if (labels.length === 0) return null;
  return (
    <Panel title="By label, on rows held out">
      <Table
        caption="Figures of each label"
        rows={labels}
        rowKey={([label]) => label}
        columns={[
          { head: 'Label', cell: ([label]) => label },
          { head: 'F1', number: true, cell: ([, { f1 }]) => percent(f1) },
          { head: 'Precision', number: true, cell: ([, { precision }]) => percent(precision) },
          { head: 'Recall', number: true, cell: ([, { recall }]) => percent(recall) },
          { head: 'In the rows (times)', number: true, cell: ([, { support }]) => number(support) },
        ]}
      />
    </Panel>
  );
}

/** How far the confidences of each head can be relied on, and what a threshold would change. */
export function Confidences({ job }: { readonly job: Job }): ReactElement {
  const heads = Object.entries(job.metrics?.heads ?? {}).flatMap(([head, { confidence }]) =>
    confidence && confidence.thresholds.length > 0 ? [[head, confidence] as const] : [],
  );
  return (
    <>
      {heads.map(([head, { threshold, calibration_error, thresholds }]) => (
        <Panel key={head} title={`Confidence of ${head}`}>
          <p className="mb-2 text-sm text-muted">
            {threshold === null
              ? 'The best label is the answer, whatever its confidence.'
              : `It answers from a confidence of ${percent(threshold)} on, unless a call has another threshold.`}
            {calibration_error !== null && ` On rows held out, confidences are ${percent(calibration_error)} off.`}
          </p>
          <details>
            <summary className="cursor-pointer text-sm text-muted">Precision and recall by threshold</summary>
            <Table
              caption={`Answers of ${head} from each threshold on`}
              rows={thresholds.filter(({ answers }) => answers > 0)}
              rowKey={(point) => String(point.threshold)}
              columns={[
                { head: 'Threshold', number: true, cell: (point) => percent(point.threshold) },
                { head: 'Answers', number: true, cell: ({ answers }) => number(answers) },
                { head: 'Precision', number: true, cell: ({ precision }) => precision !== null && percent(precision) },
                { head: 'Recall', number: true, cell: ({ recall }) => recall !== null && percent(recall) },
              ]}
            />
          </details>
        </Panel>
      ))}
    </>
  );
}
