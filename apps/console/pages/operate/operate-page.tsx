import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Headline } from '../../components/headline.js';
import { Page, Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { counted, number, percent } from '../../components/values.js';
import { Link } from '@tanstack/react-router';
import { fetchHealth, inner, type Health } from '../../api/health.js';
import { Bills } from './bills.js';
import { Facts } from './facts.js';
import { Queue } from './queue.js';
import { Runners } from './runners.js';
import { Settings, SettingsChanges } from './settings.js';

/**
 * Health of each part of the system, progress of the read models, work of the runners, the settings in force, and the
 * workspace's usage and limits.
 */
export function OperatePage(): ReactElement {
  const health = useQuery({ queryKey: ['health'], queryFn: fetchHealth, refetchInterval: 5_000 });
  return (
    <Page
      title="Operate"
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
            <Parts health={found} />
            <Group
              health={found}
              part="projections"
              title="Read models"
              columns={['state', 'built', 'lagEvents', 'lagSeconds', 'parked', 'version']}
            />
            <Group
              health={found}
              part="process-managers"
              title="Work after events"
              columns={['state', 'pending', 'running', 'failing']}
            />
          </>
        )}
      </Loaded>
      <Runners />
      <Queue />
      <Bills />
      <Settings />
      <SettingsChanges />
    </Page>
  );
}

const Parts = ({ health }: { readonly health: Health }): ReactElement => (
  <Panel title="Parts">
    <Table
      caption="Parts of the system"
      rows={Object.entries(health.details)}
      rowKey={([name]) => name}
      columns={[
        { head: 'Part', cell: ([name]) => name.replaceAll('-', ' ') },
        { head: 'State', cell: ([, part]) => <Status status={STATES[part.status]} /> },
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
      <Headline kind="good">
        <b>Everything works</b>: {counted(parts.length, 'part')}, asked every five seconds.
      </Headline>
    );
  const isDown = parts.some(([, { status }]) => status === 'down');
  return (
    <Headline kind={isDown ? 'bad' : 'warn'} then="The table below says what each part says of itself.">
      <b>{ailing.join(', ')}</b> {ailing.length === 1 ? 'does' : 'do'} not work as {ailing.length === 1 ? 'it' : 'they'}{' '}
      should.
    </Headline>
  );
}

const STATES = { up: 'ok', degraded: 'degraded', down: 'failed' } as const;

const HEADS: Readonly<Record<string, string>> = {
  built: 'Built',
  state: 'State',
  lagEvents: 'Behind (events)',
  lagSeconds: 'Behind (s)',
  parked: 'Set aside (events)',
  version: 'Version',
  pending: 'Waiting',
  running: 'At work',
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
    <Panel title={title}>
      <Table
        caption={title}
        rows={rows}
        rowKey={([name]) => name}
        columns={[
          { head: 'Name', cell: ([name]) => name.replaceAll('-', ' ') },
          ...columns.map((column) => ({
            head: HEADS[column] ?? column,
            number: column !== 'state',
            cell: ([, values]: (typeof rows)[number]) =>
              column === 'built' ? built(values, health) : shown(values[column]),
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
