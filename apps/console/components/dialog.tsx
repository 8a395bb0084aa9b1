import X from 'lucide-react/icons/x';
import { useEffect, useRef, type ReactElement, type ReactNode } from 'react';
import { Button } from './button.js';

interface Props {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog, the browser's own: it keeps the focus inside, and Escape closes it. */
export function Dialog({ title, open, onClose, children }: Props): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      className="dialog"
    >
      {open && (
        <>
          <div className="grid gap-4">
            <h2>{title}</h2>
            {children}
          </div>
          {/* Behind the fields, of which the first has the focus when it opens. */}
          <Button kind="quiet" className="icon close" aria-label="Close the dialog" onClick={onClose}>
            <X className="i" />
          </Button>
        </>
      )}
    </dialog>
  );
}
