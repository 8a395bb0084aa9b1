import { useQuery } from '@tanstack/react-query';
import ArrowUp from 'lucide-react/icons/arrow-up';
import { useState, type ReactElement, type ReactNode } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button, buttonClass } from '../../components/button.js';
import { Headline } from '../../components/headline.js';
import { Permitted } from '../../components/permitted.js';
import { Status } from '../../components/status.js';
import { counted, Figure, percent, Time } from '../../components/values.js';
import { Change } from './change.js';

type Model = Schema['NamedModelRecord'];
type Version = Schema['ModelVersionRecord'];

/** The newest version, where it is newer than the one in use: it waits for a decision. */
export function waitingOf({ versions = [], version: inUse }: Model): Version | undefined {
  const newest = versions.toSorted((a, b) => b.version - a.version)[0];
  return newest && newest.version > (inUse ?? 0) ? newest : undefined;
}

/** The version in use beside the one that waits, with the button that puts it in use. */
export function Standing({ model }: { readonly model: Model }): ReactElement {
  const [asking, setAsking] = useState(false);
  const inUse = model.versions?.find(({ version }) => version === model.version);
  const waiting = waitingOf(model);
  if (!inUse && !waiting)
    return (
      <Headline kind="info" then="Add a trained model below: programs then call it by this name.">
        <b>{model.name}</b> has no version yet.
      </Headline>
    );
  return (
    <div className="beside">
      {inUse && (
        <Side title={`In use: version ${inUse.version}`} version={inUse} state={<Status status={shareOf(model)} />}>
          <a className={buttonClass()} href={`/console/history?model_id=${encodeURIComponent(model.name)}`}>
            See calls
          </a>
        </Side>
      )}
      {waiting && (
        <Side
          title={`Waiting: version ${waiting.version}`}
          version={waiting}
          state={<Status status={labelsOf(model, waiting)} />}
          isNew
        >
          <Button kind="main" sends="PUT /models/{name}/versions/{n}/promote" onClick={() => setAsking(true)}>
            <ArrowUp className="i" /> Promote version {waiting.version}
          </Button>
          {inUse && (
            <Permitted sends="POST /inference">
              <a
                className={buttonClass()}
                href={`/console/playground?model=${inUse.model_id}&beside=${waiting.model_id}`}
              >
                Try both
              </a>
            </Permitted>
          )}
          <Change
            name={model.name}
            change={asking ? { kind: 'promote', version: waiting.version } : null}
            onClose={() => setAsking(false)}
          />
        </Side>
      )}
    </div>
  );
}

const shareOf = ({ traffic }: Model): string => (traffic ? `${100 - traffic.percent}% of calls` : '100% of calls');

function labelsOf({ labels, traffic, shadow_version: shadow }: Model, { version }: Version): string {
  if (traffic?.version === version) return `${traffic.percent}% of calls`;
  if (shadow === version) return 'shadow';
  return Object.entries(labels).find(([, of]) => of === version)?.[0] ?? 'not in use';
}

interface SideProps {
  readonly title: string;
  readonly version: Version;
  readonly state: ReactNode;
  readonly isNew?: boolean;
  readonly children: ReactNode;
}

function Side({ title, version, state, isNew = false, children }: SideProps): ReactElement {
  const { training_job_id: id } = version;
  const job = useQuery({
    queryKey: ['training-jobs', id],
    queryFn: () => body(api.GET('/felix/training-jobs/{id}', { params: { path: { id: id! } } })),
    enabled: id !== null,
    staleTime: 60_000,
  });
  const metrics = job.data?.metrics;
  const data = job.data?.datasets.map(({ name, version: of }) => `${name}/${of}`).join(', ');
  return (
    <section className={isNew ? 'new' : ''} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {state}
      </header>
      {typeof metrics?.f1 === 'number' && (
        <dl className="figures">
          <Figure
            label="F1"
            value={percent(metrics.f1)}
            note={
              metrics.judged_rows === null ? 'on held-out rows' : `of ${counted(metrics.judged_rows, 'held-out row')}`
            }
          />
          {typeof metrics.precision === 'number' && <Figure label="Precision" value={percent(metrics.precision)} />}
          {typeof metrics.recall === 'number' && <Figure label="Recall" value={percent(metrics.recall)} />}
        </dl>
      )}
      <p className="text-sm text-muted">
        Added <Time at={version.added_at} />
        {data && `, learned ${data}`}
        {id === null && `, ${version.model_id}`}
      </p>
      <div className="actions">
        {children}
        {id !== null && (
          <a className={buttonClass()} href={`/console/training/${id}`}>
            See training
          </a>
        )}
      </div>
    </section>
  );
}
