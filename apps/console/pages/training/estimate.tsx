import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { bytes, duration, number } from '../../components/values.js';

/** How long a job would train, and what that is based on; or why it would be refused. */
export function Estimate({ request }: { readonly request: Schema['CreateTrainingJobBody'] }): ReactElement {
  const estimate = useQuery({
    queryKey: ['estimate', request],
    queryFn: () => body(api.POST('/felix/training-jobs/estimate', { body: request })),
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <p role="status" className={`min-h-6 text-sm ${estimate.error ? 'text-warn' : 'text-muted'}`}>
      {estimate.error
        ? `It would be refused: ${estimate.error.message}`
        : estimate.data && `${textOf(estimate.data)}${memoryOf(estimate.data)}`}
    </p>
  );
}

function textOf({ seconds, seconds_low, seconds_high, jobs, rows, epochs }: Schema['TrainingEstimate']): string {
  if (seconds === null || epochs === null)
    return 'How long it takes is not known: nothing was trained in this way yet. Training has no price.';
  const range =
    seconds_low === null || seconds_high === null || seconds_low === seconds_high
      ? ''
      : `, between ${duration(seconds_low * 1_000)} and ${duration(seconds_high * 1_000)}`;
  const past = jobs === 1 ? 'one past job' : `${number(jobs)} past jobs`;
  return `About ${duration(seconds * 1_000)}${range}, for ${number(rows)} rows and ${number(epochs)} epochs, as ${past} on this base model took. Training has no price.`;
}

const memoryOf = ({ word_vector_bytes: held }: Schema['TrainingEstimate']): string =>
  held === null ? '' : ` It holds up to ${bytes(held)} of vectors of words.`;
