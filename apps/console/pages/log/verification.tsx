import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import Check from 'lucide-react/icons/check';
import Ellipsis from 'lucide-react/icons/ellipsis';
import type { ReactElement, ReactNode } from 'react';
import { api, body } from '../../api/client.js';
import { fetchHealth, type Part } from '../../api/health.js';
import { buttonClass } from '../../components/button.js';
import { Copy } from '../../components/copy.js';
import { Headline } from '../../components/headline.js';
import { Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Loading, Problem } from '../../components/states.js';
import { counted, number, percent, positionOf, Time } from '../../components/values.js';

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
    <Panel
      title="Verification"
      actions={
        <Permitted sends="GET /audit/export">
          <Link className={buttonClass()} to="/reports" search={{ tab: 'verify' }}>
            Verify now
          </Link>
        </Permitted>
      }
    >
      <Problem error={health.error} retry={() => void health.refetch()} />
      <Problem error={checkpoint.error} retry={() => void checkpoint.refetch()} />
      {(health.isPending || checkpoint.isPending) && <Loading rows={6} />}
      <ol className="timeline">
        {health.data && <Compared audit={health.data.details['audit']} />}
        {checkpoint.data !== undefined && <Checkpoint text={checkpoint.data} />}
      </ol>
    </Panel>
  );
}

function Checkpoint({ text }: { readonly text: string }): ReactElement {
  const [, size = '', root = ''] = text.split('\n');
  return (
    <Step isGood title={`A signed checkpoint covers the first ${counted(Number(size), 'event')}`}>
      Root hash <code className="text-xs break-all">{root}</code>. Keep the checkpoint outside of this system:{' '}
      <code>npx anneal audit verify</code> shows whether anything before it was changed since. A new one is signed every
      minute.
      <div className="mt-2">
        <Copy text={text} label="Checkpoint" act="Copy the checkpoint" />
      </div>
    </Step>
  );
}

interface StepProps {
  readonly isGood: boolean;
  readonly title: ReactNode;
  readonly children?: ReactNode;
}

/** A part of the proof. */
const Step = ({ isGood, title, children }: StepProps): ReactElement => (
  <li>
    <span className={`n ${isGood ? 'good' : ''}`}>{isGood ? <Check className="i" /> : <Ellipsis className="i" />}</span>
    <div className="min-w-0">
      <p className="font-[550]">{title}</p>
      <div className="text-sm text-muted">{children}</div>
    </div>
  </li>
);

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
    return (
      <Step isGood={false} title={<span role="status">The audit does not answer now{reason && `: ${reason}`}</span>}>
        Events are served as they are.
      </Step>
    );
  return (
    <>
      <Step isGood={Boolean(signedAt)} title={`${counted(size, 'event')} signed`}>
        {signedAt ? (
          <>
            Last <Time at={signedAt} seconds />.
          </>
        ) : (
          'Not yet since the start.'
        )}
      </Step>
      <Step
        isGood={Boolean(checkedAt) && !first}
        title={first ? `Problems found: ${number(problems)}` : `Problems found: ${checkedAt ? 'none' : 'none so far'}`}
      >
        {first ? (
          <p role="alert" className="callout bad block">
            The log is not what was signed. First of {number(problems)}: {first.problem}
            {first.position && `, at position ${positionOf(first.position)}`}. Run <code>npx anneal audit verify</code>.
          </p>
        ) : progress ? (
          `Comparing ${progress.what}: ${percent(progress.total === 0 ? 0 : progress.done / progress.total)}.`
        ) : checkedAt ? (
          <>
            The whole log was compared <Time at={checkedAt} seconds />.
          </>
        ) : (
          'The whole log is compared after the start.'
        )}
        {reason && ` Last attempt: ${reason}.`}
      </Step>
    </>
  );
}
