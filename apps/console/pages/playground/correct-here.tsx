import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { callQuery } from '../../api/queries.js';
import { Button } from '../../components/button.js';
import { useJudge } from '../../components/judge.js';
import { Loaded, Problem } from '../../components/states.js';
import { useStored } from '../../components/use-stored.js';
import { Verdict } from '../../components/verdict.js';
import type { Answered } from './use-answer.js';

/** The recorded call that is corrected, and the question that it answered. */
interface Opened {
  readonly question: string;
  readonly id: string;
}

interface Props {
  readonly answered: Answered;
  /** The threshold of the shown answer. */
  readonly threshold: number | null;
}

/** Records a verdict on an answer. An unrecorded answer is requested once more, and recorded. */
export function CorrectHere({ answered: { request, answer }, threshold }: Props): ReactElement {
  const question = JSON.stringify(request);
  const [opened, setOpened] = useStored<Opened | null>('playground correction', null);
  // A reload continues with the same call, which has the draft.
  const id = opened?.question === question ? opened.id : null;
  const open = useMutation({
    mutationFn: async () =>
      answer.inference_id ?? (await recordedCall({ ...request, ...(threshold !== null && { threshold }) })),
    onSuccess: (recorded) => setOpened({ question, id: recorded }),
  });
  const [judged, setJudged] = useState<string | null>(null);
  const call = useQuery({ ...callQuery(id ?? ''), enabled: id !== null });
  if (judged !== null)
    return (
      <p role="status">
        Saved. <CallLink id={judged} />
      </p>
    );
  if (id !== null)
    return (
      <Loaded query={call}>
        {(found) => (
          <Judge
            call={found}
            onJudged={() => {
              setJudged(id);
              setOpened(null);
            }}
          />
        )}
      </Loaded>
    );
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

interface JudgeProps {
  readonly call: Schema['InferenceRecord'];
  readonly onJudged: () => void;
}

function Judge({ call, onJudged }: JudgeProps): ReactElement {
  const give = useJudge(call.id, { onJudged });
  const [correcting, setCorrecting] = useState(true);
  return (
    <div className="grid gap-3">
      <Problem error={give.error} />
      <Verdict
        call={call}
        busy={give.isPending}
        correcting={correcting}
        onCorrecting={setCorrecting}
        onJudge={give.mutate}
      >
        <span className="self-center text-sm">
          <CallLink id={call.id} />
        </span>
      </Verdict>
    </div>
  );
}

const CallLink = ({ id }: { readonly id: string }): ReactElement => (
  <a href={`/console/history/${id}`}>Open the call</a>
);
