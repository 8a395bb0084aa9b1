import { useEffect, useRef, type ReactElement, type ReactNode } from 'react';

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
      className="m-auto w-full max-w-xl rounded-lg border border-line bg-panel p-0 text-text shadow-xl"
    >
      {open && (
        <div className="grid gap-4 p-4">
          <h2 className="text-base font-semibold">{title}</h2>
          {children}
        </div>
      )}
    </dialog>
  );
}
