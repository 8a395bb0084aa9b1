import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { buttonClass } from '../../components/button.js';
import { Page } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Loaded } from '../../components/states.js';
import { callQuery } from '../../api/queries.js';
import { CallDetails } from './call-details.js';

export function CallPage(): ReactElement {
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const call = useQuery(callQuery(id));
  return (
    <Page
      title="Call"
      of={['History', '/history']}
      intro={<code className="break-all">{id}</code>}
      actions={
        <>
          <Link to="/history" search={{ call: id }} className={buttonClass()}>
            In the list
          </Link>
          <Permitted sends="DELETE /inferences/{id}">
            <Link to="/contents" search={{ erase: 'call', id }} className={buttonClass()}>
              Erase…
            </Link>
          </Permitted>
        </>
      }
    >
      <Loaded query={call} rows={12}>
        {(record) => <CallDetails call={record} wide />}
      </Loaded>
    </Page>
  );
}
