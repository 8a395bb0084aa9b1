import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { fetchHealth, type Part } from '../../api/health.js';
import { Headline } from '../../components/headline.js';
import { Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { counted, Figure, number, percent, Time } from '../../components/values.js';

/**
 * The signed head of the tree over all events (a C2SP checkpoint): origin, size, root hash, then signatures; and the
 * result of the last comparison.
 */
export function Verification(): ReactElement {
  const checkpoint = useQuery({
    queryKey: ['checkpoint'],
    queryFn: () => body<string>(api.GET('/audit/checkpoint', { parseAs: 'text' })),
    refetchInterval: 60_000,
  });
  const health = useQuery({ queryKey: ['health'], queryFn: fetchHealth, refetchInterval: 10_000 });
  return (
    <Panel title="Verification">
      <div className="grid gap-4">
        <Loaded query={health} rows={2}>
          {({ details }) => <Compared audit={details['audit']} />}
        </Loaded>
        <Loaded query={checkpoint}>
          {(text) => {
            const [, size = '', root = ''] = text.split('\n');
            return (
              <div className="grid gap-2">
                <p>
                  A signed checkpoint covers the first {number(Number(size))} events of the log. Root hash:{' '}
                  <code className="break-all">{root}</code>
                </p>
                <p className="text-sm text-muted">
                  Keep it outside of this system: <code>npx anneal audit verify</code> shows whether anything before it
                  was changed since. A new one is signed every minute.
                </p>
                <details>
                  <summary>The checkpoint</summary>
                  <pre tabIndex={0} aria-label="Checkpoint" className="code mt-1 text-xs">
                    {text}
                  </pre>
                </details>
              </div>
            );
          }}
        </Loaded>
      </div>
    </Panel>
  );
}

/** The audit's part of `/health`. */
interface Audit {
  readonly size?: number;
  readonly signedAt?: string | null;
  readonly checkedAt?: string | null;
  readonly progress?: { readonly what: string; readonly done: number; readonly total: number };
  readonly problems?: number;
  readonly first?: { readonly problem: string; readonly position: string | null };
  readonly reason?: string;
}

/** Whether the log is what was signed, in one sentence. */
export function Intact(): ReactElement | null {
  const health = useQuery({ queryKey: ['health'], queryFn: fetchHealth, refetchInterval: 10_000 });
  const { size, checkedAt, problems = 0, first } = (health.data?.details['audit'] ?? {}) as unknown as Audit;
  if (size === undefined) return null;
  if (first)
    return (
      <Headline kind="bad" then={first.problem}>
        <b>The log is not what was signed</b>: {counted(problems, 'problem')}.
      </Headline>
    );
  return (
    <Headline kind={checkedAt ? 'good' : 'info'}>
      {checkedAt ? (
        <>
          <b>The log is intact</b>: {counted(size, 'event')} signed, compared as a whole <Time at={checkedAt} />.
        </>
      ) : (
        <>
          <b>{counted(size, 'event')}</b> signed; the log as a whole is being compared.
        </>
      )}
    </Headline>
  );
}

function Compared({ audit }: { readonly audit: Part | undefined }): ReactElement {
  const { size, signedAt, checkedAt, progress, problems = 0, first, reason } = (audit ?? {}) as unknown as Audit;
  if (size === undefined)
    return <p role="status">The audit does not answer now{reason && `: ${reason}`}. Events are served as they are.</p>;
  return (
    <>
      {first && (
        <p role="alert" className="callout bad block">
          The log is not what was signed. First of {number(problems)}: {first.problem}
          {first.position && `, at position ${first.position.replace(/^0+(?=\d)/, '')}`}. Run{' '}
          <code>npx anneal audit verify</code>.
        </p>
      )}
      <dl className="metrics">
        <Figure label="Events signed" value={number(size)} />
        <Figure
          label="Problems found"
          value={first ? number(problems) : checkedAt ? 'none' : 'none so far'}
          note={reason ? `last attempt: ${reason}` : ''}
        />
        <div className="metric">
          <dt>Last signed here</dt>
          <dd className="figure words">{signedAt ? <Time at={signedAt} seconds /> : 'not yet since the start'}</dd>
        </div>
        <div className="metric">
          <dt>Whole log compared</dt>
          <dd className="figure words">
            {progress ? (
              `${progress.what}: ${percent(progress.total === 0 ? 0 : progress.done / progress.total)}`
            ) : checkedAt ? (
              <Time at={checkedAt} seconds />
            ) : (
              'not yet since the start'
            )}
          </dd>
        </div>
      </dl>
    </>
  );
}
