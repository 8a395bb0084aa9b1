import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Panel } from '../../components/page.js';
import { Loaded, Problem } from '../../components/states.js';
import { number, percent } from '../../components/values.js';
import { useCrossValidation, type Evaluation } from './evaluation.js';
import { WrongRows } from './mistakes.js';

/** All rows of a job, each answered by a model that did not see it: how good such a training is, and which labels look wrong. */
export function CrossValidation({ jobId }: { readonly jobId: string }): ReactElement {
  const queries = useQueryClient();
  const newest = useCrossValidation(jobId);
  const start = useMutation({
    mutationFn: () => body(api.POST('/felix/evaluations', { body: { cross_validation_of: jobId } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['evaluations', 'of job', jobId] }),
  });
  return (
    <>
      <Panel title="Every row, by a model that did not see it">
        <Loaded query={newest}>
          {(found) => (
            <div className="grid justify-items-start gap-3">
              <p>{found ? said(found) : 'Trains again without each part of the rows, and has that part answered.'}</p>
              {(!found || found.status === 'failed') && (
                <Button sends="POST /felix/evaluations" disabled={start.isPending} onClick={() => start.mutate()}>
                  Cross-validate
                </Button>
              )}
              <Problem error={start.error} />
            </div>
          )}
        </Loaded>
      </Panel>
      {newest.data?.status === 'complete' && (
        <WrongRows title="Rows with a wrong answer, or a wrong label" evaluation={newest.data} />
      )}
    </>
  );
}

function said({ status, folds, f1, sample_count, error_message }: Evaluation): string {
  if (status === 'failed') return `The cross-validation failed: ${error_message}`;
  if (status !== 'complete') return `It is being cross-validated in ${folds} parts.`;
  return `F1 ${f1 === null ? '–' : percent(f1)} on all ${number(sample_count ?? 0)} rows, in ${folds} parts.`;
}
