import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import type { Fields } from '../../components/json.js';
import { Panel } from '../../components/page.js';
import { Row } from '../../components/row.js';
import { Empty, Loaded } from '../../components/states.js';
import { number, percent } from '../../components/values.js';
import { useAutomaticEvaluation, type Evaluation } from './evaluation.js';
import { ConfusionTable } from './figures.js';

/** Mistakes that the evaluation after a job found: confused labels, and the rows. */
export function Mistakes({ jobId }: { readonly jobId: string }): ReactElement {
  const evaluation = useAutomaticEvaluation(jobId);
  return (
    <Loaded query={evaluation}>
      {(found) =>
        found?.status === 'complete' ? (
          <>
            {found.metrics?.confusions && (
              <Panel title="What is taken for what">
                <ConfusionTable confusions={found.metrics.confusions} />
              </Panel>
            )}
            <WrongRows title="Rows that it gets wrong" evaluation={found} />
          </>
        ) : (
          <Panel title="Where it is wrong">
            <Empty>
              {found?.status === 'failed'
                ? `The evaluation after the training failed: ${found.error_message}`
                : 'It is being evaluated on the rows that were held out.'}
            </Empty>
          </Panel>
        )
      }
    </Loaded>
  );
}

const PAGE = 10;

/** The rows of an evaluation that were answered wrong, page by page. */
export function WrongRows({
  title,
  evaluation: { id, sample_count, folds },
}: {
  readonly title: string;
  readonly evaluation: Evaluation;
}): ReactElement {
  const [offset, setOffset] = useState(0);
  const page = useQuery({
    queryKey: ['evaluations', id, 'wrong', offset],
    queryFn: () =>
      body(
        api.GET('/felix/evaluations/{id}', {
          params: { path: { id }, query: { only_wrong: true, limit: PAGE + 1, offset } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <Panel title={title}>
      <Loaded query={page}>
        {({ predictions = [], content_withheld }) =>
          content_withheld ? (
            <Empty>Your role does not show what rows say.</Empty>
          ) : predictions.length === 0 && offset === 0 ? (
            <p className="text-good">
              {sample_count === null
                ? 'No row was'
                : `None of ${number(sample_count)} rows ${folds === null ? 'held out ' : ''}was`}{' '}
              answered wrong.
            </p>
          ) : (
            <div className="grid gap-4">
              <ol className="grid gap-4">
                {predictions.slice(0, PAGE).map((each) => (
                  <li key={each.row} className="grid gap-2 border-l-2 border-bad pl-3">
                    <Answer title="Should be" text={each.text} answer={each.expected} />
                    <Answer
                      title={
                        each.certainty === undefined ? 'Was answered' : `Was answered, ${percent(each.certainty)} sure`
                      }
                      text={each.text}
                      answer={each.predicted}
                    />
                  </li>
                ))}
              </ol>
              <div className="flex flex-wrap gap-3">
                <Button disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
                  Earlier rows
                </Button>
                <Button disabled={predictions.length <= PAGE} onClick={() => setOffset(offset + PAGE)}>
                  Later rows
                </Button>
              </div>
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

const Answer = ({
  title,
  text,
  answer,
}: {
  readonly title: string;
  readonly text: string;
  readonly answer: Fields;
}): ReactElement => (
  <div>
    <span className="text-sm text-muted">{title}</span>
    <Row row={{ text, ...answer }} />
  </div>
);
