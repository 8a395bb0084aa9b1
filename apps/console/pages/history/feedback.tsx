import type { ReactElement } from 'react';
import { Permitted } from '../../components/permitted.js';
import { Verdict } from '../../components/verdict.js';
import { Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Time } from '../../components/values.js';
import { useJudge } from '../../components/judge.js';
import type { Call } from './use-calls.js';

/** A call's feedback, and a form to give more. */
export function Feedback({ call }: { readonly call: Call }): ReactElement {
  const give = useJudge(call.id);
  return (
    <div className="grid gap-3">
      {call.human_verdict ? (
        <p>
          <Status status={call.human_verdict} />, <Time at={call.human_feedback_at} /> {call.human_feedback_notes}
        </p>
      ) : (
        <p className="text-muted">Nobody has judged this call.</p>
      )}
      <Problem error={give.error} />
      <Permitted sends="POST /inferences/{id}/feedback">
        <Verdict
          key={call.human_feedback_at}
          call={call}
          busy={give.isPending}
          onJudge={(judged) => give.mutate(judged)}
        />
      </Permitted>
    </div>
  );
}
