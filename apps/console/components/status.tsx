import Check from 'lucide-react/icons/check';
import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleX from 'lucide-react/icons/circle-x';
import LoaderCircle from 'lucide-react/icons/loader-circle';
import Sparkles from 'lucide-react/icons/sparkles';
import type { ReactElement } from 'react';

const KINDS = {
  good: Check,
  bad: CircleX,
  warn: CircleAlert,
  acc: Sparkles,
  runs: LoaderCircle,
} as const;

const MEANINGS: Readonly<Record<string, keyof typeof KINDS>> = {
  ready: 'good',
  complete: 'good',
  deployed: 'good',
  completed: 'good',
  closed: 'good',
  delivered: 'good',
  ok: 'good',
  live: 'good',
  success: 'good',
  passed: 'good',
  correct: 'good',
  promoted: 'good',
  best: 'good',
  'in use': 'good',
  candidate: 'acc',
  failed: 'bad',
  errored: 'bad',
  error: 'bad',
  incorrect: 'bad',
  expired: 'bad',
  running: 'runs',
  pending: 'runs',
  in_progress: 'runs',
  cancelling: 'runs',
  training: 'runs',
  processing: 'runs',
  requested: 'runs',
  queued: 'runs',
  uploading: 'runs',
  open: 'warn',
  failing: 'warn',
  disabled: 'warn',
  refused: 'warn',
  rejected: 'warn',
  degraded: 'warn',
  unused: 'warn',
  'never used': 'warn',
};

/** The state of a thing, in the API's words. Colour and icon only repeat the word. */
export function Status({ status }: { readonly status: string }): ReactElement {
  const kind = MEANINGS[status];
  const Icon = kind && KINDS[kind];
  return (
    <span className={`badge ${kind === 'runs' ? 'acc' : (kind ?? '')}`}>
      {Icon && <Icon className="i" />}
      {status.replaceAll('_', ' ')}
    </span>
  );
}
