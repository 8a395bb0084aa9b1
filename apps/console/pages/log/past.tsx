import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, type ReactElement } from 'react';
import { fetchAnswer, refusal, type Schema } from '../../api/client.js';
import { isRecord, json, type Fields } from '../../components/json.js';
import { Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { Time } from '../../components/values.js';

type Event = Schema['EventRecord'];

interface Props {
  readonly stream: string;
  readonly events: readonly Event[];
}

/** The resource that a stream decides, as it was after each of its events. Streams of other things have none. */
export function Past({ stream, events }: Props): ReactElement | null {
  const path = pathOf(stream, events[0]!);
  const [filters, change] = useFilters();
  const id = useId();
  const given = events.findIndex(({ position }) => position === filters['as_of']);
  const at = given < 0 ? events.length - 1 : given;
  const event = events[at]!;
  const states = useStates(path, event.position, events[at - 1]?.position);
  if (path === null) return null;
  return (
    <Panel title="As it was">
      <div className="grid gap-3">
        <label htmlFor={id} className="text-sm text-muted">
          After event {event.revision}, {event.type}, <Time at={event.occurred_at} seconds />
        </label>
        <input
          id={id}
          type="range"
          min={0}
          max={events.length - 1}
          value={at}
          aria-valuetext={`after event ${event.revision}, ${event.type}`}
          onChange={({ target }) => change({ as_of: events[Number(target.value)]!.position })}
          className="w-full"
        />
        <Loaded query={states} rows={8}>
          {([state, before]) => <State state={state} before={before} />}
        </Loaded>
      </div>
    </Panel>
  );
}

/** Fields of a resource; those that the last event changed are marked, not by colour alone. */
const State = ({ state, before }: { readonly state: Fields; readonly before: Fields }): ReactElement => (
  <dl
    className="grid max-h-96 gap-x-4 gap-y-1 overflow-auto text-sm sm:grid-cols-[14rem_1fr]"
    tabIndex={0}
    aria-label="Fields"
  >
    {Object.entries(state).map(([name, value]) => {
      const changed = JSON.stringify(before[name]) !== JSON.stringify(value);
      return (
        <div key={name} className="contents">
          <dt className={changed ? 'font-semibold' : 'text-muted'}>
            {name}
            {changed && ' (changed)'}
          </dt>
          <dd className="whitespace-pre-wrap">{typeof value === 'string' ? value : json(value)}</dd>
        </div>
      );
    })}
  </dl>
);

/** The resource after an event and before it, which are shown together or not at all. */
function useStates(path: string | null, after: string, before: string | undefined) {
  return useQuery({
    queryKey: ['as-of', path, after],
    queryFn: () => Promise.all([stateAsOf(path!, after), before === undefined ? {} : stateAsOf(path!, before)]),
    enabled: path !== null,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}

/** @returns an empty object if the resource was deleted by then, or not made yet */
async function stateAsOf(path: string, position: string): Promise<Fields> {
  const answer = await fetchAnswer(`${path}?as_of=${position}`);
  if (answer.status === 404) return {};
  if (!answer.ok) throw await refusal(answer);
  const found: unknown = await answer.json();
  return isRecord(found) ? found : {};
}

/** The route that answers with the resource of a stream; null if none takes `as_of`. */
function pathOf(stream: string, first: Event): string | null {
  const [, category = '', id = ''] = /^([a-z]+)-(.+)$/.exec(stream) ?? [];
  const { name } = first.data as { readonly name?: unknown };
  const named = typeof name === 'string' ? encodeURIComponent(name) : null;
  const paths: Readonly<Record<string, string | null>> = {
    job: `/felix/training-jobs/${id}`,
    project: `/projects/${id}`,
    evaluation: `/felix/evaluations/${id}`,
    generation: `/generate/jobs/${id}`,
    webhook: `/webhooks/${id}`,
    batch: `/v1/batches/batch_${id}`,
    model: named && `/models/${named}`,
    dataset: named && `/felix/datasets/${named}`,
  };
  return paths[category] ?? null;
}
