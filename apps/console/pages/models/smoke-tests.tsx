import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { Button, buttonClass } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded, Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { counted } from '../../components/values.js';
import { answerInShort } from '../history/answer-in-short.js';
import { textOfRow, type Row } from '../labelling/row.js';
import { MAX_TESTS, MAX_VERSIONS, runTests, said, saveTests, useResults, useTests, type Result } from './smoke.js';

interface Props {
  readonly model: Schema['NamedModelRecord'];
}

/** A few texts that are kept with a name, and how its versions answer them. */
export function SmokeTests({ model }: Props): ReactElement {
  const tests = useTests(model.name);
  return (
    <Loaded query={tests}>
      {(found) =>
        found.rows.length === 0 ? (
          <Panel title="Smoke tests">
            <Empty
              action={
                <a href={`/console/playground?model=${model.name}`} className={buttonClass()}>
                  Ask in the playground
                </a>
              }
            >
              Up to {MAX_TESTS} texts that every version must answer: keep them in the playground, by “Right: keep as
              smoke test”.
            </Empty>
          </Panel>
        ) : (
          <Kept model={model} version={found.version} rows={found.rows} />
        )
      }
    </Loaded>
  );
}

interface KeptProps extends Props {
  readonly version: string | null;
  readonly rows: readonly Row[];
}

function Kept({ model, version, rows }: KeptProps): ReactElement {
  const queries = useQueryClient();
  const results = useResults(model, { version, rows });
  const done = results.data ?? [];
  const reload = (): Promise<void> => queries.invalidateQueries({ queryKey: ['evaluations', 'smoke'] });
  const run = useMutation({ mutationFn: () => runTests(model, done), onSettled: reload });
  const remove = useMutation({
    mutationFn: (text: string) =>
      saveTests(
        model.name,
        rows.filter((row) => textOfRow(row) !== text),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ['datasets'] }),
  });
  const isRun = done.length >= Math.min(MAX_VERSIONS, model.versions?.length ?? 0);
  return (
    <Panel
      title={`Smoke tests: ${counted(rows.length, 'text')}`}
      actions={
        !isRun && (
          <Button
            sends="POST /felix/evaluations"
            disabled={run.isPending || results.isPending}
            onClick={() => run.mutate()}
          >
            Run on each version
          </Button>
        )
      }
    >
      <Problem error={run.error ?? remove.error ?? results.error} />
      {done.flatMap(({ version: of, problem }) =>
        problem === null ? [] : [<p key={of} className="text-bad">{`Version ${of}: ${problem}`}</p>],
      )}
      <Table
        caption="Smoke tests"
        rows={rows}
        rowKey={textOfRow}
        columns={[
          { head: 'Text', cell: (row) => <span dir="auto">{textOfRow(row)}</span>, by: textOfRow },
          ...done.map((result, index) => ({
            head: `Version ${result.version}`,
            cell: (row: Row) => <Cell text={textOfRow(row)} result={result} before={done[index - 1]} />,
          })),
          {
            head: <span className="sr-only">Do</span>,
            cell: (row) =>
              rows.length > 1 && (
                <Button
                  kind="quiet"
                  sends="POST /felix/datasets/upload/process"
                  aria-label={`Remove this test: ${textOfRow(row)}`}
                  disabled={remove.isPending}
                  onClick={() => remove.mutate(textOfRow(row))}
                >
                  Remove
                </Button>
              ),
          },
        ]}
      />
    </Panel>
  );
}

interface CellProps {
  readonly text: string;
  readonly result: Result;
  /** The version before. */
  readonly before: Result | undefined;
}

/** Whether a version answers a test as expected, and whether it answers otherwise than the one before. */
function Cell({ text, result, before }: CellProps): ReactElement {
  const answer = result.answers?.get(text);
  if (!answer) return <Status status={result.problem === null ? 'running' : 'failed'} />;
  const earlier = before?.answers?.get(text);
  const hasChanged = earlier !== undefined && said(earlier.output) !== said(answer.output);
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Status status={answer.isRight ? 'passed' : 'failed'} />
      <span>{answerInShort(answer.output).said || 'nothing'}</span>
      {!answer.isRight && (
        <span className="text-muted">should be {answerInShort(answer.expected).said || 'nothing'}</span>
      )}
      {hasChanged && <span className="badge acc">changed</span>}
    </span>
  );
}
