import { useQuery } from '@tanstack/react-query';
import { useRef, useState, type ReactElement } from 'react';
import { partQuery } from '../../api/queries.js';
import { Button } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded, Loading, Problem } from '../../components/states.js';
import type { Filters } from '../../components/use-filters.js';
import { number } from '../../components/values.js';
import { CallTable, type Scroller } from './call-table.js';
import { Jump } from './jump.js';
import { useTotal } from './use-calls.js';

interface Props {
  readonly filters: Filters;
  /** The call that is open beside the list. */
  readonly open: string | undefined;
  readonly onOpen: (id: string) => void;
}

/** The calls that the filters select, and one of them beside. */
export function Calls({ filters, open, onOpen }: Props): ReactElement {
  const total = useTotal(filters);
  const beside = useQuery({ ...partQuery('call beside', () => import('./beside.js')), enabled: Boolean(open) });
  const [given, setOpened] = useState<number | null>(null);
  const opened = given ?? total.data;
  if (given === null && total.data !== undefined) setOpened(total.data);
  const scroller = useRef<Scroller>(null);
  const came = (total.data ?? 0) - (opened ?? 0);
  return (
    <div className={`grid items-start gap-4 ${open ? 'xl:grid-cols-[minmax(0,1fr)_28rem]' : ''}`}>
      <Panel
        title={opened === undefined ? 'Calls' : `${number(opened)} ${opened === 1 ? 'call' : 'calls'}`}
        actions={
          <span role="status">
            {came > 0 && <Button onClick={() => setOpened(total.data!)}>{number(came)} new: show</Button>}
          </span>
        }
      >
        <Problem error={total.error} retry={() => void total.refetch()} />
        {opened === undefined ? (
          total.isPending && <Loading rows={12} />
        ) : opened === 0 ? (
          <Empty>No call is like this. Make one in the playground, or clear the filters.</Empty>
        ) : (
          <div className="grid gap-3">
            <Jump filters={filters} total={opened} came={came} onJump={(place) => scroller.current?.(place)} />
            <CallTable key={opened} filters={filters} opened={opened} open={open} onOpen={onOpen} scroller={scroller} />
          </div>
        )}
      </Panel>
      {open && (
        <Loaded query={beside} rows={8}>
          {({ Beside }) => <Beside key={open} id={open} onClose={() => onOpen('')} />}
        </Loaded>
      )}
    </div>
  );
}
