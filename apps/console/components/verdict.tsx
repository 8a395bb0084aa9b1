import { useState, type FormEvent, type ReactElement, type ReactNode } from 'react';
import { Button } from './button.js';
import { TextArea } from './field.js';
import { textOf } from './form.js';
import { json, type Json } from './json.js';
import type { Judged } from './judge.js';
import { Problem } from './states.js';

interface Props {
  /** What a correction begins with. */
  readonly answer: unknown;
  readonly busy: boolean;
  readonly onJudge: (judged: Judged) => void;
  /** Whether the right answer is being written, for pages that begin that by a key. */
  readonly correcting?: boolean;
  readonly onCorrecting?: (correcting: boolean) => void;
  /** More buttons. */
  readonly children?: ReactNode;
}

/** Buttons that say whether an answer was right, and a field for what it should have been. */
export function Verdict({ answer, busy, onJudge, children, ...open }: Props): ReactElement {
  const own = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const correcting = open.correcting ?? own[0];
  const setCorrecting = open.onCorrecting ?? own[1];
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    try {
      const corrected = JSON.parse(textOf(new FormData(event.currentTarget), 'corrected')) as Json;
      setError(null);
      onJudge({ verdict: 'incorrect', corrected });
    } catch (cause) {
      setError(new Error(`The right answer must be JSON (${(cause as Error).message})`));
    }
  };
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <Button kind="main" disabled={busy} onClick={() => onJudge({ verdict: 'correct' })}>
          Correct
        </Button>
        <Button disabled={busy} aria-expanded={correcting} onClick={() => setCorrecting(!correcting)}>
          Incorrect
        </Button>
        {children}
      </div>
      {correcting && (
        <form onSubmit={submit} className="grid gap-3">
          <TextArea
            label="The right answer, as JSON"
            name="corrected"
            rows={10}
            autoFocus
            spellCheck={false}
            className="font-mono text-sm"
            defaultValue={json(answer)}
          />
          <Problem error={error} />
          <div className="flex flex-wrap gap-2">
            <Button kind="main" type="submit" disabled={busy}>
              Save the right answer
            </Button>
            <Button disabled={busy} onClick={() => onJudge({ verdict: 'incorrect' })}>
              Only say that it was incorrect
            </Button>
          </div>
        </form>
      )}
    </div>
  );
}
