import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { erasureDecider } from '#domain/erasure/index.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';
import { signedThoughtsDocuments } from '#projections/signed-thoughts/queries.js';
import { CallerCommand } from '../messages.js';
import { History } from './history.js';
import { isInObject } from './whole-content.js';

interface ContentToErase {
  readonly inferenceId: string;
  /** The first call of a tool in the answer; null for none. */
  readonly toolCallId: string | null;
}

export class EraseContent extends CallerCommand<ContentToErase, void> {}

/** Erases what a call said, and what was said of it. What it cost stays. */
@CommandHandler(EraseContent)
export class EraseContentHandler implements ICommandHandler<EraseContent> {
  constructor(
    private readonly application: Application,
    private readonly history: History,
  ) {}

  /** @throws NotFoundError */
  async execute({ caller, identity, input: { inferenceId, toolCallId } }: EraseContent): Promise<void> {
    const { whole, workspaceId } = await this.history.one(caller, inferenceId);
    const objectKey = whole && isInObject(whole) ? whole.objectKey : null;
    const { state } = await this.application.execute(
      erasureDecider,
      inferenceId,
      { type: 'erase-content', inferenceId, workspaceId, objectKey, toolCallId },
      callerContext(caller, identity),
      [inferenceDocuments.name, signedThoughtsDocuments.name],
    );
    // A sweep of the worker makes up for this process's death before.
    if (state?.objectKey) await this.application.ports.objectStore.delete(state.objectKey);
  }
}
