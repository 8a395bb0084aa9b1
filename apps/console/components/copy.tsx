import { useState, type ReactElement } from 'react';
import { Button } from './button.js';

/** Text to take along: code, a key, an id. */
export function Copy({ text, label }: { readonly text: string; readonly label: string }): ReactElement {
  const [copied, setCopied] = useState(false);
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <div className="grid gap-2">
      <pre aria-label={label} tabIndex={0} className="code max-h-80">
        {text}
      </pre>
      <div>
        <Button onClick={copy}>{copied ? 'Copied' : 'Copy'}</Button>
      </div>
    </div>
  );
}
