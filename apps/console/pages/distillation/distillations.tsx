import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Loaded } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { dollars, number, percent } from '../../components/values.js';

const AGAIN_MS = 3_000;

export const distillationsQuery = (name: string) =>
  queryOptions({
    queryKey: ['distillations', name],
    queryFn: () => body(api.GET('/models/{name}/distillations', { params: { path: { name } } })),
    refetchInterval: AGAIN_MS,
  });

type Distillation = Schema['DistillationRecord'];

/** The distillations of a name, how far they are, and who answers now. */
export function Distillations({ name }: { readonly name: string }): ReactElement {
  const distillations = useQuery(distillationsQuery(name));
  return (
    <Loaded query={distillations} rows={2}>
      {({ distillations: list }) => (
        <Table
          caption={`Distillations of ${name}`}
          name="distillations"
          rows={list}
          rowKey={({ id }) => id}
          columns={[
            { head: 'State', cell: ({ status }) => <Status status={status} /> },
            {
              head: 'Wanted agreement',
              number: true,
              cell: ({ target_agreement: target }) => percent(target),
              by: ({ target_agreement: target }) => target,
            },
            {
              head: 'Sure of',
              number: true,
              cell: ({ share }) => (share === null ? '–' : percent(share)),
              by: ({ share }) => share,
            },
            { head: 'Audited agreement', number: true, cell: ({ cascade }) => audited(cascade) },
            { head: 'What happened', cell: happened },
          ]}
        />
      )}
    </Loaded>
  );
}

const audited = (cascade: Distillation['cascade']): string =>
  cascade === null || cascade.audited === 0
    ? '–'
    : `${percent(1 - cascade.disagreements / cascade.audited)} of ${cascade.audited}`;

/** Which texts the teacher labelled first, and why not all; null: none. */
function labelled(labelling: Distillation['labelling']): string | null {
  if (!labelling) return null;
  const { dataset_name: name, dataset_version: version, labelled: done, not_labelled: rest, reason } = labelling;
  const texts = `texts of ${name}/${version}`;
  if (done === null) return `the teacher is asked about ${texts}, for ${dollars(labelling.budget)} at the most`;
  const others = rest ? `, not about ${number(rest)} of them${reason === null ? '' : `: ${reason}`}` : '';
  return `the teacher was asked about ${number(done)} ${texts}${others}`;
}

/** Calls that the teacher answers before the small model does. */
const WATCHED = 200;

const happened = (each: Distillation): string =>
  [labelled(each.labelling), outcomeOf(each)].filter((said) => said !== null).join('; ') || '–';

function outcomeOf({ reason, version, cascade }: Distillation): string | null {
  if (version === null) return reason;
  if (cascade === null) return reason ?? `version ${version}, a language model, answers all calls itself`;
  switch (cascade.state) {
    case 'watching':
      return `version ${version}: the teacher answers until ${WATCHED} calls were compared (${cascade.watched} so far)`;
    case 'returned':
      return `version ${version}: the teacher answers all calls again: ${cascade.reason}`;
    default:
      return `version ${version} answers what it is sure of${cascade.suspected ? '; audits speak against the target, so more are audited' : ''}`;
  }
}
