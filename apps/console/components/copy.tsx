import { useRef, useState, type ReactElement } from 'react';
import { Button } from './button.js';

interface Props {
  readonly text: string;
  readonly label: string;
  /** The button's label. */
  readonly act?: string;
}

/** Text to take along: code, a key, an id. */
export function Copy({ text, label, act = 'Copy' }: Props): ReactElement {
  const [copied, setCopied] = useState<boolean | null>(null);
  const shown = useRef<HTMLPreElement>(null);
  const copy = async (): Promise<void> => setCopied(await toClipboard(text, shown.current!));
  return (
    <div className="grid gap-2">
      <pre ref={shown} aria-label={label} tabIndex={0} className="code max-h-80">
        {text}
      </pre>
      <div>
        <Button onClick={() => void copy()}>{copied ? 'Copied' : act}</Button>
        {copied === false && (
          <span role="status" className="ms-2 text-sm">
            The browser did not copy it; it is selected: copy it with its own keys.
          </span>
        )}
      </div>
    </div>
  );
}

/**
 * Copies a text. Browsers have a clipboard on HTTPS and localhost only; elsewhere the text is selected and copied as by hand.
 * @returns whether it is copied
 */
async function toClipboard(text: string, shown: HTMLElement): Promise<boolean> {
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Not permitted: by hand.
    }
  }
  getSelection()?.selectAllChildren(shown);

  return document.execCommand('copy');
}
