import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { localMoment } from '../../components/moments.js';
import { Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { dollars, duration, Figure, number, percent } from '../../components/values.js';

const DAY_MS = 86_400_000;
const DAYS = 7;

/** The calls of the last seven days of UTC, today included, as the charts of History count them. */
export function Week(): ReactElement {
  const since = useMemo(() => new Date((Math.floor(Date.now() / DAY_MS) - (DAYS - 1)) * DAY_MS).toISOString(), []);
  const stats = useQuery({
    queryKey: ['stats', 'week', since],
    queryFn: () => body(api.GET('/inferences/stats', { params: { query: { since } } })),
    refetchInterval: 30_000,
  });
  return (
    <Panel
      title={`Calls of the last ${DAYS} days (UTC)`}
      actions={
        <Link to="/history" search={{ view: 'charts', since: localMoment(since) }}>
          Day by day
        </Link>
      }
    >
      <Loaded query={stats}>{({ groups: [all] }) => <Figures all={all} />}</Loaded>
    </Panel>
  );
}

/** @param all undefined if there were no calls */
function Figures({ all }: { readonly all: Schema['InferenceGroup'] | undefined }): ReactElement {
  const judged = all ? all.verdicts.correct + all.verdicts.incorrect : 0;
  const p95 = all?.latency_ms.p95 ?? null;
  return (
    <dl className="metrics">
      <Figure label="Calls" value={number(all?.count ?? 0)} />
      <Figure label="Cost" value={dollars(all?.cost ?? 0)} />
      <Figure label="Failed" value={all && all.count > 0 ? percent(all.failed / all.count) : '–'} />
      <Figure
        label="Judged right"
        value={all && judged > 0 ? percent(all.verdicts.correct / judged) : '–'}
        note={`of ${number(judged)} judged by people`}
      />
      <Figure
        label="Latency, 95%"
        value={p95 === null ? '–' : duration(p95)}
        note="of all models together; 5% of the calls took longer"
      />
    </dl>
  );
}
