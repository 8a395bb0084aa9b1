import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { datasetStreamId } from '#application/datasets.js';
import { derivedId } from '#log/execute.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import { eraseCall, eraseVersion } from '../../erasure/erasure.js';
import { datasetDecider } from '#domain/dataset/index.js';
import { erasureDecider } from '#domain/erasure/index.js';
import { holdOn, retentionDecider } from '#domain/retention/index.js';
import { ConflictError } from '#domain/errors.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';
import { reviewDocuments } from '#projections/reviews/queries.js';
import { LogReader } from '../../events/log-reader.js';
import { CallerCommand, type Act } from '../../commands-and-queries.js';
import { certificateOf, type ErasureCertificate } from '../certificate.js';
import { History, isComplete } from '../history.js';
import { SecondPerson } from '../../proposals/second-person.js';
import { Learned, type Version } from '../learned.js';

/** Calls of a subject that one request erases. */
const MAX_CALLS = 500;

interface CallToErase {
  readonly id: string;
  /** Whether content that the log has unencrypted is hidden; else it is refused. */
  readonly hidesAtLeast?: boolean;
  /** Whether dataset versions with its texts are erased as well. */
  readonly cascade?: boolean;
}

type How = Omit<CallToErase, 'id'>;

interface ErasedCalls {
  readonly object: 'list';
  readonly subject: string;
  readonly data: readonly ErasureCertificate[];
  readonly not_erased: readonly { readonly inference_id: string; readonly reason: string }[];
  /** Whether no call of the subject is left. */
  readonly complete: boolean;
}

/** Erases a call's content and its feedback's. Metering stays. */
export class EraseContent extends CallerCommand<CallToErase, ErasureCertificate> {
  static override actOf({ id }: CallToErase): Act {
    return { kind: 'erase', command: 'erase-content', about: `erase call ${id}` };
  }
}

@CommandHandler(EraseContent)
export class EraseContentHandler implements ICommandHandler<EraseContent> {
  constructor(
    private readonly application: Application,
    private readonly history: History,
    private readonly log: LogReader,
    private readonly learned: Learned,
    private readonly secondPerson: SecondPerson,
  ) {}

  /** @throws NotFoundError; ConflictError as `eraseCall` */
  async execute({ caller, identity, input: { id, ...how } }: EraseContent): Promise<ErasureCertificate> {
    const document = await this.history.recent(caller, id, isComplete);
    await this.erase(caller, identity, document, how);
    // A shadow's answer is to the same request.
    const shadow = (await reviewDocuments.get(this.application.ports.readStore, id))?.answers?.shadow?.inferenceId;
    const repeated = shadow && (await this.history.one(caller, shadow).catch(() => null));
    if (repeated) await this.erase(caller, identity, repeated, how);
    return this.certificate(caller, id);
  }

  /**
   * Erases the oldest calls of a subject.
   * @throws ProposedError naming the calls, and not the subject, which may be a person's name
   */
  async ofSubject(
    caller: Caller,
    identity: RequestIdentity,
    { subject, ...how }: SubjectToErase,
  ): Promise<ErasedCalls> {
    const { workspaceId } = caller;
    const { ports, visibility } = this.application;
    const isSeen = await visibility.wait([inferenceDocuments.collection], (await ports.eventStore.head()).position);
    const where = { workspaceId, subject };
    const found = await inferenceDocuments.find(ports.readStore, { where, limit: MAX_CALLS + 1 });
    const calls = { ids: found.slice(0, MAX_CALLS).map(({ id }) => id), ...how };
    const act = EraseCalls.actOf(calls);
    if (calls.ids.length > 0 && (await this.secondPerson.isNeeded(caller, act)))
      throw await this.secondPerson.propose(caller, identity, act, calls);
    const data: ErasureCertificate[] = [];
    const notErased: ErasedCalls['not_erased'][number][] = [];
    for (const document of found.slice(0, MAX_CALLS) as InferenceDocument[])
      try {
        await this.erase(caller, identity, document, how);
        data.push(await this.certificate(caller, document.id));
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        notErased.push({ inference_id: document.id, reason: error.message });
      }
    const complete = isSeen && found.length <= MAX_CALLS && notErased.length === 0;
    return { object: 'list', subject, data, not_erased: notErased, complete };
  }

