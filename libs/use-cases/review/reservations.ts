import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import { ConflictError, UnavailableError } from '#domain/errors.js';
import { ABSENT, type Entry } from '#ports/coordination/port.js';
import type { ReviewDocument } from '#projections/reviews/projection.js';

const TERM_MS = 10 * 60_000;
const MAX_TRIES = 8;
/** Reservations of a workspace that a page of the queue knows of; `reserve` knows of all. */
const MAX_LISTED = 1000;

export interface ReviewReservation {
  readonly reviewer: string;
  /** ISO 8601 UTC. */
  readonly until: string;
}

/** The state of the review of a call. */
export interface Review {
  readonly document: ReviewDocument;
  readonly reservation: ReviewReservation | null;
}

/** A reservation by the only reviewer with a verdict precedes that verdict, and is over. */
export const reviewOf = (document: ReviewDocument, held: ReviewReservation | null): Review => ({
  document,
  reservation: document.queue === 'once' && document.verdicts[0]?.reviewer === held?.reviewer ? null : held,
});

/** A released reservation has a null reviewer until it is removed, a moment later. */
type Stored = { readonly reviewer: string | null; readonly until: string };

/** Reservations of calls by reviewers. They end by themselves and are not on the log. */
@Injectable()
export class Reservations {
  constructor(private readonly application: Application) {}

  /** Takes or extends a reservation. @throws ConflictError while another reviewer has it */
  async reserve(workspaceId: string, id: string, reviewer: string): Promise<ReviewReservation> {
    const until = new Date(Date.now() + TERM_MS).toISOString();
    await this.write(workspaceId, id, reviewer, { reviewer, until }, TERM_MS);
    return { reviewer, until };
  }

  /**
   * Does nothing if there is none.
   * @throws ConflictError while another reviewer has it
   */
  async release(workspaceId: string, id: string, reviewer: string): Promise<void> {
    if ((await this.of(workspaceId, id)) === null) return;
    await this.write(workspaceId, id, reviewer, { reviewer: null, until: new Date().toISOString() }, 1);
  }

  async of(workspaceId: string, id: string): Promise<ReviewReservation | null> {
    return held(await this.coordination.get(keyOf(workspaceId, id)));
  }

  /** By the id of the call. */
  async all(workspaceId: string): Promise<ReadonlyMap<string, ReviewReservation>> {
    const prefix = keyOf(workspaceId, '');
    const entries = await this.coordination.list(prefix, MAX_LISTED);
    return new Map(
      entries.flatMap((entry) => {
        const reservation = held(entry);
        return reservation ? [[entry.key.slice(prefix.length), reservation] as const] : [];
      }),
    );
  }

  private async write(workspaceId: string, id: string, reviewer: string, value: Stored, ttlMs: number): Promise<void> {
    const key = keyOf(workspaceId, id);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const entry = await this.coordination.get(key);
      const other = held(entry);
      if (other && other.reviewer !== reviewer)
        throw new ConflictError(`inference ${id} is reserved by ${other.reviewer} until ${other.until}`);
      const expected = entry ? ({ kind: 'version', version: entry.version } as const) : ABSENT;
      if (await this.coordination.compareAndSet(key, expected, value, ttlMs)) return;
    }
    throw new UnavailableError(`inference ${id} is being reserved and released; try again`);
  }

  private get coordination() {
    return this.application.ports.coordination;
  }
}

const keyOf = (workspaceId: string, id: string): string => `review/${workspaceId}/${id}`;

function held(entry: Entry | null): ReviewReservation | null {
  const { reviewer, until } = (entry?.value ?? { reviewer: null, until: '' }) as Stored;
  return reviewer === null ? null : { reviewer, until };
}
