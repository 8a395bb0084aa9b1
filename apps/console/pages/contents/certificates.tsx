import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { Headline } from '../../components/headline.js';
import { json } from '../../components/json.js';
import { Named } from '../../components/named.js';
import { Table } from '../../components/table.js';
import { counted, Id, Time } from '../../components/values.js';
import type { Certificate, Erased } from './erasures.js';

const titleOf = (of: Certificate): string =>
  'inference_id' in of ? of.inference_id : 'user_id' in of ? of.user_id : `${of.name}/${of.version}`;

/** Proof of what was erased, and what was not. */
export function Certificates({ of: { certificates, notErased } }: { readonly of: Erased }): ReactElement {
  const remains = certificates.some((each) => each.remains.length > 0);
  return (
    <section aria-label="Certificate" className="grid gap-3">
      <Headline
        kind={notErased.length > 0 || remains ? 'warn' : certificates.length === 0 ? 'info' : 'good'}
        then={
          certificates.length > 0
            ? 'Keep the certificate: it names the destroyed keys and the event that proves it.'
            : null
        }
        action={
          certificates.length > 0 && (
            <Button onClick={() => download('erasure-certificate.json', json(certificates))}>
              Download the certificate
            </Button>
          )
        }
      >
        <b>
          {certificates.length === 0
            ? 'Nothing was there to erase'
            : `Erased: ${counted(certificates.length, 'content')}`}
        </b>
        {notErased.length > 0 && `, ${counted(notErased.length, 'call')} could not be`}.
      </Headline>
      {certificates.length > 0 && (
        <Table
          caption="Erased contents"
          rows={certificates}
          rowKey={titleOf}
          columns={[
            { head: 'What', cell: (each) => <Id>{titleOf(each)}</Id>, by: titleOf },
            { head: 'Erased', cell: ({ erased_at }) => <Time at={erased_at} seconds /> },
            { head: 'By', cell: ({ erased_by }) => <Named id={erased_by} /> },
            {
              head: 'Destroyed keys',
              cell: ({ keys }) => keys.map(({ fingerprint }) => fingerprint).join(', ') || 'none',
            },
            {
              head: 'Event',
              cell: ({ event }) => (
                <Link to="/log" search={{ stream: event.stream, as_of: event.position }}>
                  {event.type}
                </Link>
              ),
            },
            { head: 'Learned from it', cell: (each) => learnedIn(each) || 'nothing' },
            { head: 'Still stored', cell: (each) => each.remains.join('; ') || 'nowhere' },
          ]}
        />
      )}
      {notErased.length > 0 && (
        <Table
          caption="Calls that were not erased"
          rows={notErased}
          rowKey={({ inference_id }) => inference_id}
          columns={[
            { head: 'Not erased', cell: ({ inference_id }) => <Id>{inference_id}</Id> },
            { head: 'Reason', cell: ({ reason }) => reason },
          ]}
        />
      )}
    </section>
  );
}

/** Models and datasets that hold something of it. */
function learnedIn(of: Certificate): string {
  if (!('learned' in of)) return '';
  const versions = of.learned.dataset_versions.map(({ name, version }) => `${name}/${version}`);
  return [...versions, ...of.learned.jobs.map(({ model_name }) => model_name)].join(', ');
}

/** Gives the browser a file that is made here. */
function download(name: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: 'application/json' }));
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
