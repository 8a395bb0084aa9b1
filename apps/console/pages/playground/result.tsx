import type { ReactElement } from 'react';
import { Answer } from '../../components/answer.js';
import { Input } from '../../components/field.js';
import { json } from '../../components/json.js';
import { duration, number, percent } from '../../components/values.js';
import { ASKED_THRESHOLD } from './request.js';
import type { Answered } from './use-answer.js';

interface Props {
  readonly answered: Answered;
  readonly threshold: number;
  readonly onThreshold: (threshold: number) => void;
}

/** An answer as it is at a threshold, which is changed without another call. */
export function Result({ answered: { text, answer }, threshold, onThreshold }: Props): ReactElement {
  const { latency_ms, token_usage, model_used, inference_id } = answer;
  return (
    <>
      <Input
        label={`Threshold: ${percent(threshold)}`}
        hint="Hides what is less confident, without another call."
        type="range"
        min={ASKED_THRESHOLD}
        max={1}
        step={0.01}
        value={threshold}
        onChange={(event) => onThreshold(Number(event.target.value))}
      />
      {answer.type === 'encoder' ? (
        <Answer text={text} output={answer.result} threshold={threshold} />
      ) : (
        <p className="whitespace-pre-wrap">{answer.completion}</p>
      )}
      {'warnings' in answer && answer.warnings?.map(({ message }) => <p key={message}>{message}</p>)}
      <p className="text-sm text-muted">
        {duration(latency_ms)}, {number(token_usage)} tokens, model {model_used}
        {inference_id && (
          <>
            {' · '}
            <a href={`/console/history/${inference_id}`}>Correct this answer</a>
          </>
        )}
      </p>
      <details>
        <summary>As JSON</summary>
        <pre tabIndex={0} aria-label="The answer as JSON" className="max-h-80 overflow-auto font-mono text-sm">
          {json(answer)}
        </pre>
      </details>
    </>
  );
}
