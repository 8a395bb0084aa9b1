import type { ReactElement } from 'react';
import { Page } from '../../components/page.js';

export const HomePage = (): ReactElement => <Page title="Home">…</Page>;
