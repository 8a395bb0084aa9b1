import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError, UnavailableError } from '#domain/errors.js';
import { reviewerIn, type FeedbackEvent, type Verdict } from '#domain/feedback/index.js';
import type { ImportedCallEvent } from '#domain/imported-call/index.js';
import type { CallMetered } from '#domain/inference/index.js';
import { History } from '../inferences/history.js';
import { Actors, type Actor } from './actors.js';
import { cite, LogReader, type EventCitation, type Recorded } from '../events/log-reader.js';

export type Call = Recorded<CallMetered> | Recorded<Extract<ImportedCallEvent, { type: 'inference-imported.v1' }>>;

export interface Correction {
  /** null: the verdict was removed. */
  readonly verdict: Verdict | null;
  readonly reviewer: string;
  readonly by: Actor;
  readonly event: EventCitation;
}

/** Recorded calls and their feedback. A read model gives only a call's place on the log. */
@Injectable()
export class Calls {
  constructor(
    private readonly application: Application,
    private readonly history: History,
    private readonly log: LogReader,
    private readonly actors: Actors,
  ) {}

  /** @throws NotFoundError unknown, of another workspace, or not stored */
  async event(caller: Caller, id: string): Promise<Call> {
    const { position } = await this.history.recent(caller, id);
    if (position === undefined) throw new UnavailableError('the history is being rebuilt; try again');
    const event = (await this.application.ports.eventStore.eventAt(position)) as unknown as Call | null;
    if (event?.data.inferenceId !== id || event.data.workspaceId !== caller.workspaceId)
      throw new NotFoundError('inference', id);
    return event;
  }

  async corrections(workspaceId: string, id: string): Promise<readonly Correction[]> {
    const events = await this.log.events<FeedbackEvent>(workspaceId, ['feedback', id]);
    const acts = events.filter((event) => event.type !== 'feedback-texts-erased.v1');
    return Promise.all(
      acts.map(async (event) => ({
        verdict: event.type === 'feedback-given.v1' ? event.data.verdict : null,
        reviewer: reviewerIn(event.data),
        by: await this.actors.of(workspaceId, event.metadata.actor),
        event: cite(event),
      })),
    );
  }
}
