import type { ReactElement } from 'react';

const COLOURS: Readonly<Record<string, string>> = {
  ready: 'text-good',
  complete: 'text-good',
  deployed: 'text-good',
  ok: 'text-good',
  success: 'text-good',
  correct: 'text-good',
  promoted: 'text-good',
  best: 'text-good',
  'in use': 'text-good',
  candidate: 'text-good',
  failed: 'text-bad',
  errored: 'text-bad',
  error: 'text-bad',
  incorrect: 'text-bad',
  running: 'text-accent',
  training: 'text-accent',
  processing: 'text-accent',
  requested: 'text-warn',
  queued: 'text-warn',
  uploading: 'text-warn',
  refused: 'text-warn',
  degraded: 'text-warn',
};

/** The state of a thing, in the API's words. The colour only repeats the word. */
export const Status = ({ status }: { readonly status: string }): ReactElement => (
  <span className={`inline-flex items-center gap-1.5 whitespace-nowrap text-sm ${COLOURS[status] ?? 'text-muted'}`}>
    <span aria-hidden className="size-2 rounded-full bg-current" />
    {status.replaceAll('_', ' ')}
  </span>
);
