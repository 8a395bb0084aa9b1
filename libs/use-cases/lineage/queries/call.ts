import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { modelStreamId } from '#application/models.js';
import type { ErasureEvent } from '#domain/erasure/index.js';
import { priceFields, type CallClosed, type CallMetered, type CallOpened } from '#domain/inference/index.js';
import { modelReferenceOf, type ModelEvent } from '#domain/model/index.js';
import type { ProjectEvent } from '#domain/project/index.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { Actors } from '../actors.js';
import { Calls, type Call } from '../calls.js';
import { graphOfCall } from '../graph.js';
import { cite, LogReader, type Recorded } from '../../events/log-reader.js';
import { providerRecord } from '../../inferences/record.js';
import { LearnedFrom } from '../learned-from.js';
import type { CallLineage } from '../lineage.js';
import { Proofs } from '../proofs.js';

interface CallToExplain {
  readonly id: string;
  /** Whether each cited event comes with the proof that it is in the log. */
  readonly proofs?: boolean;
}

export class ExplainCall extends CallerQuery<CallToExplain, CallLineage> {}

/** Explains a call by its events. */
@QueryHandler(ExplainCall)
export class ExplainCallHandler implements IQueryHandler<ExplainCall, CallLineage> {
  constructor(
    private readonly calls: Calls,
    private readonly log: LogReader,
    private readonly actors: Actors,
    private readonly learned: LearnedFrom,
    private readonly proofs: Proofs,
  ) {}

  /** @throws NotFoundError unknown, of another workspace, or not stored; as `Proofs.of` */
  async execute({ caller, input: { id, proofs = false } }: ExplainCall): Promise<CallLineage> {
    const { workspaceId } = caller;
    const event = await this.calls.event(caller, id);
    const { data } = event;
    const metered = event.type === 'call-metered.v1' ? event.data : null;
    const jobId = metered?.trainingJobId ?? null;
    const { training, isCut } = await this.learned.trainings(workspaceId, jobId);
    const datasets = await this.learned.datasets(workspaceId, training);
    const call: Omit<CallLineage, 'graph'> = {
      id,
      record: `/inferences/${id}`,
      at: data.at,
      status: data.status,
      by: {
        ...(await this.actors.of(workspaceId, event.metadata.actor)),
        user_id: data.userId,
        user: (await this.actors.user(workspaceId, data.userId))?.name ?? null,
      },
      project: metered?.projectId ? await this.project(workspaceId, metered.projectId) : null,
      model: {
        asked: data.modelId,
        named: await this.named(workspaceId, event),
        kind: metered ? (jobId === null ? 'base' : 'trained') : 'imported',
        base_model: data.baseModel,
        training_job_id: jobId,
        engine: metered?.engine ? { ...metered.engine, event: cite(event) } : (training[0]?.engine ?? null),
        weights_sha256: metered?.weightsSha256 ?? training[0]?.base_model.sha256 ?? null,
        provider: metered?.provider
          ? { ...providerRecord(metered.provider), event: cite(event) }
          : metered && (await this.provider(workspaceId, event, id)),
      },
      training,
      datasets: datasets.listed,
      truncated: isCut || datasets.isCut,
      price: metered && {
        ...priceFields(metered.price),
        cost_picodollars: metered.costPicodollars,
        source: 'configured',
        event: cite(event),
      },
      corrections: await this.calls.corrections(workspaceId, id),
      erased: await this.erasure(workspaceId, id),
      event: cite(event),
    };
    const lineage = { ...call, graph: graphOfCall(call) };
    return proofs ? this.proofs.of(lineage) : lineage;
  }

  private async project(workspaceId: string, id: string): Promise<CallLineage['project']> {
    const [made] = await this.log.events<ProjectEvent>(workspaceId, ['project', id]);
    return made?.type === 'project-created.v1'
      ? { id, name: made.data.name, event: cite(made) }
      : { id, name: null, event: null };
  }

  /** The name that was called, and the last event before the call that put the version there. */
  private async named(workspaceId: string, call: Call): Promise<CallLineage['model']['named']> {
    const { modelName: name, modelVersion: version, modelId, shadowOf } = call.data;
    if (call.type !== 'call-metered.v1' || name === undefined || version === undefined) return null;
    const ref = modelReferenceOf(modelId)?.ref ?? null;
    const types: readonly string[] =
      ref === null ? BY_NAME : 'label' in ref ? BY_LABEL : shadowOf ? BY_SHADOW : BY_NUMBER;
    const putThere = ({ type, data }: Recorded<ModelEvent>): boolean =>
      types.includes(type) &&
      (type === 'model-traffic-set.v1' ? data.traffic?.version : 'version' in data && data.version) === version &&
      (type !== 'model-label-set.v1' || (ref !== null && 'label' in ref && data.label === ref.label));
    const events = await this.log.events<ModelEvent>(
      workspaceId,
      ['model', modelStreamId(workspaceId, name)],
      (event) => event.position < call.position && putThere(event),
    );
    const put = events.at(-1);
    return {
      ...{ name, version },
      put_in_force_by: put ? await this.actors.of(workspaceId, put.metadata.actor) : null,
      reason: put && 'reason' in put.data ? put.data.reason : null,
      event: put ? cite(put) : null,
    };
  }

  /** Of a call that ended with two events, in one append: the earlier one has its provider. */
  private async provider(workspaceId: string, { stream, revision }: Call, id: string) {
    if (revision === 0) return null;
    const [category, ...rest] = stream.split('-');
    const [closed] = await this.log.events<CallClosed | CallOpened | CallMetered>(
      workspaceId,
      [category as 'metered', rest.join('-')],
      ({ type, data }) => type === 'call-closed.v1' && data.inferenceId === id,
      { fromRevision: revision - 1, limit: 1 },
    );
    if (closed?.type !== 'call-closed.v1' || !closed.data.provider) return null;
    return { ...providerRecord(closed.data.provider), event: cite(closed) };
  }

  private async erasure(workspaceId: string, id: string): Promise<CallLineage['erased']> {
    const [erased] = await this.log.events<ErasureEvent>(workspaceId, ['erasure', id]);
    return erased ? cite(erased) : null;
  }
}

/**
 * The events that put a version in the place where a call found it: under the bare name, a label, a number, or as the
 * name's shadow.
 */
const BY_NAME = ['model-version-promoted.v1', 'model-traffic-set.v1'];
const BY_LABEL = ['model-label-set.v1'];
const BY_NUMBER = ['model-version-added.v1'];
const BY_SHADOW = ['model-shadow-set.v1'];
