import type { ReactElement } from 'react';
import { Answer } from '../../components/answer.js';
import { isRecord, json } from '../../components/json.js';
import { textOfInput } from '../../components/input.js';
import type { Call } from './use-calls.js';

/** The input and output of a call: drawn if they are a text and an encoder's answer to it, and as JSON. */
export function Drawn({ call: { input, output } }: { readonly call: Pick<Call, 'input' | 'output'> }): ReactElement {
  const batch = isRecord(input) && Array.isArray(input['text']);
  return (
    <div className="grid gap-3">
      {!batch && <Answer text={textOfInput(input)} output={output} />}
      <details open={batch}>
        <summary>As JSON</summary>
        <pre tabIndex={0} aria-label="Input and output as JSON" className="max-h-80 overflow-auto font-mono text-sm">
          {json({ input, output })}
        </pre>
      </details>
    </div>
  );
}
