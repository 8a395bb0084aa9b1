import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { ExpectedVersion } from '../log/check-commit.js';
import type { EventToStore } from '../log/tables.js';
import { toBatchAppendResponse, type BatchOutcome } from '../protocol/batch-append-response.js';
import { asServiceError, invalidArgument } from '../protocol/errors.js';
import { fromExpectedPosition } from '../protocol/expected-version.js';
import type { StreamMessages } from '../protocol/messages.js';
import { fromProposedMessage, sizeOf } from '../protocol/proposed-message.js';
import { fromStreamIdentifier } from '../protocol/stream-identifier.js';
import { fromUuid, toUuid } from '../protocol/uuid.js';
import type { ServiceContext } from './context.js';
import { write } from './write.js';

type Call = ServerDuplexStream<StreamMessages.BatchAppendReq, StreamMessages.BatchAppendResp>;

interface Batch {
  readonly stream: string;
  readonly expected: ExpectedVersion;
  /** Milliseconds since 1970, null for none. */
  readonly deadline: number | null;
  readonly events: EventToStore[];
}

/**
 * `Streams.BatchAppend`: any number of appends over one call, told apart by correlation id, each with its own deadline and its own
 * answer. What makes no sense ends the call, and with it every batch that waits.
 */
export function batchAppend(context: ServiceContext) {
  return (call: Call): void => {
    const batches = new Map<string, Batch>();
    const answers = new Set<Promise<void>>();
    call.on('data', (request: StreamMessages.BatchAppendReq) => {
      try {
        const id = fromUuid(request.getCorrelationId());
        if (!id) throw invalidArgument('a batch has no correlation id');
        const batch = batches.get(id) ?? begin(request.getOptions());
        batches.set(id, batch);
        for (const message of request.getProposedMessagesList()) batch.events.push(fromProposedMessage(message));
        if (!request.getIsFinal()) return;
        batches.delete(id);
        const answer = carryOut(context, call, batch).then((outcome) => {
          answers.delete(answer);
          if (!outcome || call.cancelled) return;
          call.write(toBatchAppendResponse(batch.stream, batch.expected, outcome).setCorrelationId(toUuid(id)));
        });
        answers.add(answer);
      } catch (error) {
        call.emit('error', asServiceError(error));
      }
    });
    call.on('end', () => void Promise.all(answers).then(() => call.end()));
    // The caller went away: nobody is left to hear of it.
    call.on('error', () => undefined);
  };
}

function begin(options: StreamMessages.BatchAppendReq.Options | undefined): Batch {
  if (!options) throw invalidArgument('a batch has no options');
  return {
    stream: fromStreamIdentifier(options.getStreamIdentifier()),
    expected: fromExpectedPosition(options),
    deadline: options.getDeadline()?.toDate().getTime() ?? null,
    events: [],
  };
}

/** @returns null when there shall be no answer */
async function carryOut(context: ServiceContext, call: Call, batch: Batch): Promise<BatchOutcome | null> {
  const { stream, expected, events, deadline } = batch;
  const size = events.reduce((sum, event) => sum + sizeOf(event), 0);
  if (size > context.maxAppendSize) return { kind: 'too-large', most: context.maxAppendSize };
  const left = deadline === null ? Infinity : deadline - Date.now();
  if (left <= 0) return { kind: 'timeout' };
  const expiry = Promise.withResolvers<BatchOutcome>();
  // A timer takes no more than 2^31 - 1 ms.
  const timer = setTimeout(() => expiry.resolve({ kind: 'timeout' }), Math.min(left, 2 ** 31 - 1));
  // Beyond the deadline it may be stored all the same, as with the server.
  const caller = {
    get cancelled() {
      return call.cancelled || (deadline !== null && Date.now() >= deadline);
    },
    getPeer: () => call.getPeer(),
  };
  const written = write(context, caller, { kind: 'append', stream, expected, events }).catch(
    (error: Error): BatchOutcome => ({ kind: 'failed', reason: error.message }),
  );
  const outcome = await Promise.race([written, expiry.promise]);
  clearTimeout(timer);
  return outcome;
}
