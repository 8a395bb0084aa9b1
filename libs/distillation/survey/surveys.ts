import { readByChild } from '#primitives/confined-process/index.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import type { RecordedCall } from '../calls/canonical.js';
import type { TaughtChats } from '../chats.js';
import type { FoundPrompt } from '../prompt.js';
import type { RowsOrder, TaughtRows } from '../rows.js';
import type {
  PromptMessage,
  RowsMessage,
  SurveyJob,
  SurveyMessage,
  VectorsAnswer,
  VectorsQuestion,
} from './protocol.js';
import type { Survey, SurveyedCall } from './survey.js';

const CHILD = new URL('./child.js', import.meta.url);
const MAX_AT_ONCE = 2;
const LIMITS = { heapMiB: 1024, memoryMiB: 2048, silenceMs: 5 * 60_000, totalMs: 10 * 60_000 };

/** Finds tasks in recorded calls, and makes rows of them, each time in a process of its own; a few at a time, one of a workspace, in turns. */
export class Surveys {
  private readonly slots = new FairSlots(MAX_AT_ONCE, { keepsSomeFree: true });

  /**
   * @param calls read one after another when it is the workspace's turn
   * @param signal ends the work when the client has disconnected
   * @throws ChildDiedError; what the calls throw
   */
  survey(workspaceId: string, calls: () => AsyncIterable<SurveyedCall>, signal: AbortSignal): Promise<Survey> {
    return this.inTurn<SurveyMessage>(workspaceId, calls, {}, signal).then(({ survey }) => survey);
  }

  /** The rows that calls of one task give. @param vectors of texts that are compared @throws as `survey`; what `vectors` throws */
  async rows(
    workspaceId: string,
    calls: () => AsyncIterable<RecordedCall>,
    order: RowsOrder,
    vectors: (asked: VectorsQuestion) => Promise<VectorsAnswer>,
    signal: AbortSignal,
  ): Promise<TaughtRows | TaughtChats> {
    const answer = (message: RowsMessage) => ('ask' in message ? vectors(message.ask) : null);
    const last = await this.inTurn(workspaceId, calls, { order }, signal, answer);
    if ('ask' in last) throw new Error('the last message of the process asks something');
    return last.rows;
  }

  /** The prompt of the task that is to be learned. @throws as `survey` */
  prompt(
    workspaceId: string,
    calls: () => AsyncIterable<RecordedCall>,
    order: RowsOrder,
    signal: AbortSignal,
  ): Promise<FoundPrompt> {
    const job = { order, wanted: 'prompt' } as const;
    return this.inTurn<PromptMessage>(workspaceId, calls, job, signal).then(({ prompt }) => prompt);
  }

  private inTurn<Message>(
    workspaceId: string,
    calls: () => AsyncIterable<RecordedCall>,
    job: SurveyJob,
    signal: AbortSignal,
    answer?: (message: Message) => Promise<object> | null,
  ): Promise<Message> {
    return this.slots.run(workspaceId, async () => {
      signal.throwIfAborted();
      return readByChild<Message>(lines(calls()), {
        ...{ ...LIMITS, program: CHILD, job, signal },
        ...(answer && { answer }),
      });
    });
  }
}

async function* lines(calls: AsyncIterable<RecordedCall>): AsyncGenerator<Buffer> {
  for await (const call of calls) yield Buffer.from(`${JSON.stringify(call)}\n`);
}
