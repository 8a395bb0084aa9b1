import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { percent } from '../../components/values.js';
import { distillationsOf } from './distil.js';

const AGAIN_MS = 3_000;

/** The distillations of a name, and how far they are. */
export function Distillations({ name }: { readonly name: string }): ReactElement {
  const distillations = useQuery({
    queryKey: ['distillations', name],
    queryFn: () => distillationsOf(name),
    refetchInterval: AGAIN_MS,
  });
  return (
    <Loaded query={distillations} rows={2}>
      {(list) => (
        <Table
          caption={`Distillations of ${name}`}
          rows={list}
          rowKey={({ id }) => id}
          columns={[
            { head: 'State', cell: ({ status }) => <Status status={status} /> },
            { head: 'Wanted agreement', number: true, cell: ({ target_agreement: target }) => told(target) },
            { head: 'Agreement', number: true, cell: ({ agreement }) => told(agreement) },
            { head: 'Answers by itself', number: true, cell: ({ share }) => told(share) },
            { head: 'What happened', cell: ({ error }) => error ?? '–' },
          ]}
        />
      )}
    </Loaded>
  );
}

const told = (share: number | null | undefined): string =>
  share === null || share === undefined ? '–' : percent(share);
