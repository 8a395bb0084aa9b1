import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import { derivedId } from '#application/execute.js';
import { erasureDecider } from '#domain/erasure/index.js';
import { ConflictError } from '#domain/errors.js';
import type { FeedbackEvent } from '#domain/feedback/index.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';
import { reviewDocuments } from '#projections/reviews/queries.js';
import { signedThoughtsDocuments } from '#projections/signed-thoughts/queries.js';
import { LogReader } from '../lineage/log-reader.js';
import { CallerCommand } from '../messages.js';
import { certificateOf } from './certificate.js';
import type { ErasedCalls, ErasureCertificate } from './erasure-dto.js';
import { History, isComplete } from './history.js';
import { Learned } from './learned.js';
import { patientWithYoung } from './patience.js';
import { isInObject } from './whole-content.js';

/** Calls of a subject that one request erases. */
const MAX_CALLS = 500;
const SEEN_BY = [inferenceDocuments.name, signedThoughtsDocuments.name, reviewDocuments.name];

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

  /** @throws NotFoundError; ConflictError where the log has the content unencrypted */
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

  private async erase(
    caller: Caller,
    identity: RequestIdentity,
    document: InferenceDocument,
    hidesAtLeast = false,
  ): Promise<void> {
    const { id: inferenceId, workspaceId, whole, content, contentKey, thoughtsFor } = document;
    const { contentKeys: keys, ports } = this.application;
    const known = await this.application.load(erasureDecider, inferenceId);
    if (known === null && content !== null && contentKey === null && !hidesAtLeast) throw recordedBefore(inferenceId);
    const ids = [...(contentKey === null ? [] : [contentKey]), ...(await this.feedbackKeys(document))];
    const { state } = await this.application.execute(
      erasureDecider,
      inferenceId,
      {
        ...{ type: 'erase-content', inferenceId, workspaceId, toolCallId: thoughtsFor },
        objectKey: whole && isInObject(whole) ? whole.objectKey : null,
        keys: known?.keys ?? (await keys?.fingerprints(ids)) ?? [],
      },
      // The events of several calls that one request erases must differ.
      { ...callerContext(caller, identity), commandId: derivedId(identity.commandId, inferenceId) },
      SEEN_BY,
    );
    // A sweep of the worker makes up for this process's death before. Feedback may have come meanwhile.
    const toDestroy = [...(state?.keys ?? []).map(({ id }) => id), ...(await this.feedbackKeys(document))];
    await keys?.destroy(new Set(toDestroy));
    if (state?.objectKey) await ports.objectStore.delete(state.objectKey);
  }

  private async feedbackKeys({ id, workspaceId }: InferenceDocument): Promise<readonly string[]> {
    const given = await this.log.events<FeedbackEvent>(workspaceId, ['feedback', id]);
    return given.flatMap(({ data }) => ('contentKey' in data && data.contentKey ? [data.contentKey] : []));
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

const recordedBefore = (id: string): ConflictError =>
  new ConflictError(
    `inference ${id} was recorded before contents were encrypted, so that its content cannot be erased from the event log`,
  );
