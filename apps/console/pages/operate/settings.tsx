import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, isForbidden } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Prose } from '../../components/prose.js';
import { Empty, Loaded } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { Time } from '../../components/values.js';

/** The settings in force; those that differ from their default first. */
export function Settings(): ReactElement {
  const settings = useQuery({ queryKey: ['settings'], queryFn: () => body(api.GET('/settings')) });
  return (
    <Panel title="Settings in force">
      {isForbidden(settings.error) ? (
        <Empty>Only the operator sees the settings: the user whom ANNEAL_ADMIN_EMAIL names.</Empty>
      ) : (
        <Loaded query={settings} rows={10}>
          {({ settings: list }) => (
            <Table
              caption="Settings in force"
              rows={list.toSorted((a, b) => Number(b.is_set) - Number(a.is_set))}
              rowKey={({ name }) => name}
              columns={[
                {
                  head: 'Setting',
                  cell: ({ name, meaning }) => (
                    <div className="grid gap-0.5 py-1">
                      <code>{name}</code>
                      <Muted text={meaning} />
                    </div>
                  ),
                  by: ({ name }) => name,
                },
                { head: 'Value', cell: ({ value, is_set }) => <Value value={value} isSet={is_set} /> },
                { head: 'Default', cell: (each) => <Muted text={each.default} /> },
              ]}
            />
          )}
        </Loaded>
      )}
    </Panel>
  );
}

/** What changed in settings, models, prices and providers since the log began. */
export function SettingsChanges(): ReactElement | null {
  const changes = useQuery({ queryKey: ['settings', 'changes'], queryFn: () => body(api.GET('/settings/changes')) });
  if (isForbidden(changes.error)) return null;
  return (
    <Panel title="Changes of settings">
      <Loaded query={changes} rows={5}>
        {({ changes: list }) =>
          list.length === 0 ? (
            <Empty>No change of a setting, a model, a price or a provider is recorded.</Empty>
          ) : (
            <Table
              caption="Changes of settings"
              rows={list}
              rowKey={({ found_at, of, name }) => `${found_at} ${of} ${name}`}
              columns={[
                { head: 'Found', cell: ({ found_at }) => <Time at={found_at} /> },
                { head: 'Change', cell: ({ sentence }) => <span className="break-all">{sentence}</span> },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

const Muted = ({ text }: { readonly text: string }): ReactElement => (
  <span className="text-muted">
    <Prose text={text} />
  </span>
);

const Value = ({ value, isSet }: { readonly value: string | null; readonly isSet: boolean }): ReactElement => (
  <span className={isSet ? 'font-semibold break-all' : 'text-muted'}>{isSet ? (value ?? 'none') : 'default'}</span>
);
