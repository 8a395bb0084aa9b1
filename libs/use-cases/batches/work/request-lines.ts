import type { BatchLineAnswer } from '#calls/batch-lines.js';
import { LineSplitter } from '#rows/formats/index.js';
import type { Batch, BatchEnd, BatchOutcome } from '#domain/batch/index.js';
import type { JsonObject } from '#domain/json.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import type { KeptLines } from '#rows/kept-lines.js';

/** A request of the file. */
export interface Request {
  /** Line number from 1. */
  readonly row: number;
  readonly customId: string;
  readonly body: JsonObject;
}

/** Outcome of a request. */
export type KeptLine = {
  readonly row: number;
  readonly isAnswered: boolean;
  readonly line: JsonObject;
};

/** Why the requests that are left are not made. */
export interface Stop {
  readonly outcome: Exclude<BatchOutcome, 'completed'>;
  readonly error: BatchEnd['error'];
}

/** The requests of a batch's file, in order. @throws ObjectNotFoundError */
export async function* requestsOf({ request: { input } }: Batch, objectStore: ObjectStore): AsyncGenerator<Request> {
  const splitter = new LineSplitter();
  let row = 0;
  const read = (bytes: Buffer): Request | null => {
    row += 1;
    const text = bytes.toString('utf8').trim();
    if (text === '') return null;
    const { custom_id: customId, body } = JSON.parse(text) as { custom_id: string; body: JsonObject };
    return { row, customId, body };
  };
  for await (const chunk of await objectStore.get(input.source.key))
    for (const line of splitter.push(Buffer.from(chunk))) {
      const request = read(line);
      if (request) yield request;
    }
  for (const line of splitter.end()) {
    const request = read(line);
    if (request) yield request;
  }
}

/** The lines of one kind, each row once. */
export async function* linesOf(kept: KeptLines<KeptLine>, isAnswered: boolean): AsyncGenerator<Uint8Array> {
  const written = new Set<number>();
  for await (const { row, isAnswered: answered, line } of kept.each()) {
    if (answered !== isAnswered || written.has(row)) continue;
    written.add(row);
    yield Buffer.from(`${JSON.stringify(line)}\n`);
  }
}

export const requestIdOf = ({ request: { batchId } }: Batch, { row }: Request): string => `batch_${batchId}_${row}`;

const lineOf = (batch: Batch, request: Request, rest: JsonObject): JsonObject => ({
  id: `batch_req_${batch.request.batchId}_${request.row}`,
  custom_id: request.customId,
  ...rest,
});

export const madeLine = (
  batch: Batch,
  request: Request,
  requestId: string,
  { status, body }: BatchLineAnswer,
): KeptLine => ({
  row: request.row,
  isAnswered: status < 300,
  line: lineOf(batch, request, { response: { status_code: status, request_id: requestId, body }, error: null }),
});

export const errorLine = (batch: Batch, request: Request, code: string, message: string): KeptLine => ({
  row: request.row,
  isAnswered: false,
  line: lineOf(batch, request, { response: null, error: { code, message } }),
});

export const lostLine = (batch: Batch, request: Request, inferenceId: string): KeptLine =>
  errorLine(
    batch,
    request,
    'answer_lost',
    `a server ended between the answer and its storage: the call is in the history as ${inferenceId}, and is not made again`,
  );

export const unmade = (batch: Batch, request: Request, { outcome, error }: Stop): KeptLine =>
  errorLine(batch, request, error?.code ?? `batch_${outcome}`, error?.message ?? `the batch is ${outcome}`);

/** Refusals that the other requests would meet too: no credits, a blocked account. */
export function accountRefusal({ status, body }: BatchLineAnswer): BatchEnd['error'] {
  const error = (body as { error?: { code?: string; message?: string } } | null)?.error;
  const { code = 'refused', message = 'the account is refused' } = error ?? {};
  const ofCredits = ['credit_ceiling_reached', 'card_required'];
  return status === 401 || status === 402 || (status === 403 && ofCredits.includes(code)) ? { code, message } : null;
}
