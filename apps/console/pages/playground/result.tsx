import type { ReactElement } from 'react';
import { Answer } from '../../components/answer.js';
import { json } from '../../components/json.js';
import { duration, number } from '../../components/values.js';
import type { Answered } from './use-answer.js';

interface Props {
  readonly answered: Answered;
  /** null: what the model answered. */
  readonly threshold: number | null;
}

/** An answer at a threshold. */
export function Result({ answered, threshold }: Props): ReactElement {
  const { request, answer } = answered;
  const { latency_ms, token_usage, model_used } = answer;
  return (
    <>
      {answer.type === 'encoder' ? (
        <Answer text={request.text} output={answer.result} threshold={threshold ?? 0} />
      ) : (
        <p className="whitespace-pre-wrap">{answer.completion}</p>
      )}
      {'warnings' in answer && answer.warnings?.map(({ message }) => <p key={message}>{message}</p>)}
      <p className="text-sm text-muted">
        {duration(latency_ms)}, {number(token_usage)} tokens, model {model_used}
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
