import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type ReactElement, type RefObject } from 'react';
import { Button } from '../../components/button.js';
import { Problem } from '../../components/states.js';
import { useMedia } from '../../components/use-media.js';
import type { Filters } from '../../components/use-filters.js';
import { number } from '../../components/values.js';
import { CallRow } from './call-row.js';
import { useCalls } from './use-calls.js';
import { usePlace } from './use-place.js';

/** Pixels of a row; on narrow screens, where `.call-line` of table.css has three lines. */
const ROW = 40;
const NARROW_ROW = 88;
const NARROW = '(max-width: 1279px)';
/** Browsers bound the height of what scrolls, some at 17 million pixels: more rows are shown part by part. */
const MAX_HEIGHT = 16_000_000;
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
export function CallTable({ filters, opened: total, open, onOpen, scroller }: Props): ReactElement {
  const [place, note] = usePlace();
  const [part, setPart] = useState(place.part);
  const frame = useRef<HTMLDivElement>(null);
  const height = useMedia(NARROW) ? NARROW_ROW : ROW;
  const maxRows = Math.floor(MAX_HEIGHT / height);
  const begin = part * maxRows;
  const rows = useVirtualizer({
    count: Math.min(maxRows, total - begin),
    getScrollElement: () => frame.current,
    estimateSize: () => height,
    overscan: 12,
    initialOffset: place.offset,
  });
  useEffect(() => rows.measure(), [rows, height]);
  useEffect(() => note({ part, offset: rows.scrollOffset ?? 0 }));
  const target = useRef<number | null>(null);
  useEffect(() => {
    scroller.current = (place) => {
      target.current = place % maxRows;
      setPart(Math.floor(place / maxRows));
      rows.scrollToIndex(target.current, { align: 'start' });
    };
  }, [rows, scroller, maxRows]);
  const drawn = useRef(part);
  useEffect(() => {
    if (drawn.current === part) return;
    drawn.current = part;
    rows.scrollToIndex(target.current ?? 0, { align: 'start' });
  }, [rows, part]);
  // The same function at each drawing: a row that stays in sight is not drawn again.
  const openNow = useRef(onOpen);
  useEffect(() => void (openNow.current = onOpen));
  const [openCall] = useState(
    () =>
      (id: string): void =>
        openNow.current(id),
  );
  const shown = rows.getVirtualItems();
  const calls = useCalls(filters, {
    opened: total,
    first: begin + (shown[0]?.index ?? 0),
    last: begin + (shown.at(-1)?.index ?? 0),
  });
  const parts = Math.ceil(total / maxRows);
  return (
    <>
      <Problem error={calls.error} retry={calls.retry} />
      {parts > 1 && (
        <div className="flex flex-wrap items-center gap-3 text-sm">
          Rows {number(begin + 1)} to {number(Math.min(total, begin + maxRows))}
          <Button disabled={part === 0} onClick={() => setPart(part - 1)}>
            Newer part
          </Button>
          <Button disabled={part === parts - 1} onClick={() => setPart(part + 1)}>
            Older part
          </Button>
        </div>
      )}
      <div ref={frame} tabIndex={0} role="region" aria-label="Calls" className={`calls ${open ? 'brief' : ''}`}>
        <div role="table" aria-label="Recorded calls" aria-rowcount={total + 1}>
          <div role="rowgroup" className="heads">
            <div role="row" aria-rowindex={1} className="call-line">
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
              const isOpen = call !== undefined && call.id === open;
              return (
                <CallRow key={index} {...{ call, isOpen, start, height, onOpen: openCall }} place={begin + index} />
              );
            })}
          </div>
        </div>
      </div>
    </>
  );
}
