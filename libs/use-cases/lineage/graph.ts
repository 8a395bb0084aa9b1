import type { EventCitation } from '../events/log-reader.js';
import type { Actor } from './actors.js';
import type { Learner } from './followed-rows.js';
import type { CallLineage, DatasetLineage, LineageEdge, LineageGraph, LineageNode, RowLineage } from './lineage.js';
import type { VersionLineage as Version } from './origins.js';

type Relation = LineageEdge['relation'];

/** Calls of feedback that one dataset version is shown to come from. */
const MAX_CALLS = 20;

/** Graph of the origins of an answer, and of the verdicts on it. */
export function graphOfCall(call: Omit<CallLineage, 'graph'>): LineageGraph {
  const graph = new Graph();
  const { model, event } = call;
  const called = graph.node({ id: callId(call.id), kind: 'call', label: call.status, event, link: call.record });
  graph.caused(call.by, 'called', called, event);
  for (const version of call.datasets) graph.version(version);
  for (const job of call.training) {
    const { started_from, base_model, weights } = job;
    const id = graph.job({ ...job, event: weights?.event ?? job.event });
    graph.caused(job.started_by, 'started', id, job.event);
    for (const { version_id } of job.datasets) graph.edge(versionId(version_id), id, 'learned', job.event);
    if (started_from) graph.edge(jobId(started_from.job_id), id, 'continued', job.event);
    else graph.edge(graph.base(base_model.id), id, 'based', job.event);
  }
  let answering = model.training_job_id === null ? graph.base(model.base_model) : jobId(model.training_job_id);
  if (model.named) {
    const { name, version, put_in_force_by, event: put } = model.named;
    const named = graph.named({ name, version, event: put });
    graph.edge(answering, named, 'named', put);
    if (put_in_force_by) graph.caused(put_in_force_by, 'put_in_force', named, put);
    answering = named;
  }
  graph.edge(answering, called, 'answered', event);
  graph.corrections(called, call);
  return graph.whole();
}

/** Graph of the origins of a version's rows, and of everything that learned from them. */
export function graphOfDataset(
  { dataset, merged_into, jobs }: Pick<DatasetLineage, 'dataset' | 'merged_into' | 'jobs'>,
  graph = new Graph(),
): LineageGraph {
  const rows = graph.version(dataset);
  for (const { from, event, ...version } of merged_into) {
    const link = datasetLink(version);
    const merged = graph.node({ id: versionId(version.version_id), ...versionKind(version), event, link });
    for (const id of from) graph.edge(versionId(id), merged, 'merged', event);
  }
  for (const job of jobs) {
    const id = graph.job({ ...job, event: job.weights?.event ?? job.event });
    for (const from of job.from_versions) graph.edge(versionId(from), id, 'learned', job.event);
    if (job.from_job !== null) graph.edge(jobId(job.from_job), id, 'continued', job.event);
    for (const added of job.model_versions) graph.edge(id, graph.named(added), 'named', added.event);
    graph.answers(id, job);
  }
  return graph.whole(rows);
}

/** Graph of a row's origins, and of the merges and jobs that were given it. */
export function graphOfRow(lineage: Omit<RowLineage, 'graph'>): LineageGraph {
  const { dataset, row, came_from, call } = lineage;
  const graph = new Graph();
  const event = dataset.event ?? dataset.origin.event;
  const asked = graph.row(dataset, row, event);
  // The calls of all the other rows are no part of it.
  const withoutCalls = (version: Version) => ({
    ...version,
    origin: { ...version.origin, call_ids: null, more_calls: false },
  });
  let from = asked;
  for (const source of came_from) {
    graph.version(withoutCalls(source));
    const before = source.row === null ? versionId(source.version_id) : graph.row(source, source.row, source.event);
    graph.edge(before, from, 'merged', dataset.origin.event);
    from = before;
  }
  if (call) {
    const answer = graph.call(call.id, call.event);
    graph.corrections(answer, call);
    graph.edge(answer, from, 'corrected', event);
  }
  return { ...graphOfDataset({ ...lineage, dataset: withoutCalls(dataset) }, graph), root: asked };
}

/** Nodes by their ids, each once, and edges whose ends are nodes. */
class Graph {
  private readonly nodes = new Map<string, LineageNode>();
  private readonly edges = new Map<string, LineageEdge>();
  private truncated = false;

  node(node: LineageNode): string {
    if ((this.nodes.get(node.id)?.event ?? null) === null) this.nodes.set(node.id, node);
    return node.id;
  }

