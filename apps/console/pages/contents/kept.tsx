import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { retentionQuery } from '../../api/queries.js';
import { Headline } from '../../components/headline.js';
import { Loaded } from '../../components/states.js';
import { counted } from '../../components/values.js';
import { holdsQuery } from './holds.js';

const KINDS = {
  calls: 'calls',
  feedback: 'corrections and notes',
  job_logs: 'logs of training jobs',
  dataset_versions: 'versions of datasets',
  evaluations: 'predictions of evaluations',
  training_jobs: 'training jobs with their models',
} as const;

/** How long contents are kept, in a sentence. */
export function Kept(): ReactElement {
  const retention = useQuery(retentionQuery);
  const held = useQuery(holdsQuery).data?.holds.length ?? 0;
  return (
    <Loaded query={retention} rows={2}>
      {({ rules }) => {
        const ending = rules.flatMap(({ kind, days_in_force: days }) =>
          days === null ? [] : [`${KINDS[kind]} ${counted(days, 'day')}`],
        );
        return (
          <Headline
            kind="info"
            then={
              <>
                {held > 0 &&
                  `What ${counted(held, 'legal hold')} ${held === 1 ? 'covers' : 'cover'} stays in any case. `}
                An owner sets the days under <Link to="/settings">Settings</Link>.
              </>
            }
          >
            {ending.length === 0 ? (
              <b>Contents are kept until somebody erases them.</b>
            ) : (
              <>
                <b>Kept: {ending.join(', ')}</b>
                {ending.length < rules.length && '; everything else until somebody erases it'}.
              </>
            )}
          </Headline>
        );
      }}
    </Loaded>
  );
}
