import type { ReactElement } from 'react';
import { Page } from '../../components/page.js';
import { Make } from './make.js';
import { Upload } from './upload.js';

/** The ways to a dataset, or to the next version of one: a file, and those without one. */
export const NewDatasetPage = (): ReactElement => (
  <Page title="New dataset" of={['Datasets', '/datasets']} shape="columns">
    <div className="columns">
      <Upload />
      <Make />
    </div>
  </Page>
);
