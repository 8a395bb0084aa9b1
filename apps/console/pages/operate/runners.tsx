import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactElement } from 'react';
import { api, body, isForbidden, type Schema } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { bytes, duration, number } from '../../components/values.js';

type Runner = Schema['RunnerRecord'];

/** Each runner's current work and loaded models. */
export function Runners(): ReactElement {
  const runners = useQuery({
    queryKey: ['runners'],
    queryFn: () => body(api.GET('/runners')),
    refetchInterval: (query) => (isForbidden(query.state.error) ? false : 5_000),
  });
  if (isForbidden(runners.error))
    return (
      <Panel title="Runners">
        <Empty>Only the operator sees the runners: the user whom ANNEAL_ADMIN_EMAIL names.</Empty>
      </Panel>
    );
  return (
    <Loaded query={runners}>
      {({ runners: list }) =>
        list.length === 0 ? (
          <Panel title="Runners">
            <Empty>No runner has been heard: start one with npm run start:gpu-runner.</Empty>
          </Panel>
        ) : (
          <>
            {list.map((runner) => (
              <One key={runner.name} {...runner} />
            ))}
          </>
        )
      }
    </Loaded>
  );
}

function One(runner: Runner): ReactElement {
  const { name, present, last_heard_ms, room, serving, engines } = runner;
  const facts = {
    Work: <Work {...runner} />,
    Heard: `${duration(last_heard_ms)} ago`,
    Room: Object.entries(room)
      .map(([kind, places]) => `${number(places)} ${kind}`)
      .join(', '),
    Models: <LoadedModels {...runner} />,
    Calls: serving ? `${number(serving.calls)} now` : 'serves no models',
    Waiting:
      serving && `${number(serving.waiting_characters)} characters, ${number(serving.waiting_generations)} generations`,
    Tokens: serving && `${number(serving.input_tokens)} read, ${number(serving.output_tokens)} written since its start`,
    Engines: engines.map((engine) => `${engine.name} ${engine.version}`).join(', '),
  };
  return (
    <Panel title={`Runner ${name}`} actions={<Status status={present ? 'ok' : 'failed'} />}>
      <dl className="kv">
        {Object.entries(facts).map(
          ([term, fact]) =>
            fact && (
              <Fragment key={term}>
                <dt>{term}</dt>
                <dd>{fact}</dd>
              </Fragment>
            ),
        )}
      </dl>
    </Panel>
  );
}

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
