import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import type { Fields } from '../../components/json.js';
import { Panel } from '../../components/page.js';
import { Row } from '../../components/row.js';
import { Empty, Loaded } from '../../components/states.js';
import { number, percent, Time } from '../../components/values.js';
import { useAutomaticEvaluation, type Evaluation } from './evaluation.js';
import { isConfused, type Confusion } from './confused.js';
import { ConfusionTable, nameOf } from './confusions.js';

/** Mistakes that the evaluation after a job found: confused labels, and the rows. */
export function Mistakes({ jobId }: { readonly jobId: string }): ReactElement {
  const evaluation = useAutomaticEvaluation(jobId);
  const [chosen, setChosen] = useState<Confusion | null>(null);
  return (
    <Loaded query={evaluation}>
      {(found) =>
        found?.status === 'complete' ? (
          <>
            {found.metrics?.confusions && (
              <Panel title="What is taken for what">
                <ConfusionTable confusions={found.metrics.confusions} onChoose={setChosen} />
              </Panel>
            )}
            {chosen && !found.predictions_erased_at ? (
              <Confused evaluation={found} confusion={chosen} onClose={() => setChosen(null)} />
            ) : (
              <WrongRows title="Rows that it gets wrong" evaluation={found} />
            )}
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

type Prediction = NonNullable<Evaluation['predictions']>[number];

const PAGE = 10;
/** Wrong answers among which those of a confusion are looked for. */
const MAX_SEARCHED = 5000;
const MAX_SHOWN = 50;

/** All wrong answers, in the pages that the API gives. */
async function wrongAnswers(id: string): Promise<readonly Prediction[]> {
  const found: Prediction[] = [];
  for (;;) {
    const query = { only_wrong: true, limit: 1000, offset: found.length };
    const { predictions = [] } = await body(api.GET('/felix/evaluations/{id}', { params: { path: { id }, query } }));
    found.push(...predictions);
    if (predictions.length === 0 || found.length >= MAX_SEARCHED) return found;
  }
}

interface ConfusedProps {
  readonly evaluation: Evaluation;
  readonly confusion: Confusion;
  readonly onClose: () => void;
}

/** The rows that a cell of the table of confusions counts. */
function Confused({ evaluation: { id }, confusion, onClose }: ConfusedProps): ReactElement {
  const wrong = useQuery({ queryKey: ['evaluations', id, 'all wrong'], queryFn: () => wrongAnswers(id) });
  return (
    <Panel
      title={`Rows in which ${nameOf(confusion)}`}
      actions={<Button onClick={onClose}>Show all wrong rows</Button>}
    >
      <Loaded query={wrong}>
        {(answers) => {
          const found = answers.filter((each) => isConfused(confusion, each));
          return (
            <div className="grid gap-3">
              <Predictions list={found.slice(0, MAX_SHOWN)} />
              <p className="text-sm text-muted">
                {found.length > MAX_SHOWN && `The first ${MAX_SHOWN} of `}
                {number(found.length)} rows
                {answers.length >= MAX_SEARCHED && `, among the first ${number(MAX_SEARCHED)} wrong ones`}.
              </p>
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}

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
        {({ predictions = [], content_withheld, predictions_erased_at }) =>
          content_withheld ? (
            <Empty>Your role does not show what rows say.</Empty>
          ) : predictions_erased_at ? (
            <Empty>
              The rows were erased on <Time at={predictions_erased_at} />, as the days that contents are kept say.
            </Empty>
          ) : predictions.length === 0 && offset === 0 ? (
            <p className="text-good">
              {sample_count === null
                ? 'No row was'
                : `None of ${number(sample_count)} rows ${folds === null ? 'held out ' : ''}was`}{' '}
              answered wrong.
            </p>
          ) : (
            <div className="grid gap-4">
              <Predictions list={predictions.slice(0, PAGE)} />
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

/** Answers beside what they should be. */
const Predictions = ({ list }: { readonly list: readonly Prediction[] }): ReactElement => (
  <ol className="grid gap-4">
    {list.map((each) => (
      <li key={each.row} className="grid gap-2 border-l-2 border-bad pl-3">
        <Answer title="Should be" text={each.text} answer={each.expected} />
        <Answer
          title={each.certainty === undefined ? 'Was answered' : `Was answered, ${percent(each.certainty)} sure`}
          text={each.text}
          answer={each.predicted}
        />
      </li>
    ))}
  </ol>
);

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
