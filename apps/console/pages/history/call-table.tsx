import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactElement, type ReactNode } from 'react';
import { Status } from '../../components/status.js';
import { dollars, duration, Time } from '../../components/values.js';
import { textOfInput } from '../../components/input.js';
import type { Call } from './use-calls.js';

const ROW = 40;
const GRID = 'grid min-w-3xl grid-cols-[11rem_minmax(0,1fr)_9rem_6rem_6rem_6rem_7rem] items-center gap-2 px-2';
const HEADS = ['Time', 'Text', 'Model', 'Status', 'Verdict', 'Latency', 'Cost (USD)'];

interface Props {
  readonly calls: readonly Call[];
  readonly total: number;
  /** Called when the last of the calls comes near. */
  readonly onEnd: () => void;
}

/** Calls, of which only those in sight are in the document. */
export function CallTable({ calls, total, onEnd }: Props): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: calls.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= calls.length - 20) onEnd();
  });
  return (
    <div ref={scroller} tabIndex={0} role="region" aria-label="Calls" className="h-[65dvh] overflow-auto text-sm">
      <div role="table" aria-label="Recorded calls" aria-rowcount={total + 1}>
        <div role="rowgroup" className="sticky top-0 z-1 bg-panel">
          <div role="row" aria-rowindex={1} className={`${GRID} border-b border-line py-1.5 text-muted`}>
            {HEADS.map((head) => (
              <span key={head} role="columnheader">
                {head}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start }) => (
            <div
              key={calls[index]!.id}
              role="row"
              aria-rowindex={index + 2}
              className={`${GRID} absolute inset-x-0 border-b border-line hover:bg-raised`}
              style={{ height: ROW, transform: `translateY(${start}px)` }}
            >
              <Cells call={calls[index]!} />
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

const Cells = ({ call }: { readonly call: Call }): ReactElement => (
  <>
    <Cell>
      <Time at={call.created_at} />
    </Cell>
    <Cell>
      <a href={`/console/history/${call.id}`}>{textOfInput(call.input) || 'no text'}</a>
    </Cell>
    <Cell>{call.model_name}</Cell>
    <Cell>
      <Status status={call.status} />
    </Cell>
    <Cell>{call.human_verdict ?? 'none'}</Cell>
    <Cell>{call.latency_ms === null ? 'unknown' : duration(call.latency_ms)}</Cell>
    <Cell>{dollars(call.cost)}</Cell>
  </>
);

const Cell = ({ children }: { readonly children: ReactNode }): ReactElement => (
  <span role="cell" className="truncate">
    {children}
  </span>
);
