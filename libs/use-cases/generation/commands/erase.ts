import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import type { GenerationJobEvent } from '#domain/generation-job/index.js';
import { CallerCommand, type Act } from '../../commands-and-queries.js';
import { eraseGeneration } from '../../erasure/erasure.js';
import { LogReader, type Recorded } from '../../events/log-reader.js';

type Event<Type> = Extract<GenerationJobEvent, { type: Type }>;
type Erased = Event<'generation-job-erased.v1'>;

const IN_LOG = 'what was asked for, or why it failed, in the event log and its backups: the log has it unencrypted';

export interface ErasedGenerationJob {
  /** The event that records the erasure. */
  readonly event: Recorded<Erased>;
  readonly remains: readonly string[];
}

/** Erases the texts of an ended generation job and its rows, unless a dataset version has them. */
export class EraseGeneration extends CallerCommand<string, ErasedGenerationJob> {
  static override actOf(id: string): Act {
    return { kind: 'erase', command: 'erase-generation', about: `erase generation job ${id}` };
  }
}

@CommandHandler(EraseGeneration)
export class EraseGenerationHandler implements ICommandHandler<EraseGeneration> {
  constructor(
    private readonly application: Application,
    private readonly log: LogReader,
  ) {}

  /** @throws as `eraseGeneration` */
  async execute({ caller, identity, input: jobId }: EraseGeneration): Promise<ErasedGenerationJob> {
    const { workspaceId } = caller;
    await eraseGeneration(this.application, { workspaceId, jobId }, callerContext(caller, identity));
    const events = await this.log.events<GenerationJobEvent>(workspaceId, ['generation', jobId]);
    const event = events.find(({ type }) => type === 'generation-job-erased.v1') as Recorded<Erased>;
    return { event, remains: events.some(isOpen) ? [IN_LOG] : [] };
  }
}

/** Whether the log has texts of the event unencrypted. */
const isOpen = ({ type, data }: Recorded<GenerationJobEvent>): boolean =>
  (type === 'generation-job-requested.v1' || type === 'generation-job-failed.v1') && data.contentKey === undefined;
