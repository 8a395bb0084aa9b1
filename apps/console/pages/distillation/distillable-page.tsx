import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Select } from '../../components/field.js';
import { Headline } from '../../components/headline.js';
import { Page, Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { aboutDollars, counted, dollars, number, Time } from '../../components/values.js';
import { sumsOf, USUAL_TARGET } from './savings.js';
import { TaskPanel } from './task-panel.js';
import { Tasks } from './tasks.js';

/** Days that are looked back. */
const DAYS = ['7', '30', '90'] as const;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Tasks that calls of large models repeat, and how one becomes a small model. */
export function DistillablePage(): ReactElement {
  const [filters, change] = useFilters();
  const { days = '30', project, model, task: chosen } = filters;
  // The same all day, so that the answer is kept.
  const [today] = useState(() => Math.floor(Date.now() / DAY_MS) * DAY_MS);
  const since = days === 'all' ? undefined : new Date(today - Number(days) * DAY_MS).toISOString();
  const query = { ...(project && { project_id: project }), ...(model && { model }), ...(since && { since }) };
  const found = useQuery({
    queryKey: ['distillable', query],
    queryFn: ({ signal }) => body(api.GET('/distillable', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    // It reads thousands of calls.
    staleTime: Infinity,
    meta: { late: true },
  });
  return (
    <Page
      title="What a small model could answer"
      intro="Repeated tasks in your calls of large models, found by the part of the prompt that never changes."
      actions={
        <Button disabled={found.isFetching} onClick={() => void found.refetch()}>
          {found.isFetching ? 'Reading your calls…' : 'Scan again'}
        </Button>
      }
    >
      <Loaded query={found} rows={8}>
        {(all) => (
          <>
            <Sentence all={all} />
            <Choices filters={{ days, project, model }} all={all} onChange={change} />
            <Panel title="Tasks">
              {all.tasks.length === 0 ? (
                <NoTasks all={all} />
              ) : (
                <Tasks tasks={all.tasks} chosen={chosen} onChoose={(task) => change({ task })} />
              )}
              <NotTasks all={all} />
            </Panel>
            {all.tasks
              .filter(({ id }) => id === chosen)
              .map((task) => (
                <TaskPanel key={`${task.id} ${task.model}`} task={task} from={{ project, since }} />
              ))}
          </>
        )}
      </Loaded>
    </Page>
  );
}

type All = Schema['DistillableTasks'];

/** What it comes to, in a sentence. */
function Sentence({ all: { tasks } }: { readonly all: All }): ReactElement | null {
  if (tasks.length === 0) return null;
  const { paid, saved, estimated, untold } = sumsOf(tasks);
  return (
    <Headline
      kind="info"
      then={
        <>
          {estimated > 0 &&
            `By a quick estimate, at an agreement of ${USUAL_TARGET * 100} in 100: a trained model usually answers more. Calls that it is unsure of go on to the large one. `}
          {untold > 0 && `What ${counted(untold, 'more task')} would save is known only after a training.`}
        </>
      }
    >
      You pay <b>{aboutDollars(paid)} a month</b> for {counted(tasks.length, 'repeated task')}.{' '}
      {estimated > 0 && (
        <>
          {estimated === tasks.length ? 'All' : number(estimated)} could run on small models and{' '}
          <b>save {aboutDollars(saved)}</b>.
        </>
      )}
    </Headline>
  );
}

interface ChoicesProps {
  readonly filters: { readonly days: string; readonly project: string | undefined; readonly model: string | undefined };
  readonly all: All;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
}

/** Which calls are looked at. */
function Choices({ filters: { days, project, model }, all, onChange }: ChoicesProps): ReactElement {
  const projects = useQuery({
    queryKey: ['projects', 'all'],
    queryFn: () => body(api.GET('/projects', { params: { query: { limit: 100 } } })),
  });
  const models = new Set([...all.tasks, ...all.refused].map((each) => each.model).concat(model ?? []));
  return (
    <div className="grid max-w-3xl gap-3 sm:grid-cols-3">
      <Select
        label="Calls of"
        className="sm:w-40"
        value={days}
        onChange={({ target }) => onChange({ days: target.value, task: undefined })}
      >
        {DAYS.map((each) => (
          <option key={each} value={each}>
            the last {each} days
          </option>
        ))}
        <option value="all">all time</option>
      </Select>
      <Select
        label="Project"
        className="sm:w-40"
        value={project ?? ''}
        onChange={({ target }) => onChange({ project: target.value, task: undefined })}
      >
        <option value="">all</option>
        {projects.data?.projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label="Model"
        className="sm:w-40"
        value={model ?? ''}
        onChange={({ target }) => onChange({ model: target.value, task: undefined })}
      >
        <option value="">all</option>
        {[...models].sort().map((each) => (
          <option key={each}>{each}</option>
        ))}
      </Select>
    </div>
  );
}

const NoTasks = ({ all: { refused } }: { readonly all: All }): ReactElement => (
  <Empty>
    {refused.length > 0
      ? 'No task was found in these calls: below is why.'
      : 'There are no recorded calls of large models in this time.'}{' '}
    A task is one prompt that is sent again and again with another text in it, ten times or more: call a hosted model
    through Anneal as you do now (<code>POST /v1/chat/completions</code>), or{' '}
    <Link to="/history">import the calls that you made elsewhere</Link>. From some sixty calls on a small model can be
    made of them.
  </Empty>
);

/** Calls that are in no task, and why. */
function NotTasks({ all: { refused, left_out: left, limit, from } }: { readonly all: All }): ReactElement | null {
  const others = [
    left.failed > 0 && `${number(left.failed)} failed`,
    left.erased > 0 && `${number(left.erased)} were erased`,
    left.disputed > 0 && `${number(left.disputed)} were judged wrong and not corrected`,
    (left.not_kept ?? 0) > 0 && `${number(left.not_kept ?? 0)} have no content on record`,
  ].filter(Boolean);
  if (refused.length + others.length === 0 && limit === null) return null;
  return (
    <div className="mt-3 grid gap-1 text-sm text-muted">
      {refused.map(({ model, reason, calls, cost_a_month }) => (
        <p key={`${model} ${reason}`}>
          {counted(calls, 'call')} of {model} ({dollars(cost_a_month)} a month) are no task: {reason}.
        </p>
      ))}
      {others.length > 0 && <p>Of other calls, {others.join(', ')}.</p>}
      {limit !== null && (
        <p>
          Only the newest calls were read, since <Time at={from} />.
        </p>
      )}
    </div>
  );
}