  edge(from: string, to: string, relation: Relation, event: EventCitation | null): void {
    this.edges.set(`${from} ${relation} ${to}`, { from, to, relation, event });
  }

  caused({ actor, name, event }: Actor, relation: Relation, to: string, at: EventCitation | null): void {
    const id = this.node({ id: `actor:${actor}`, kind: 'actor', label: name ?? actor, event, link: null });
    this.edge(id, to, relation, at);
  }

  base(id: string): string {
    return this.node({ id: `base-model:${id}`, kind: 'base_model', label: id, event: null, link: '/base-models' });
  }

  job({ job_id, model_name, event }: Pick<Learner, 'job_id' | 'model_name' | 'event'>): string {
    const link = `/felix/training-jobs/${job_id}`;
    return this.node({ id: jobId(job_id), kind: 'job', label: model_name, event, link });
  }

  named({ name, version, event }: Pick<Version, 'name' | 'version'> & Pick<LineageNode, 'event'>): string {
    const label = `${name}@${version}`;
    const link = `/models/${encodeURIComponent(name)}`;
    return this.node({ id: `model:${label}`, kind: 'model_version', label, event, link });
  }

  /** All recorded calls that a job answered, as one node. */
  answers(job: string, { job_id, answers, calls }: Pick<Learner, 'job_id' | 'answers' | 'calls'>): void {
    if (answers === 0) return;
    const label = answers === 1 ? '1 answer' : `${answers} answers`;
    const id = this.node({ id: `answers:${job_id}`, kind: 'answers', label, event: null, link: calls });
    this.edge(job, id, 'answered', null);
  }

  version(version: Version): string {
    const { version_id, made_by, origin } = version;
    const [event, link] = [version.event ?? origin.event, datasetLink(version)];
    const id = this.node({ id: versionId(version_id), ...versionKind(version), event, link });
    this.caused(made_by, 'made', id, origin.event);
    for (const source of origin.merged_from) {
      const from = { id: versionId(source.version_id), ...versionKind(source), event: null, link: datasetLink(source) };
      this.edge(this.node(from), id, 'merged', origin.event);
    }
    const calls = origin.call_ids ?? [];
    for (const call of calls.slice(0, MAX_CALLS)) this.edge(this.call(call), id, 'corrected', origin.event);
    if (calls.length > MAX_CALLS || origin.more_calls) this.truncated = true;
    return id;
  }

  row(version: Version, row: number, event: EventCitation | null): string {
    const { version_id } = version;
    const id = `row:${version_id}/${row}`;
    const label = `${version.name}/${version.version}, row ${row}`;
    this.node({ id, kind: 'row', label, event, link: `${datasetLink(version)}/rows/${row}` });
    this.edge(versionId(version_id), id, 'has', event);
    return id;
  }

  call(id: string, event: EventCitation | null = null): string {
    return this.node({ id: callId(id), kind: 'call', label: id, event, link: `/inferences/${id}/lineage` });
  }

  corrections(answer: string, { id, corrections }: Pick<CallLineage, 'id' | 'corrections'>): void {
    for (const { verdict, by, event } of corrections) {
      const label = verdict ?? 'taken back';
      const link = `/inferences/${id}/feedback`;
      const given = this.node({ id: `correction:${event.position}`, kind: 'correction', label, event, link });
      this.edge(answer, given, 'judged', event);
      this.caused(by, 'gave', given, event);
    }
  }

  /** Edges to nodes beyond a page or a limit are left out too. */
  whole(root = this.nodes.keys().next().value!): LineageGraph {
    const all = [...this.edges.values()];
    const edges = all.filter(({ from, to }) => this.nodes.has(from) && this.nodes.has(to));
    return { root, nodes: [...this.nodes.values()], edges, truncated: this.truncated || edges.length < all.length };
  }
}

const callId = (id: string): string => `call:${id}`;
const jobId = (id: string): string => `job:${id}`;
const versionId = (id: string): string => `dataset:${id}`;
const versionKind = ({ name, version, erased = null }: Pick<Version, 'name' | 'version'> & Partial<Version>) =>
  ({ kind: 'dataset_version', label: `${name}/${version}${erased ? ' (erased)' : ''}` }) as const;
const datasetLink = ({ name, version }: Pick<Version, 'name' | 'version'>): string =>
  `/lineage/datasets/${encodeURIComponent(name)}/${version}`;
