import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, fetchAnswer, refusal } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Select } from '../../components/field.js';
import { Panel } from '../../components/page.js';
import { spansOf } from '../../components/row-spans.js';
import { SpanText } from '../../components/spans.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { useStored } from '../../components/use-stored.js';
import { counted, number } from '../../components/values.js';
import { textOfRow, type Row } from '../labelling/row.js';
import { allRows } from '../labelling/use-rows.js';
import { isSmoke } from '../models/smoke.js';
import { MAX_COMPARED, nearest, vectorOf } from './nearest.js';

const EMBEDDER = 'anneal/embedder-base-v1';
const SHOWN = 10;

/** The rows of a dataset that mean about what a text means, by their embeddings. */
export function NearRows({ text }: { readonly text: string }): ReactElement {
  const [dataset, setDataset] = useStored('playground near', '');
  const datasets = useQuery({
    queryKey: ['datasets', 'near'],
    queryFn: () => body(api.GET('/felix/datasets', { params: { query: { limit: 200 } } })),
    meta: { late: true },
  });
  const named = datasets.data?.datasets ?? [];
  const chosen = named.find(({ id }) => id === dataset) ?? named.find(({ name }) => !isSmoke(name)) ?? named[0];
  const find = useMutation({ mutationFn: nearRows });
  return (
    <Panel title="Near rows">
      <div className="grid gap-3">
        <div className="flex flex-wrap items-end gap-3">
          <Select label="Of the dataset" value={chosen?.id ?? ''} onChange={({ target }) => setDataset(target.value)}>
            {named.map(({ id, name, version_number }) => (
              <option key={id} value={id}>{`${name}/${version_number}`}</option>
            ))}
          </Select>
          <Button
            disabled={!chosen || text.trim() === '' || find.isPending}
            onClick={() => chosen && find.mutate({ text, name: chosen.name, version: chosen.version_number })}
          >
            {find.isPending ? 'Comparing…' : 'Find near rows'}
          </Button>
        </div>
        <Problem error={find.error ?? datasets.error} />
        {find.isPending ? (
          <Loading rows={SHOWN} />
        ) : find.data ? (
          <>
            <Table
              caption="Rows near to the text"
              rows={find.data.rows}
              rowKey={({ row }) => String(row)}
              columns={[
                { head: 'Row', number: true, cell: ({ row }) => row, by: ({ row }) => row },
                {
                  head: 'Text',
                  cell: ({ of }) => <SpanText text={textOfRow(of)} spans={spansOf(textOfRow(of), of['entities'])} />,
                  by: ({ of }) => textOfRow(of),
                },
                { head: 'Label', cell: ({ of }) => labelsOf(of) || '–' },
                {
                  head: 'Nearness',
                  number: true,
                  cell: ({ nearness }) => number(Math.round(nearness * 100) / 100),
                  by: ({ nearness }) => nearness,
                },
              ]}
            />
            <p className="text-sm text-muted">
              By the cosine of their embeddings ({EMBEDDER}), among the first {counted(find.data.compared, 'row')}.
            </p>
          </>
        ) : (
          <Empty>Which examples are like this text, and what are they labelled?</Empty>
        )}
      </div>
    </Panel>
  );
}

const labelsOf = ({ label, labels }: Row): string =>
  [label, typeof labels === 'object' && labels !== null ? Object.values(labels) : null]
    .flat(2)
    .filter((each) => typeof each === 'string')
    .join(', ');

interface Asked {
  readonly text: string;
  readonly name: string;
  readonly version: string;
}

async function nearRows({ text, name, version }: Asked) {
  const withText = (await allRows(name, version))
    .slice(0, MAX_COMPARED)
    .map((of, index) => ({ of, row: index + 1 }))
    .filter(({ of }) => textOfRow(of).trim() !== '');
  if (withText.length === 0) throw new Error(`${name}/${version} has no rows with a text.`);
  const answer = await fetchAnswer('/v1/embeddings', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      model: EMBEDDER,
      input: [text, ...withText.map(({ of }) => textOfRow(of))],
      encoding_format: 'base64',
      store: false,
    }),
  });
  if (!answer.ok) throw await refusal(answer);
  const { data } = (await answer.json()) as { data: readonly { readonly embedding: string }[] };
  const found = nearest(
    data.map(({ embedding }) => vectorOf(embedding)),
    SHOWN,
  );
  return {
    compared: withText.length,
    rows: found.map(({ place, nearness }) => ({ ...withText[place]!, nearness })),
  };
}
