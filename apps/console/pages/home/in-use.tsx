import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { modelNames } from '../../api/queries.js';
import { ModelNames } from '../../components/model-names.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';

/** The names that programs call, with their versions. */
export function InUse(): ReactElement {
  const models = useQuery(modelNames);
  return (
    <Panel title="Versions in use">
      <Loaded query={models}>
        {({ models: list }) =>
          list.length === 0 ? (
            <Empty>
              No model has a name yet. Trained models are called by the ids of their jobs;{' '}
              <Link to="/models">give one a name</Link>, and its versions can change without a change of your programs.
            </Empty>
          ) : (
            <ModelNames models={list} also={[{ head: 'Tried beside it', cell: besides }]} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function besides({
  traffic,
  shadow_version,
}: {
  readonly traffic?: { version: number; percent: number } | null;
  readonly shadow_version?: number | null;
}): string {
  const parts = [
    traffic && `version ${traffic.version} for ${traffic.percent}% of callers`,
    shadow_version && `version ${shadow_version} as a shadow`,
  ];
  return parts.filter(Boolean).join(', ') || '–';
}
