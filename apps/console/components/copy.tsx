import { useState, type ReactElement } from 'react';
import { Button } from './button.js';

/** Text to take along: code, a key, an id. */
export function Copy({ text, label }: { readonly text: string; readonly label: string }): ReactElement {
  const [copied, setCopied] = useState(false);
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <div className="grid gap-2">
      <pre
        aria-label={label}
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-md border border-line bg-back p-3 font-mono text-sm"
      >
        {text}
      </pre>
      <div>
        <Button onClick={copy}>{copied ? 'Copied' : 'Copy'}</Button>
      </div>
    </div>
  );
}
