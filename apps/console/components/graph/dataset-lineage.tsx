import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Schema } from '../../api/client.js';
import { versionLineage } from '../../api/queries.js';
import { Loaded } from '../states.js';
import { Time } from '../values.js';
import { LineageGraph } from './graph.js';

interface Props {
  readonly name: string;
  readonly version: string;
}

/** Lineage of a dataset version: its origins, and the models that learned from it. */
export function DatasetLineage({ name, version }: Props): ReactElement {
  const lineage = useQuery({
    queryKey: ['datasets', name, version, 'lineage'],
    queryFn: () => versionLineage({ name, version }),
  });
  return (
    <Loaded query={lineage} rows={4}>
      {({ graph, dataset: { described } }) => (
        <>
          <LineageGraph graph={graph} />
          {described && <Described said={described} />}
        </>
      )}
    </Loaded>
  );
}

const SAID = { purpose: 'Purpose', source: 'Source', license: 'License', consent: 'Consent' } as const;

/** What people said of the version, and the event that has it. */
function Described({
  said,
}: {
  readonly said: NonNullable<Schema['DatasetVersionLineage']['described']>;
}): ReactElement {
  return (
    <>
      <dl className="mt-4 grid gap-2 text-sm">
        {(Object.keys(SAID) as (keyof typeof SAID)[])
          .filter((field) => said[field] !== null)
          .map((field) => (
            <div key={field}>
              <dt className="text-muted">{SAID[field]}</dt>
              <dd>{said[field]}</dd>
            </div>
          ))}
      </dl>
      <p className="mt-2 text-sm text-muted">
        Said in{' '}
        <Link to="/log" search={{ stream: said.event.stream, as_of: said.event.position }}>
          {said.event.type}
        </Link>
        , <Time at={said.event.time} />
      </p>
    </>
  );
}
