import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useMay } from '../../api/permitted.js';
import { Page } from '../../components/page.js';
import { Proposals } from '../../components/proposals.js';
import { Tabs } from '../../components/tabs.js';
import { useFilters } from '../../components/use-filters.js';
import { Erase } from './erase.js';
import { KINDS, type KindName } from './erasures.js';
import { Holds, holdsQuery } from './holds.js';
import { Kept } from './kept.js';
import { Reads, SELECTING } from './reads.js';

/** Contents of calls and datasets: their retention, legal holds, erasure, and their readers. */
export function ContentsPage(): ReactElement {
  const may = useMay();
  const [filters] = useFilters();
  const holds = useQuery(holdsQuery);
  const erasable = (Object.keys(KINDS) as KindName[]).filter((each) => may(KINDS[each].sends));
  const tabs = [
    { name: 'holds', title: 'Legal holds', count: holds.data?.holds.length, content: <Holds /> },
    ...(erasable.length > 0 ? [{ name: 'erase', title: 'Erase', content: <Erase kinds={erasable} /> }] : []),
    ...(may('GET /audit/reads') ? [{ name: 'reads', title: 'Who read what', content: <Reads /> }] : []),
  ];
  const start = filters['erase'] ? 'erase' : Object.keys(SELECTING).some((name) => filters[name]) ? 'reads' : 'holds';
  return (
    <Page
      title="Contents"
      shape="thing"
      intro="What calls, datasets and files say: how long it is kept, and who has read it."
    >
      <Kept />
      {erasable.length > 0 && <Proposals />}
      <Tabs tabs={tabs} start={start} />
    </Page>
  );
}
