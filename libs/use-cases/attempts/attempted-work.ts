import type { Application } from '#application/application.js';
import type { CommandContext } from '#log/context.js';
import type { AttemptRef, ClaimRequest, ReportRequest, Work, WorkKind } from '#gpu-runner/contract/work.js';
import type { Handlers } from '#log/projector/handlers.js';
import type { OpenWork } from './dispatch/open-work.js';

/** The events and commands of one kind of work. */
export interface AttemptedWork {
  readonly kind: WorkKind;
  /** Open work, folded from its events. */
  readonly on: Handlers<OpenWork>;
  /** Claims the attempt. @returns the runner's work @throws ConflictError, NotFoundError if it cannot be claimed */
  claim(application: Application, request: ClaimRequest, context: CommandContext): Promise<Work>;
  /** Gives up an attempt whose runner is lost; harmless if it is over already. */
  lose(application: Application, ref: AttemptRef, reason: string, context: CommandContext): Promise<void>;
  /** Records a runner's report. @returns whether its attempt still counts */
  record(application: Application, request: ReportRequest, context: CommandContext): Promise<boolean>;
}
