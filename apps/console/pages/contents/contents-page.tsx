import type { ReactElement } from 'react';
import { Page } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Holds } from './holds.js';
import { Reads } from './reads.js';
import { Retention } from './retention.js';

/** Contents of calls and datasets: their readers, their retention, and legal holds. */
export const ContentsPage = (): ReactElement => (
  <Page title="Contents" intro="What calls, datasets and files say: how long it is kept, and who has read it.">
    <Retention />
    <Holds />
    <Permitted sends="GET /audit/reads">
      <Reads />
    </Permitted>
  </Page>
);
