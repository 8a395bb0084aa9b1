import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactElement } from 'react';
import { fetchAnswer } from '../api/client.js';
import { useIsLost } from '../api/connection.js';

const TRIED_EVERY_MS = 2_000;

/** Says on every page at once that the system does not answer, tries again by itself, and then loads what failed meanwhile. */
export function LostBanner(): ReactElement | null {
  const isLost = useIsLost();
  const queries = useQueryClient();
  useEffect(() => {
    if (!isLost) return;
    const timer = setInterval(() => {
      void fetchAnswer('/health').then(
        () => queries.invalidateQueries(),
        () => undefined,
      );
    }, TRIED_EVERY_MS);
    return () => clearInterval(timer);
  }, [isLost, queries]);
  return isLost ? (
    <p role="status" className="border-b border-bad bg-surface px-4 py-2 text-sm text-bad">
      Anneal does not answer: it is stopped, or the network is down. The page goes on by itself once it does.
    </p>
  ) : null;
}
