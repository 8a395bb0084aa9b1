import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Problem } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { number, Time } from '../../components/values.js';

/** Deleted versions that can be restored. */
export function Deleted(): ReactElement | null {
  const queries = useQueryClient();
  const deleted = useQuery({
    queryKey: ['datasets', 'deleted'],
    queryFn: () => body(api.GET('/felix/deleted-datasets')),
    meta: { late: true },
  });
  const restore = useMutation({
    mutationFn: ({ name, version }: { readonly name: string; readonly version: string }) =>
      body(
        api.POST('/felix/datasets/{name}/restore', { params: { path: { name } }, body: { version: Number(version) } }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ['datasets'] }),
  });
  if (!deleted.data || deleted.data.count === 0) return null;
  return (
    <Panel title="Deleted">
      <div className="grid gap-3">
        <p className="text-sm text-muted">They can be restored, until their room is needed.</p>
        <Problem error={restore.error} />
        <Table
          caption="Deleted versions"
          rows={deleted.data.versions}
          rowKey={({ id }) => id}
          columns={[
            { head: 'Version', cell: ({ name, version_number }) => `${name}/${version_number}` },
            { head: 'Rows', number: true, cell: ({ sample_size }) => number(sample_size) },
            { head: 'Deleted', cell: ({ deleted_at }) => <Time at={deleted_at} /> },
            {
              head: <span className="sr-only">Do</span>,
              cell: ({ name, version_number: version }) => (
                <Button
                  aria-label={`Restore ${name}/${version}`}
                  disabled={restore.isPending}
                  onClick={() => restore.mutate({ name, version })}
                >
                  Restore
                </Button>
              ),
            },
          ]}
        />
      </div>
    </Panel>
  );
}
