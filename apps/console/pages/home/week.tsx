import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { dollars, duration, Figure, number, percent } from '../../components/values.js';

const DAY_MS = 86_400_000;

/** The calls of the last seven days. */
export function Week(): ReactElement {
  const since = useMemo(() => new Date(Date.now() - 7 * DAY_MS).toISOString(), []);
  const stats = useQuery({
    queryKey: ['stats', 'week'],
    queryFn: () => body(api.GET('/inferences/stats', { params: { query: { since, group_by: 'model' } } })),
    refetchInterval: 30_000,
  });
  return (
    <Panel title="Calls of the last 7 days">
      <Loaded query={stats}>{({ groups }) => <Figures groups={groups} />}</Loaded>
    </Panel>
  );
}

function Figures({ groups }: { readonly groups: readonly Schema['InferenceGroup'][] }): ReactElement {
  const sum = (of: (group: Schema['InferenceGroup']) => number): number =>
    groups.reduce((total, group) => total + of(group), 0);
  const calls = sum(({ count }) => count);
  const judged = sum(({ verdicts }) => verdicts.correct + verdicts.incorrect);
  const slowest = Math.max(0, ...groups.map(({ latency_ms }) => latency_ms?.p95 ?? 0));
  return (
    <dl className="metrics">
      <Figure label="Calls" value={number(calls)} />
      <Figure label="Cost" value={dollars(sum(({ cost }) => cost))} />
      <Figure label="Failed" value={calls === 0 ? '–' : percent(sum(({ failed }) => failed) / calls)} />
      <Figure
        label="Judged correct"
        value={judged === 0 ? '–' : percent(sum(({ verdicts }) => verdicts.correct) / judged)}
        note={`of ${number(judged)} judged by people`}
      />
      <Figure
        label="Slowest 5%"
        value={calls === 0 ? '–' : duration(slowest)}
        note="and longer, of the slowest model"
      />
    </dl>
  );
}
