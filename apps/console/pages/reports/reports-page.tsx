import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useMay } from '../../api/permitted.js';
import { Page } from '../../components/page.js';
import { Tabs } from '../../components/tabs.js';
import { Incidents, incidentsQuery } from './incidents.js';
import { Report } from './report.js';
import { VerifyExport } from './verify-export.js';

/** What an auditor asks for: reports from the log, the verification of an export, and incidents. */
export function ReportsPage(): ReactElement {
  const may = useMay();
  const incidents = useQuery(incidentsQuery).data?.incidents;
  const tabs = [
    ...(may('GET /audit/report') ? [{ name: 'report', title: 'Report', content: <Report /> }] : []),
    { name: 'incidents', title: 'Incidents', count: incidents?.length, content: <Incidents /> },
    { name: 'verify', title: 'Verify', content: <VerifyExport /> },
  ];
  return (
    <Page
      title="Reports"
      shape="thing"
      intro="Reports from the log for auditors, each statement with its events, and incidents."
    >
      <Tabs tabs={tabs} />
    </Page>
  );
}
