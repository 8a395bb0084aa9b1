import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { number, percent } from '../../components/values.js';

/** How far the verdicts of each two reviewers agree, on the calls that both judged. */
export function Agreement({ model }: { readonly model: string }): ReactElement {
  const agreement = useQuery({
    queryKey: ['review', 'agreement', model],
    queryFn: () => body(api.GET('/inferences/agreement', { params: { query: { ...(model && { model_id: model }) } } })),
  });
  return (
    <Panel title="Agreement of reviewers">
      <Loaded query={agreement}>
        {({ pairs, calls, calls_left_out: left, disagreements }) =>
          pairs.length === 0 ? (
            <Empty>
              No call has verdicts of two reviewers. Show some again with the share of second reviews above.
            </Empty>
          ) : (
            <div className="grid gap-2">
              <Table
                caption="Agreement of each two reviewers"
                rows={pairs}
                rowKey={({ reviewers }) => reviewers.join(' ')}
                columns={[
                  { head: 'Reviewers', cell: ({ reviewers }) => reviewers.join(' and ') },
                  { head: 'Calls', number: true, cell: (pair) => number(pair.calls), by: (pair) => pair.calls },
                  {
                    head: 'Same verdict',
                    number: true,
                    cell: ({ agreed }) => number(agreed),
                    by: ({ agreed }) => agreed,
                  },
                  {
                    head: 'Cohen’s kappa',
                    number: true,
                    cell: ({ kappa }) => (kappa === null ? '–' : number(kappa)),
                    by: ({ kappa }) => kappa,
                  },
                  {
                    head: 'Entity F1',
                    number: true,
                    cell: ({ entity_f1: f1 }) => (f1 === null ? '–' : percent(f1)),
                  },
                ]}
              />
              <p className="text-sm text-muted">
                Of {number(calls)} calls{left > 0 && `, the newest; ${number(left)} others are left out`}. Kappa is 1
                for full agreement and 0 for as much as by chance.
              </p>
              {disagreements.length > 0 && (
                <details>
                  <summary>{number(disagreements.length)} calls on which they differ</summary>
                  <ul className="grid gap-1 text-sm">
                    {disagreements.map((id) => (
                      <li key={id}>
                        <a href={`/console/history/${id}`}>{id}</a>
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}
