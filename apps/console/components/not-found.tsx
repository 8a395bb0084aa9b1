import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Empty } from './states.js';
import { Page } from './page.js';

export const NotFound = (): ReactElement => (
  <Page title="There is no such page">
    <Empty>
      The address leads nowhere. <Link to="/">Go to Home</Link>
    </Empty>
  </Page>
);
