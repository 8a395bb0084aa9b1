import { callOnce, NoServerError, type Bus } from '#ports/bus/port.js';
import type { Json } from '#domain/json.js';

interface Question {
  readonly subject: string;
  readonly body: Json;
  readonly deadlineMs: number;
  /** The error message when no leader answers. */
  readonly absent: string;
}

/** The leader is missing: every worker is down, or the next one is still taking over. */
export class NoLeaderError extends Error {
  override readonly name = 'NoLeaderError';
}

/** Sends a request to the leader, which answers with an `Answer`. @throws NoLeaderError, or the bus's own error */
export async function askLeader<Answer extends Json = Json>(
  bus: Bus,
  { subject, body, deadlineMs, absent }: Question,
): Promise<Answer> {
  try {
    return (await callOnce(bus, subject, body, { deadlineMs })) as Answer;
  } catch (error) {
    throw error instanceof NoServerError ? new NoLeaderError(absent, { cause: error }) : error;
  }
}
