import type { ReactElement } from 'react';
import { Page } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Incidents } from './incidents.js';
import { Report } from './report.js';
import { VerifyExport } from './verify-export.js';

/** What an auditor asks for: reports from the log, and incidents. */
export const ReportsPage = (): ReactElement => (
  <Page title="Reports" intro="Reports from the log for auditors, each statement with its events, and incidents.">
    <Permitted sends="GET /audit/report">
      <Report />
    </Permitted>
    <VerifyExport />
    <Incidents />
  </Page>
);
