import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type ReactElement, type ReactNode, type RefObject } from 'react';
import { classesIn } from '../../components/answer.js';
import { Button } from '../../components/button.js';
import { spansIn } from '../../components/editor/output.js';
import { Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import type { Filters } from '../../components/use-filters.js';
import { dollars, duration, number, percent, Time } from '../../components/values.js';
import { textOfInput } from '../../components/input.js';
import { isRecord } from '../../components/json.js';
import { SpanText } from '../../components/spans.js';
import { useCalls, type Call } from './use-calls.js';
import { usePlace } from './use-place.js';

const ROW = 40;
/** Browsers bound the height of what scrolls, some at 17 million pixels: more rows are shown part by part. */
const MAX_ROWS = 500_000;
const GRID =
  'grid min-w-4xl grid-cols-[8.5rem_minmax(16rem,1fr)_11rem_8rem_7rem_5rem_6rem] items-center gap-3 px-5 max-sm:px-4';
const HEADS = ['Time', 'Text', 'Answer', 'Model', 'Verdict', 'Latency', 'Cost (USD)'];

/** Brings the row at a place into sight. */
export type Scroller = (place: number) => void;

interface Props {
  readonly filters: Filters;
  /** Calls when the list was opened. */
  readonly opened: number;
  readonly open: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly scroller: RefObject<Scroller | null>;
}

/** A list of calls: only visible ones are in the document, and only those around them in memory. */
export function CallTable({ filters, opened, open, onOpen, scroller }: Props): ReactElement {
  const [place, note] = usePlace();
  const [part, setPart] = useState(place.part);
  const frame = useRef<HTMLDivElement>(null);
  const begin = part * MAX_ROWS;
  const rows = useVirtualizer({
    count: Math.min(MAX_ROWS, opened - begin),
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: 12,
    initialOffset: place.offset,
  });
  useEffect(() => note({ part, offset: rows.scrollOffset ?? 0 }));
  const target = useRef<number | null>(null);
  useEffect(() => {
    scroller.current = (place) => {
      target.current = place % MAX_ROWS;
      setPart(Math.floor(place / MAX_ROWS));
      rows.scrollToIndex(target.current, { align: 'start' });
    };
  }, [rows, scroller]);
  const drawn = useRef(part);
  useEffect(() => {
    if (drawn.current === part) return;
    drawn.current = part;
    rows.scrollToIndex(target.current ?? 0, { align: 'start' });
  }, [rows, part]);
  const shown = rows.getVirtualItems();
  const calls = useCalls(filters, {
    opened,
    first: begin + (shown[0]?.index ?? 0),
    last: begin + (shown.at(-1)?.index ?? 0),
  });
  const parts = Math.ceil(opened / MAX_ROWS);
  return (
    <>
      <Problem error={calls.error} retry={calls.retry} />
      {parts > 1 && (
        <div className="flex flex-wrap items-center gap-3 text-sm">
          Rows {number(begin + 1)} to {number(Math.min(opened, begin + MAX_ROWS))}
          <Button disabled={part === 0} onClick={() => setPart(part - 1)}>
            Newer part
          </Button>
          <Button disabled={part === parts - 1} onClick={() => setPart(part + 1)}>
            Older part
          </Button>
        </div>
      )}
      <div ref={frame} tabIndex={0} role="region" aria-label="Calls" className="calls h-[60dvh] overflow-auto">
        <div role="table" aria-label="Recorded calls" aria-rowcount={opened + 1}>
          <div role="rowgroup" className="sticky top-0 z-1 bg-surface">
            <div
              role="row"
              aria-rowindex={1}
              className={`${GRID} h-9 border-b border-line text-sm font-medium text-muted`}
            >
              {HEADS.map((head) => (
                <span key={head} role="columnheader">
                  {head}
                </span>
              ))}
            </div>
          </div>
          <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
            {shown.map(({ index, start }) => {
              const call = calls.callAt(begin + index);
              return (
                <div
                  key={index}
                  role="row"
                  aria-rowindex={begin + index + 2}
                  aria-current={call && call.id === open ? 'true' : undefined}
                  className={`${GRID} absolute inset-x-0 border-b border-line hover:bg-hover aria-[current]:bg-accent-soft`}
                  style={{ height: ROW, transform: `translateY(${start}px)` }}
                >
                  {call ? <Cells call={call} onOpen={onOpen} /> : <Cell>{number(begin + index + 1)}…</Cell>}
                </div>
              );
            })}
          </div>
        </div>
      </div>
    </>
  );
}

const Cells = ({ call, onOpen }: { readonly call: Call; readonly onOpen: (id: string) => void }): ReactElement => (
  <>
    <Cell>
      <Time at={call.created_at} />
    </Cell>
    <Cell>
      <a
        className="block text-text no-underline hover:underline"
        href={`/console/history/${call.id}`}
        onClick={(event) => {
          // In another tab, it is a separate page.
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          onOpen(call.id);
        }}
      >
        <TextOf call={call} />
      </a>
    </Cell>
    <Cell>{call.status === 'success' ? <First of={call} /> : <Status status={call.status} />}</Cell>
    <Cell>{call.model_name}</Cell>
    <Cell>
      {call.human_verdict ? <Status status={call.human_verdict} /> : <span className="text-muted">none</span>}
    </Cell>
    <Cell>{call.latency_ms === null ? 'unknown' : duration(call.latency_ms)}</Cell>
    <Cell>{dollars(call.cost)}</Cell>
  </>
);

/** The text, with the entities of the answer drawn in it. */
function TextOf({ call: { input, output } }: { readonly call: Call }): ReactElement {
  const text = textOfInput(input);
  return text === '' ? (
    <>no text</>
  ) : (
    <SpanText text={text} spans={spansIn(text, isRecord(output) ? output['entities'] : undefined)} isLine />
  );
}

/** The class that was answered, with its confidence. */
function First({ of: { output } }: { readonly of: Call }): ReactElement {
  const [first] = classesIn(output);
  return first ? (
    <>
      {first.label} {first.confidence !== undefined && <span className="text-muted">{percent(first.confidence)}</span>}
    </>
  ) : (
    <span className="text-muted">–</span>
  );
}

const Cell = ({ children }: { readonly children: ReactNode }): ReactElement => (
  <span role="cell" className="truncate">
    {children}
  </span>
);
