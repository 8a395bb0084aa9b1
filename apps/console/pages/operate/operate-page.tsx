import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Headline } from '../../components/headline.js';
import { Page, Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { Tabs, type Tab } from '../../components/tabs.js';
import { bytes, counted, Figure, number, percent } from '../../components/values.js';
import { Link } from '@tanstack/react-router';
import { fetchHealth, inner, type Health, type Part } from '../../api/health.js';
import { Bills } from './bills.js';
import { Facts, saysOf } from './facts.js';
import { Queue } from './queue.js';
import { Runners } from './runners.js';
import { Settings, SettingsChanges } from './settings.js';

/**
 * Health of each part of the system, progress of the read models, work of the runners, the settings in force, and the
 * workspace's usage and limits.
 */
export function OperatePage(): ReactElement {
  const health = useQuery({ queryKey: ['health'], queryFn: fetchHealth, refetchInterval: 5_000 });
  const tabs = (found: Health): readonly Tab[] => [
    { name: 'overview', title: 'Overview', content: <Overview health={found} /> },
    {
      name: 'read-models',
      title: 'Read models',
      count: inner(found.details['projections']).length,
      content: (
        <Group
          health={found}
          part="projections"
          title="Read models"
          columns={['state', 'built', 'lagEvents', 'lagSeconds', 'parked', 'version']}
        />
      ),
    },
    {
      name: 'work',
      title: 'Work after events',
      count: inner(found.details['process-managers']).length,
      content: (
        <Group
          health={found}
          part="process-managers"
          title="Work after events"
          columns={['state', 'pending', 'running', 'failing']}
        />
      ),
    },
    { name: 'bill', title: 'Bill and ledger', content: <Bills /> },
    {
      name: 'settings',
      title: 'Settings in force',
      content: (
        <>
          <Settings />
          <SettingsChanges />
        </>
      ),
    },
  ];
  return (
    <Page
      title="Operate"
      shape="thing"
      intro={
        <>
          Who can do what is on <Link to="/people">People</Link> and <Link to="/keys">API keys</Link>, limits and
          credits are on <Link to="/settings">Settings</Link>.
        </>
      }
    >
      <Loaded query={health} rows={10}>
        {(found) => (
          <>
            <InShort health={found} />
            <Tabs tabs={tabs(found)} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const Overview = ({ health }: { readonly health: Health }): ReactElement => (
  <>
    <Now health={health} />
    <div className="columns">
      <Parts health={health} />
      <div>
        <Queue />
        <Runners />
      </div>
    </div>
  </>
);

/** The figures by which a system that falls behind is seen first. */
function Now({ health: { details } }: { readonly health: Health }): ReactElement {
  const position = details['event-store']?.['position'];
  const size = details['audit']?.['size'];
  const { freeBytes, sizeBytes }: Partial<Part> = details['disk'] ?? {};
  const models = inner(details['projections']);
  const work = inner(details['process-managers']);
  return (
    <dl className="metrics">
      {typeof position === 'string' && /^\d+$/.test(position) && (
        <Figure
          label="Events on the log"
          value={number(Number(position))}
          note={typeof size === 'number' ? `${number(size)} of them signed` : ''}
        />
      )}
      <Figure
        label="Behind"
        value={number(sumOf(models, 'lagEvents'))}
        note={`events, of ${models.length} read models`}
      />
      <Figure
        label="Waiting"
        value={number(sumOf(work, 'pending'))}
        note={`after events, ${sumOf(work, 'running')} running`}
      />
      <Figure label="Failing" value={number(sumOf(work, 'failing'))} note="of the work after events" />
      {typeof freeBytes === 'number' && typeof sizeBytes === 'number' && (
        <Figure label="Disk free" value={bytes(freeBytes)} note={`of ${bytes(sizeBytes)}`} />
      )}
    </dl>
  );
}

const sumOf = (things: ReturnType<typeof inner>, name: string): number =>
  things.reduce((sum, [, values]) => sum + (typeof values[name] === 'number' ? values[name] : 0), 0);

const Parts = ({ health }: { readonly health: Health }): ReactElement => (
  <Panel title="Parts of the system">
    <Table
      caption="Parts of the system"
      rows={Object.entries(health.details).toSorted(
        ([, a], [, b]) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status),
      )}
      rowKey={([name]) => name}
      columns={[
        {
          head: 'Part',
          cell: ([name]) => <b className="inline-block first-letter:uppercase">{name.replaceAll('-', ' ')}</b>,
        },
        { head: 'Status', cell: ([, part]) => <Status status={STATES[part.status]} /> },
        { head: 'Details', cell: ([, part]) => <Facts part={part} /> },
      ]}
    />
  </Panel>
);

/** Whether all works; else what does not. */
function InShort({ health: { details } }: { readonly health: Health }): ReactElement {
  const parts = Object.entries(details);
  const ailing = parts.filter(([, { status }]) => status !== 'up').map(([name]) => name.replaceAll('-', ' '));
  if (ailing.length === 0)
    return (
      <Headline
        kind="good"
        then={`${counted(inner(details['projections']).length, 'read model')} and ${counted(inner(details['runners']).length, 'runner')} answer too. Asked every five seconds.`}
      >
        <b>Everything works</b>: {counted(parts.length, 'part')} of the system.
      </Headline>
    );
  const isDown = parts.some(([, { status }]) => status === 'down');
  return (
    <Headline kind={isDown ? 'bad' : 'warn'} then="Parts of the system, below, has what each says of itself.">
      <b>{ailing.join(', ')}</b> {ailing.length === 1 ? 'does' : 'do'} not work as {ailing.length === 1 ? 'it' : 'they'}{' '}
      should.
    </Headline>
  );
}

const ORDER = ['down', 'degraded', 'up'];
const STATES = { up: 'ok', degraded: 'degraded', down: 'failed' } as const;

const HEADS: Readonly<Record<string, string>> = {
  built: 'Built',
  state: 'Status',
  lagEvents: 'Behind (events)',
  lagSeconds: 'Behind (s)',
  parked: 'Set aside (events)',
  version: 'Version',
  pending: 'Waiting',
  running: 'Running',
  failing: 'Failing',
};

interface GroupProps {
  readonly health: Health;
  readonly part: string;
  readonly title: string;
  readonly columns: readonly string[];
}

function Group({ health, part, title, columns }: GroupProps): ReactElement | null {
  const rows = inner(health.details[part]);
  if (rows.length === 0) return null;
  return (
    <Panel title={title} actions={<span className="text-sm text-muted">{saysOf(rows)}</span>}>
      <Table
        caption={title}
        rows={rows}
        rowKey={([name]) => name}
        columns={[
          {
            head: 'Name',
            cell: ([name]) => <b className="inline-block first-letter:uppercase">{name.replaceAll('-', ' ')}</b>,
          },
          ...columns.map((column) => ({
            head: HEADS[column] ?? column,
            number: column !== 'state',
            cell: ([, values]: (typeof rows)[number]) =>
              column === 'built' ? (
                built(values, health)
              ) : column === 'state' ? (
                <Status status={shown(values[column])} />
              ) : (
                shown(values[column])
              ),
          })),
        ]}
      />
    </Panel>
  );
}

/** How much of the log a read model holds; unknown where positions do not count events. */
function built({ lagEvents }: Readonly<Record<string, unknown>>, { details }: Health): string {
  const end = Number(details['event-store']?.['position']);
  return typeof lagEvents === 'number' && end > 0 ? percent(Math.max(0, 1 - lagEvents / end)) : '–';
}

const shown = (value: unknown): string =>
  typeof value === 'number' ? number(value) : typeof value === 'string' ? value : '–';
