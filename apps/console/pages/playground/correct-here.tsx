import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { useJudge } from '../../components/judge.js';
import { Problem } from '../../components/states.js';
import { Verdict } from '../../components/verdict.js';
import type { Answered } from './use-answer.js';

interface Props {
  readonly answered: Answered;
  /** Of the answer as it is shown. */
  readonly threshold: number;
}

/** Says here whether an answer is right. An answer that is not recorded is asked for once more, and recorded. */
export function CorrectHere({ answered: { request, answer }, threshold }: Props): ReactElement {
  const open = useMutation({
    mutationFn: async () => {
      const recorded = answer.inference_id ?? (await recordedCall({ ...request, threshold }));
      return body(api.GET('/inferences/{id}', { params: { path: { id: recorded } } }));
    },
  });
  if (open.data) return <Judge call={open.data} />;
  return (
    <div className="grid gap-2">
      <Problem error={open.error} />
      <div>
        <Button disabled={open.isPending} onClick={() => open.mutate()}>
          Correct this answer
        </Button>
      </div>
      {answer.inference_id === null && (
        <p className="text-sm text-muted">The call is then made once more and recorded, so that it can be corrected.</p>
      )}
    </div>
  );
}

async function recordedCall(request: Answered['request']): Promise<string> {
  const { store: _store, ...rest } = request as Answered['request'] & { store?: boolean };
  return (await body(api.POST('/inference', { body: rest }))).inference_id!;
}

function Judge({ call }: { readonly call: Schema['InferenceRecord'] }): ReactElement {
  const [isJudged, setJudged] = useState(false);
  const give = useJudge(call.id, { onJudged: () => setJudged(true) });
  const link = <a href={`/console/history/${call.id}`}>Open the call</a>;
  if (isJudged) return <p role="status">Saved. {link}</p>;
  return (
    <div className="grid gap-3">
      <Problem error={give.error} />
      <Verdict call={call} busy={give.isPending} onJudge={give.mutate}>
        <span className="self-center text-sm">{link}</span>
      </Verdict>
    </div>
  );
}
