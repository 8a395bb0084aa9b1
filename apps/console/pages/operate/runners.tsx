import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { api, body, isForbidden, type Schema } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { bytes, duration, number } from '../../components/values.js';

type Runner = Schema['RunnerRecord'];

/** Each runner's current work and loaded models. */
export function Runners(): ReactElement {
  const runners = useQuery({
    queryKey: ['runners'],
    queryFn: () => body(api.GET('/runners')),
    refetchInterval: (query) => (isForbidden(query.state.error) ? false : 5_000),
  });
  return (
    <Panel title="Runners">
      {isForbidden(runners.error) ? (
        <Empty>Only the operator sees the runners: the user whom ANNEAL_ADMIN_EMAIL names.</Empty>
      ) : (
        <Loaded query={runners}>
          {({ runners: list }) =>
            list.length === 0 ? (
              <Empty>No runner has been heard: start one with npm run start:gpu-runner.</Empty>
            ) : (
              <Table caption="Runners" rows={list} rowKey={({ name }) => name} columns={COLUMNS} />
            )
          }
        </Loaded>
      )}
    </Panel>
  );
}

const COLUMNS = [
  { head: 'Name', cell: ({ name }: Runner) => name },
  {
    head: 'Heartbeat',
    cell: ({ present, last_heard_ms }: Runner) => (
      <>
        <Status status={present ? 'ok' : 'failed'} /> {duration(last_heard_ms)} ago
      </>
    ),
  },
  { head: 'Work', cell: (runner: Runner) => <Work {...runner} /> },
  {
    head: 'Room',
    cell: ({ room }: Runner) =>
      Object.entries(room)
        .map(([kind, places]) => `${number(places)} ${kind}`)
        .join(', '),
  },
  { head: 'Loaded', cell: (runner: Runner) => <LoadedModels {...runner} /> },
  {
    head: 'Calls, and what waits',
    cell: ({ serving }: Runner) =>
      serving
        ? `${number(serving.calls)} calls, ${number(serving.waiting_characters)} characters and ${number(serving.waiting_generations)} generations wait`
        : 'serves no models',
  },
  {
    head: 'Tokens since its start',
    cell: ({ serving }: Runner) =>
      serving ? `${number(serving.input_tokens)} read, ${number(serving.output_tokens)} written` : '–',
  },
  {
    head: 'Engines',
    cell: ({ engines }: Runner) => engines.map(({ name, version }) => `${name} ${version}`).join(', '),
  },
];

const Work = ({ attempts }: Runner): ReactElement =>
  attempts.length === 0 ? (
    <>idle</>
  ) : (
    <ul>
      {attempts.map(({ kind, id, progress_percent }) => (
        <li key={`${kind} ${id}`} className="whitespace-nowrap">
          {kind === 'training' ? (
            <Link to="/training/$id" params={{ id }}>
              training
            </Link>
          ) : (
            kind
          )}{' '}
          {progress_percent}%
        </li>
      ))}
    </ul>
  );

function LoadedModels({ loaded, loading, failed, generates, serving }: Runner): ReactElement {
  const models = (word: string, ids: readonly string[]): ReactElement | null =>
    ids.length === 0 ? null : (
      <details>
        <summary className="cursor-pointer">
          {number(ids.length)} {word}
        </summary>
        <ul className="font-mono text-xs">
          {ids.map((id) => (
            <li key={id}>{id}</li>
          ))}
        </ul>
      </details>
    );
  return (
    <>
      {models('loaded', loaded)}
      {models('being fetched', loading)}
      {models('not loadable', failed)}
      {models('that generate text', generates)}
      {loaded.length + loading.length + failed.length + generates.length === 0 && 'base models only'}
      {serving && serving.cached_bytes > 0 && (
        <div className="text-muted">{bytes(serving.cached_bytes)} on its disk</div>
      )}
    </>
  );
}
