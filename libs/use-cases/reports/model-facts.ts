import type { DistillationEvent } from '#domain/distillation/index.js';
import type { EvaluationEvent } from '#domain/evaluation/index.js';
import type { ImprovementEvent } from '#domain/improvement/index.js';
import type { IncidentEvent } from '#domain/incident/index.js';
import type { ModelEvent } from '#domain/model/index.js';
import type { DatasetEvent } from '#domain/dataset/index.js';
import type { TrainingJobEvent } from '#domain/training-job/index.js';
import type { Recorded } from '../events/log-reader.js';
import type { Gathered } from './gathered.js';

type OfType<Event extends { readonly type: string }, Type extends Event['type']> = Extract<Event, { type: Type }>;

export type RecordedModel = Recorded<ModelEvent>;
export type VersionAdded = Recorded<OfType<ModelEvent, 'model-version-added.v1'>>;
export type JobRequested = Recorded<OfType<TrainingJobEvent, 'training-job-requested.v1'>>;
export type EvaluationRequested = Recorded<OfType<EvaluationEvent, 'evaluation-requested.v1'>>;
export type EvaluationCompleted = Recorded<OfType<EvaluationEvent, 'evaluation-completed.v1'>>;

/** A training job of the model, with its events. */
export interface JobFacts {
  readonly requested: JobRequested;
  readonly events: readonly Recorded<TrainingJobEvent>[];
}

/** The events about a named model, or one version of it. */
export interface ModelFacts {
  readonly name: string;
  /** null: all. */
  readonly version: number | null;
  readonly events: readonly RecordedModel[];
  readonly versions: readonly VersionAdded[];
  /** Jobs of the versions, and those that they started from. */
  readonly jobs: readonly JobFacts[];
  /** Events of the dataset versions that the jobs learned from, by id of the version. */
  readonly datasets: ReadonlyMap<string, readonly Recorded<DatasetEvent>[]>;
  readonly evaluations: readonly { readonly requested: EvaluationRequested; readonly completed: EvaluationCompleted }[];
  readonly improvements: readonly Recorded<ImprovementEvent>[];
  readonly distillations: readonly Recorded<DistillationEvent>[];
  readonly incidents: readonly Recorded<IncidentEvent>[];
}

/** Names of the models of the workspace, deleted ones too, in order of creation. */
export function modelNames(gathered: Gathered): readonly string[] {
  const events = gathered.events<ModelEvent>('model');
  return [...new Set(events.filter(({ type }) => type === 'model-created.v1').map(({ data }) => data.name))];
}

/** null: there is no model of that name, or no such version. */
export function modelFacts(gathered: Gathered, name: string, version: number | null): ModelFacts | null {
  const all = gathered.events<ModelEvent>('model').filter(({ data }) => data.name === name);
  const added = all.filter((event): event is VersionAdded => event.type === 'model-version-added.v1');
  const versions = version === null ? added : added.filter(({ data }) => data.version === version);
  if (all.length === 0 || (version !== null && versions.length === 0)) return null;
  const { modelId } = all[0]!.data;
  const jobs = jobsOf(gathered, versions);
  const jobIds = new Set(jobs.map(({ requested }) => requested.data.jobId));
  return {
    ...{ name, version, versions, jobs },
    events: version === null ? all : all.filter((event) => concerns(event, version)),
    datasets: datasetsOf(gathered, jobs),
    evaluations: evaluationsOf(gathered, new Set([...jobIds, ...versions.map(({ data }) => data.target)])),
    improvements: gathered.events<ImprovementEvent>('improvement').filter(({ data }) => data.modelId === modelId),
    distillations: gathered.events<DistillationEvent>('distillation').filter(({ data }) => data.modelId === modelId),
    incidents: incidentsOf(gathered, name, version),
  };
}

/** Whether the event concerns the version, or all versions of the name. */
function concerns({ data }: RecordedModel, version: number): boolean {
  const named = ['version' in data ? data.version : null, 'previous' in data ? data.previous : null];
  if ('traffic' in data) named.push(data.traffic?.version ?? null);
  return named.includes(version) || named.every((each) => each === null);
}

function jobsOf(gathered: Gathered, versions: readonly VersionAdded[]): readonly JobFacts[] {
  const byId = Map.groupBy(gathered.events<TrainingJobEvent>('job'), ({ data }) => data.jobId);
  const wanted = versions.flatMap(({ data }) => data.trainingJobId ?? []);
  const found = new Map<string, JobFacts>();
  for (let id = wanted.shift(); id !== undefined; id = wanted.shift()) {
    const events = byId.get(id) ?? [];
    const [requested] = events;
    if (found.has(id) || requested?.type !== 'training-job-requested.v1') continue;
    found.set(id, { requested, events });
    if (requested.data.startFrom) wanted.push(requested.data.startFrom.jobId);
  }
  return [...found.values()];
}

function datasetsOf(gathered: Gathered, jobs: readonly JobFacts[]): ModelFacts['datasets'] {
  const events = Map.groupBy(gathered.events<DatasetEvent>('dataset'), ({ data }) =>
    'versionId' in data ? data.versionId : null,
  );
  const wanted = jobs.flatMap(({ requested }) => requested.data.datasets.map(({ versionId }) => versionId));
  const found = new Map<string, readonly Recorded<DatasetEvent>[]>();
  for (let id = wanted.shift(); id !== undefined; id = wanted.shift()) {
    const of = events.get(id);
    if (found.has(id) || of === undefined) continue;
    found.set(id, of);
    for (const { type, data } of of) {
      if (type === 'dataset-version-merge-requested.v1') wanted.push(...data.sources.map(({ versionId }) => versionId));
      if (type === 'dataset-version-initialized.v1' && data.mergedWith) wanted.push(data.mergedWith.versionId);
    }
  }
  return found;
}

function evaluationsOf(gathered: Gathered, models: ReadonlySet<string>): ModelFacts['evaluations'] {
  const events = gathered.events<EvaluationEvent>('evaluation');
  const requested = new Map<string, EvaluationRequested>();
  const found: { requested: EvaluationRequested; completed: EvaluationCompleted }[] = [];
  for (const event of events) {
    const { evaluationId } = event.data;
    if (event.type === 'evaluation-requested.v1') {
      const { model, trainingJobId } = event.data;
      if (models.has(model.id) || (trainingJobId !== null && models.has(trainingJobId)))
        requested.set(evaluationId, event);
    }
    const request = requested.get(evaluationId);
    if (request && event.type === 'evaluation-completed.v1') found.push({ requested: request, completed: event });
  }
  return found;
}

function incidentsOf(gathered: Gathered, name: string, version: number | null): readonly Recorded<IncidentEvent>[] {
  const events = gathered.events<IncidentEvent>('incident');
  const about = new Set<string>();
  for (const { type, data } of events) {
    const facts = type === 'incident-opened.v1' ? data : type === 'incident-updated.v1' ? data.changes : null;
    if (facts?.model === undefined || facts.model === null) continue;
    const isNamed = facts.model === name || facts.model.startsWith(`${name}@`);
    const isVersion = version === null || (facts.version ?? version) === version;
    if (isNamed && isVersion) about.add(data.incidentId);
  }
  return events.filter(({ data }) => about.has(data.incidentId));
}