  private async erase(
    caller: Caller,
    identity: RequestIdentity,
    document: InferenceDocument,
    { hidesAtLeast = false, cascade = false }: How,
  ): Promise<void> {
    const context = callerContext(caller, identity);
    if (!cascade) return eraseCall(this.application, document, context, hidesAtLeast);
    const { id: inferenceId, workspaceId } = document;
    const copies = await this.copies(workspaceId, inferenceId);
    await eraseCall(this.application, document, context, hidesAtLeast);
    // Recorded first: the versions can be determined only while their files exist.
    const command = {
      type: 'erase-copies',
      inferenceId,
      workspaceId,
      versionIds: copies.map((copy) => copy.version_id),
    } as const;
    const recording = { ...context, commandId: derivedId(context.commandId, `${inferenceId}/copies`) };
    await this.application.execute(erasureDecider, inferenceId, command, recording);
    for (const { name, version_id: versionId } of copies) {
      const version = { workspaceId, stream: datasetStreamId(workspaceId, name), versionId };
      const erasing = { ...context, commandId: derivedId(context.commandId, versionId) };
      await eraseVersion(this.application, version, erasing);
    }
  }

  /** Versions with texts of the call. @throws ConflictError naming those that cannot be erased now */
  private async copies(workspaceId: string, inferenceId: string): Promise<readonly Version[]> {
    const { stored } = await this.handed(workspaceId, inferenceId);
    const retention = await this.application.load(retentionDecider, workspaceId);
    const kept: string[] = [];
    for (const { name, version, version_id: versionId } of stored) {
      const { claims } = await this.application.load(datasetDecider, datasetStreamId(workspaceId, name));
      const hold = holdOn(retention, { kind: 'dataset', name, version });
      const claim = claims.find((each) => each.versionId === versionId);
      const why = hold ? `under hold ${hold.holdId}` : claim && `in use by ${claim.claimantKind} ${claim.claimantId}`;
      if (why) kept.push(`version ${version} of dataset ${JSON.stringify(name)} (${why})`);
    }
    if (kept.length === 0) return stored;
    throw new ConflictError(`inference ${inferenceId} was not erased: its texts are in ${kept.join(', ')}`);
  }

  private async handed(workspaceId: string, id: string) {
    const { copies = [] } = (await this.application.load(erasureDecider, id)) ?? {};
    return this.learned.ofCall(workspaceId, id, copies);
  }

  private async certificate({ workspaceId }: Caller, id: string): Promise<ErasureCertificate> {
    return certificateOf(this.log, workspaceId, id, await this.handed(workspaceId, id));
  }
}

type SubjectToErase = How & { readonly subject: string };

export class EraseSubject extends CallerCommand<SubjectToErase, ErasedCalls> {}

@CommandHandler(EraseSubject)
export class EraseSubjectHandler implements ICommandHandler<EraseSubject> {
  constructor(private readonly calls: EraseContentHandler) {}

  execute({ caller, identity, input }: EraseSubject): Promise<ErasedCalls> {
    return this.calls.ofSubject(caller, identity, input);
  }
}

/** The calls of a subject, as they were when their erasure was proposed. */
type CallsToErase = How & { readonly ids: readonly string[] };

export class EraseCalls extends CallerCommand<CallsToErase, void> {
  static override actOf({ ids }: CallsToErase): Act {
    return { kind: 'erase', command: 'erase-calls', about: `erase ${ids.length} calls of one subject` };
  }
}

@CommandHandler(EraseCalls)
export class EraseCallsHandler implements ICommandHandler<EraseCalls> {
  constructor(private readonly calls: EraseContentHandler) {}

  /** @throws ConflictError naming the first call that cannot be erased; the ones before it are */
  async execute({ caller, identity, input: { ids, ...how } }: EraseCalls): Promise<void> {
    for (const id of ids) await this.calls.execute(new EraseContent(caller, identity, { id, ...how }));
  }
}
