import type { UseQueryResult } from '@tanstack/react-query';
import CircleAlert from 'lucide-react/icons/circle-alert';
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
    <div role="alert" className="callout bad">
      <CircleAlert className="i" />
      <span className="said">{said}</span>
      {retry && <Button onClick={retry}>Try again</Button>}
      <Button kind="quiet" className="ms-auto" aria-label="Dismiss this message" onClick={() => setDismissed(error)}>
        ×
      </Button>
    </div>
  );
}

/** Shown for an empty list; says what to do, and lets do it. */
export const Empty = ({
  children,
  action,
}: {
  readonly children: ReactNode;
  /** The first step, as a button or a link. */
  readonly action?: ReactNode;
}): ReactElement => (
  <div className="empty">
    <p>{children}</p>
    {action}
  </div>
);

/**
 * Reserves the place of coming content, so that nothing jumps.
 * @param rows lines of text that it will take
 */
export const Loading = ({ rows = 3 }: { readonly rows?: number }): ReactElement => (
  <div role="status" aria-label="Loading">
    <Bars rows={rows} />
  </div>
);

/** Grey bars in the place of so many lines. */
export const Bars = ({ rows }: { readonly rows: number }): ReactElement => (
  <div className="grid gap-2">
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} className="skeleton" />
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
