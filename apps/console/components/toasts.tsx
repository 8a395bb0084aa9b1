import Check from 'lucide-react/icons/check';
import X from 'lucide-react/icons/x';
import type { ReactElement } from 'react';
import { Button } from './button.js';
import { dismiss, useToasts } from './toast.js';

/** What was just done, read out as it comes. */
export const Toasts = (): ReactElement => (
  <div className="toasts" role="status" aria-label="What was done">
    {useToasts().map(({ id, text }) => (
      <div key={id} className="toast">
        <Check className="i text-good" />
        <span className="min-w-0">{text}</span>
        <Button kind="quiet" className="icon" aria-label="Dismiss" onClick={() => dismiss(id)}>
          <X className="i" />
        </Button>
      </div>
    ))}
  </div>
);
