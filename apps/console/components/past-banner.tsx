import type { ReactElement } from 'react';
import { pastOf } from '../api/past.js';
import { positionOf, Time } from './values.js';

/** Banner of pages that show a system of the past. */
export function PastBanner(): ReactElement | null {
  const past = pastOf();
  return (
    past && (
      <aside
        aria-label="As of then"
        className="border-b border-warn bg-surface px-3 py-1.5 text-center text-sm text-warn"
      >
        As of <Time at={past.time} seconds /> (position {positionOf(past.position)}): nothing can be changed here. Sign
        in, and work, at the running system.
      </aside>
    )
  );
}
