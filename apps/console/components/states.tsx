import type { UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactElement, type ReactNode } from 'react';
import { isForbidden } from '../api/client.js';
import { Button } from './button.js';
import { Prose } from './prose.js';

interface ProblemProps {
  readonly error: Error | null;
  /** Asks again. */
  readonly retry?: () => void;
}

/** An error in the API's words, read out at once. A query that the role forbids is shown without a retry button. */
export function Problem({ error, retry }: ProblemProps): ReactElement | null {
  const [dismissed, setDismissed] = useState<Error | null>(null);
  // The next error is shown again, also with the same words.
  if (!error || error === dismissed) return null;
  const said = <Prose text={error.message} />;
  if (retry && isForbidden(error)) return <Empty>Your role does not let you see this: {said}</Empty>;
  return (
    <div role="alert" className="flex flex-wrap items-center gap-3 rounded-md border border-bad px-3 py-2 text-bad">
      <span className="min-w-0">{said}</span>
      {retry && <Button onClick={retry}>Try again</Button>}
      <Button kind="quiet" className="ms-auto" aria-label="Dismiss this message" onClick={() => setDismissed(error)}>
        ×
      </Button>
    </div>
  );
}

/** Shown for an empty list; says what to do. */
export const Empty = ({ children }: { readonly children: ReactNode }): ReactElement => (
  <p className="rounded-md border border-dashed border-line px-3 py-6 text-center text-muted">{children}</p>
);

/**
 * Reserves the place of coming content, so that nothing jumps.
 * @param rows lines of text that it will take
 */
export const Loading = ({ rows = 3 }: { readonly rows?: number }): ReactElement => (
  <div role="status" aria-label="Loading" className="grid animate-pulse gap-2">
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} className="h-6 rounded bg-raised" />
    ))}
  </div>
);

interface Props<T> {
  readonly query: UseQueryResult<T>;
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
}

/** A query's result, or that it is loading or failed. After a failure the older result stays below the error. */
export function Loaded<T>({ query, rows, children }: Props<T>): ReactElement {
  const retry = (): void => void query.refetch();
  return (
    <>
      <Problem error={query.error} retry={retry} />
      {query.data !== undefined ? children(query.data) : query.isPending && <Loading {...(rows && { rows })} />}
    </>
  );
}
