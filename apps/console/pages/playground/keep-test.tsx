import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { Permitted } from '../../components/permitted.js';
import { Problem } from '../../components/states.js';
import { toast } from '../../components/toast.js';
import { addTest } from '../models/smoke.js';
import type { Answered } from './use-answer.js';

/** Keeps a text with this answer, which is right, as a smoke test of the name that was asked. */
export function KeepTest({
  name,
  answered: { request, answer },
}: {
  readonly name: string;
  readonly answered: Answered;
}): ReactElement {
  const queries = useQueryClient();
  const keep = useMutation({
    mutationFn: () => addTest(name, request.text, answer.type === 'encoder' ? answer.result : null),
    onSuccess: () => {
      toast(`Kept as a smoke test of ${name}.`);
      return queries.invalidateQueries({ queryKey: ['datasets'] });
    },
  });
  return (
    <Permitted sends="POST /felix/datasets/upload/process">
      <div className="grid gap-2">
        <div>
          <Button disabled={keep.isPending} onClick={() => keep.mutate()}>
            {keep.isPending ? 'Keeping…' : 'Right: keep as smoke test'}
          </Button>
        </div>
        <Problem error={keep.error} />
      </div>
    </Permitted>
  );
}
