import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import { eraseCall } from '#application/erasure.js';
import { ConflictError } from '#domain/errors.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';
import { reviewDocuments } from '#projections/reviews/queries.js';
import { LogReader } from '../lineage/log-reader.js';
import { CallerCommand } from '../messages.js';
import { certificateOf } from './certificate.js';
import type { ErasedCalls, ErasureCertificate } from './erasure-dto.js';
import { History, isComplete } from './history.js';
import { Learned } from './learned.js';
import { patientWithYoung } from './patience.js';

/** Calls of a subject that one request erases. */
const MAX_CALLS = 500;

interface CallToErase {
  readonly id: string;
  /** Whether a content that the log has unencrypted is hidden; else that is refused. */
  readonly hidesAtLeast?: boolean;
}

/** Erases what a call said, and what was said of it. What it cost stays. */
export class EraseContent extends CallerCommand<CallToErase, ErasureCertificate> {}

@CommandHandler(EraseContent)
export class EraseContentHandler implements ICommandHandler<EraseContent> {
  constructor(
    private readonly application: Application,
    private readonly history: History,
    private readonly log: LogReader,
    private readonly learned: Learned,
  ) {}

  /** @throws NotFoundError; ConflictError as `eraseCall` */
  async execute({ caller, identity, input: { id, hidesAtLeast = false } }: EraseContent): Promise<ErasureCertificate> {
    const document = await patientWithYoung(id, () => this.history.one(caller, id), isComplete);
    await this.erase(caller, identity, document, hidesAtLeast);
    // A shadow's answer is to the same request.
    const shadow = (await reviewDocuments.get(this.application.ports.readStore, id))?.answers?.shadow?.inferenceId;
    const repeated = shadow && (await this.history.one(caller, shadow).catch(() => null));
    if (repeated) await this.erase(caller, identity, repeated, hidesAtLeast);
    return this.certificate(caller, id);
  }

  /** Erases the oldest calls of a subject. */
  async ofSubject(caller: Caller, identity: RequestIdentity, subject: string): Promise<ErasedCalls> {
    const { workspaceId } = caller;
    const { ports, visibility } = this.application;
    const isSeen = await visibility.wait([inferenceDocuments.name], (await ports.eventStore.head()).position);
    const where = { workspaceId, subject };
    const found = await inferenceDocuments.find(ports.readStore, { where, limit: MAX_CALLS + 1 });
    const data: ErasureCertificate[] = [];
    const notErased: ErasedCalls['not_erased'][number][] = [];
    for (const document of found.slice(0, MAX_CALLS) as InferenceDocument[])
      try {
        await this.erase(caller, identity, document);
        data.push(await this.certificate(caller, document.id));
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        notErased.push({ inference_id: document.id, reason: error.message });
      }
    const complete = isSeen && found.length <= MAX_CALLS && notErased.length === 0;
    return { object: 'list', subject, data, not_erased: notErased, complete };
  }

  private erase(
    caller: Caller,
    identity: RequestIdentity,
    document: InferenceDocument,
    hidesAtLeast = false,
  ): Promise<void> {
    return eraseCall(this.application, document, callerContext(caller, identity), hidesAtLeast);
  }

  private async certificate({ workspaceId }: Caller, id: string): Promise<ErasureCertificate> {
    return certificateOf(this.log, workspaceId, id, await this.learned.ofCall(workspaceId, id));
  }
}

export class EraseSubject extends CallerCommand<string, ErasedCalls> {}

@CommandHandler(EraseSubject)
export class EraseSubjectHandler implements ICommandHandler<EraseSubject> {
  constructor(private readonly calls: EraseContentHandler) {}

  execute({ caller, identity, input: subject }: EraseSubject): Promise<ErasedCalls> {
    return this.calls.ofSubject(caller, identity, subject);
  }
}
