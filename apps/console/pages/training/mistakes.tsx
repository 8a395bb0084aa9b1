import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { SpanText } from '../../components/spans.js';
import { number } from '../../components/values.js';
import { spansOf } from '../datasets/spans-of.js';

interface Prediction {
  readonly row: number;
  readonly text?: string;
  readonly expected?: unknown;
  readonly predicted?: unknown;
  readonly correct?: boolean | null;
}

const LOOKED_AT = 200;
const SHOWN = 20;

/** Rows that the evaluation after a job got wrong, as they should have been and as they were answered. */
export function Mistakes({ jobId }: { readonly jobId: string }): ReactElement {
  const evaluation = useQuery({
    queryKey: ['evaluations', 'of job', jobId],
    queryFn: async () => {
      const { evaluations } = await body(
        api.GET('/felix/evaluations', { params: { query: { training_job_id: jobId } } }),
      );
      const [found] = evaluations.filter(({ automatic }) => automatic);
      if (found?.status !== 'complete') return { state: found?.status ?? 'none', predictions: [] as Prediction[] };
      const { predictions } = await body(
        api.GET('/felix/evaluations/{id}', { params: { path: { id: found.id }, query: { limit: LOOKED_AT } } }),
      );
      return { state: 'complete', predictions: predictions ?? [] };
    },
    refetchInterval: ({ state }) => (['complete', 'failed'].includes(state.data?.state ?? '') ? false : 2_000),
  });
  return (
    <Panel title="Where it is wrong">
      <Loaded query={evaluation}>
        {({ state, predictions }) => {
          const wrong = predictions.filter(({ correct }) => correct === false);
          if (state !== 'complete')
            return (
              <Empty>
                {state === 'failed'
                  ? 'The evaluation after the training failed.'
                  : 'It is being evaluated on the rows that were held out.'}
              </Empty>
            );
          if (wrong.length === 0)
            return <p className="text-good">None of {number(predictions.length)} rows held out was answered wrong.</p>;
          return (
            <div className="grid gap-4">
              <p className="text-muted">
                {number(wrong.length)} of {number(predictions.length)} rows held out
                {wrong.length > SHOWN && `; the first ${SHOWN}`}.
              </p>
              <ol className="grid gap-4">
                {wrong.slice(0, SHOWN).map((each) => (
                  <li key={each.row} className="grid gap-1 border-l-2 border-bad pl-3">
                    <Answer title="Should be" text={each.text} answer={each.expected} />
                    <Answer title="Was answered" text={each.text} answer={each.predicted} />
                  </li>
                ))}
              </ol>
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Answer({
  title,
  text = '',
  answer,
}: {
  readonly title: string;
  readonly text: string | undefined;
  readonly answer: unknown;
}): ReactElement {
  const { entities, labels } = (answer ?? {}) as { entities?: unknown; labels?: unknown };
  const classes = Array.isArray(labels) ? (labels as readonly unknown[]).join(', ') : '';
  return (
    <div>
      <span className="text-sm text-muted">
        {title}
        {classes && `: ${classes}`}
      </span>
      <SpanText text={text} spans={spansOf(text, entities)} />
    </div>
  );
}
