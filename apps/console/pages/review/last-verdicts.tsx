import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { useStored } from '../../components/use-stored.js';
import { number } from '../../components/values.js';
import type { VerdictName } from '../../components/verdict-buttons.js';

/** A verdict that was given in this tab. */
export interface Given {
  readonly id: string;
  readonly verdict: VerdictName;
  /** The beginning of the call's text. */
  readonly text: string;
  /** Empty for the signed-in user. */
  readonly reviewer: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The reviewer's verdict that this one superseded; null for none. */
  readonly superseded: Schema['ReviewersVerdict'] | null;
}

/** More are found in History. */
const KEPT = 20;

/** The newest verdicts of this tab, the newest first, over reloads. */
export function useLastVerdicts(): {
  readonly given: readonly Given[];
  readonly add: (verdict: Given) => void;
  readonly drop: (verdict: Given) => void;
} {
  const [given, setGiven] = useStored<readonly Given[]>('review verdicts', []);
  const others = ({ id, reviewer }: Given): readonly Given[] =>
    given.filter((each) => each.id !== id || each.reviewer !== reviewer);
  return {
    given,
    add: (verdict) => setGiven([verdict, ...others(verdict)].slice(0, KEPT)),
    drop: (verdict) => setGiven(others(verdict)),
  };
}

/** Removes a verdict, or gives the one again that it superseded. */
export const useTakeBack = (onTaken: (verdict: Given) => void) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, reviewer, superseded }: Given) =>
      body(
        api.POST('/inferences/{id}/feedback', {
          params: { path: { id } },
          body: {
            ...(superseded ? judgementOf(superseded) : { verdict: null }),
            ...(reviewer && { reviewer }),
          },
        }),
      ),
    onSuccess: (_, verdict) => {
      onTaken(verdict);
      for (const queryKey of [['call', verdict.id], ['calls'], ['review', 'agreement']])
        void queries.invalidateQueries({ queryKey });
    },
  });
};

const judgementOf = ({
  verdict,
  corrected_output,
  notes,
  new_labels,
}: Schema['ReviewersVerdict']): Schema['FeedbackBody'] => ({
  verdict,
  ...(corrected_output !== null && { corrected_output }),
  ...(notes !== null && { notes }),
  ...(new_labels && { new_labels: [...new_labels] }),
});

interface Props {
  readonly given: readonly Given[];
  readonly takeBack: ReturnType<typeof useTakeBack>;
}

/** How long the newest verdict is offered beside the next answer. */
const OFFERED_MS = 10_000;

/** The newest verdict for ten seconds, and all of the last ones in a list: each can be taken back. */
export function LastVerdicts({ given, takeBack }: Props): ReactElement | null {
  const [newest] = given;
  const isFresh = useIsFresh(newest?.at ?? 0);
  if (!newest) return null;
  const button = (verdict: Given, name: string): ReactElement => (
    <Button disabled={takeBack.isPending} aria-label={name} onClick={() => takeBack.mutate(verdict)}>
      Take back
    </Button>
  );
  return (
    <div className="grid gap-2">
      <Problem error={takeBack.error} />
      <p role="status" className="flex min-h-9 flex-wrap items-center gap-3 text-sm">
        {isFresh && (
          <>
            <Status status={newest.verdict} />
            <span className="min-w-0 text-muted">{newest.text}</span>
            {button(newest, 'Take the last verdict back')}
          </>
        )}
      </p>
      <details>
        <summary>Your last {number(given.length)} verdicts in this tab</summary>
        <ul aria-label="Last verdicts" className="mt-2 grid gap-2 text-sm">
          {given.map((verdict) => (
            <li key={`${verdict.id} ${verdict.reviewer}`} className="flex flex-wrap items-center gap-3">
              <Status status={verdict.verdict} />
              <a className="min-w-0" href={`/console/history/${verdict.id}`}>
                {verdict.text || 'the call'}
              </a>
              {verdict.reviewer && <span className="text-muted">by {verdict.reviewer}</span>}
              {button(verdict, `Take back: ${verdict.text}`)}
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}

function useIsFresh(at: number): boolean {
  const [, setEnded] = useState(0);
  const left = at + OFFERED_MS - Date.now();
  useEffect(() => {
    if (at + OFFERED_MS <= Date.now()) return;
    const timer = setTimeout(() => setEnded(at), at + OFFERED_MS - Date.now());
    return () => clearTimeout(timer);
  }, [at]);
  return left > 0;
}
