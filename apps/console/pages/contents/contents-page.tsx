import type { ReactElement } from 'react';
import { Page } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Erase } from './erase.js';
import { Holds } from './holds.js';
import { Kept } from './kept.js';
import { Reads } from './reads.js';

/** Contents of calls and datasets: their readers, their retention, and legal holds. */
export const ContentsPage = (): ReactElement => (
  <Page title="Contents" intro="What calls, datasets and files say: how long it is kept, and who has read it.">
    <Kept />
    <Holds />
    <Erase />
    <Permitted sends="GET /audit/reads">
      <Reads />
    </Permitted>
  </Page>
);
