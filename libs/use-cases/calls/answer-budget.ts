import { Injectable } from '@nestjs/common';
import { Budget } from '#primitives/waiting/budget.js';

const MIB = 1024 * 1024;
/** A page of stored content ends once it exceeds this, whatever its `limit`. */
export const MAX_PAGE_BYTES = MIB;
/** Limit on JSON. While an answer is built, documents, records and text coexist: about four times as much memory. */
const MAX_BYTES = 64 * MIB;
const MAX_WORKSPACE_BYTES = 16 * MIB;
/** Requests of one workspace that wait. */
const MAX_WAITING = 200;
const MAX_WAIT_MS = 30_000;

/** Bytes of stored content in all answers that are being built or sent. */
@Injectable()
export class AnswerBudget extends Budget {
  constructor() {
    super({
      total: MAX_BYTES,
      perKey: MAX_WORKSPACE_BYTES,
      maxWaiting: MAX_WAITING,
      maxWaitMs: MAX_WAIT_MS,
      busy: 'too many large answers are being sent at once',
    });
  }
}
