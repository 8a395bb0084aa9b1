import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Empty } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { number } from '../../components/values.js';
import type { Confusion } from './confused.js';

type Confusions = NonNullable<Schema['EvaluationMetrics']['confusions']>;

interface ConfusionTableProps {
  readonly confusions: Confusions;
  /** Shows the rows of a pair. */
  readonly onChoose?: (confusion: Confusion) => void;
}

/** Pairs of a label and the label that the model gave in its place. */
export function ConfusionTable({ confusions, onChoose }: ConfusionTableProps): ReactElement {
  const { pairs, total } = confusions;
  if (pairs.length === 0) return <Empty>No label was taken for another, missed or added.</Empty>;
  const most = Math.max(...pairs.map(({ count }) => count));
  return (
    <>
      <Table
        caption="Confusions, the most frequent first"
        rows={pairs.slice(0, SHOWN)}
        rowKey={({ head, expected, predicted }) => `${head} ${expected} ${predicted}`}
        columns={[
          { head: 'Head', cell: ({ head }) => head },
          { head: 'Should be', cell: ({ expected }) => expected ?? <em>nothing</em> },
          { head: 'Was answered', cell: ({ predicted }) => predicted ?? <em>nothing: missed</em> },
          {
            head: 'Times',
            number: true,
            cell: ({ count, ...pair }) =>
              onChoose ? (
                <Button
                  kind="quiet"
                  aria-label={`Show the ${number(count)} rows: ${nameOf(pair)}`}
                  onClick={() => onChoose(pair)}
                >
                  {number(count)}
                </Button>
              ) : (
                number(count)
              ),
            by: ({ count }) => count,
          },
          {
            head: <span className="sr-only">Share of the most frequent</span>,
            cell: ({ count }) => (
              <span
                aria-hidden
                className="block h-2.5 min-w-1 rounded bg-bad"
                style={{ width: `${(8 * count) / most}rem` }}
              />
            ),
          },
        ]}
      />
      {total > SHOWN && (
        <p className="mt-2 text-sm text-muted">
          The {SHOWN} most frequent of {number(total)}.
        </p>
      )}
    </>
  );
}

const SHOWN = 20;

/** A confusion in words. */
export const nameOf = ({ expected, predicted }: Confusion): string =>
  expected === null
    ? `${predicted} where nothing should be`
    : predicted === null
      ? `${expected} was missed`
      : `${expected} was answered as ${predicted}`;
