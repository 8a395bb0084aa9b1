import type { ReactElement } from 'react';
import { Page } from '../../components/page.js';
import { Holds } from './holds.js';
import { Reads } from './reads.js';
import { Retention } from './retention.js';

/** Who read what calls and datasets say, how long it is kept, and what a legal hold keeps longer. */
export const ContentsPage = (): ReactElement => (
  <Page title="Contents" intro="What calls, datasets and files say: how long it is kept, and who has read it.">
    <Retention />
    <Holds />
    <Reads />
  </Page>
);
