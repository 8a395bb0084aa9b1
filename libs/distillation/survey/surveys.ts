import { readByChild } from '#primitives/confined-process/index.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import type { SurveyMessage } from './protocol.js';
import type { Survey, SurveyedCall } from './survey.js';

const CHILD = new URL('./child.js', import.meta.url);
const MAX_AT_ONCE = 2;
const LIMITS = { heapMiB: 1024, memoryMiB: 2048, silenceMs: 5 * 60_000, totalMs: 10 * 60_000 };

/** Finds tasks in recorded calls, each time in a process of its own; a few at a time, one of a workspace, in turns. */
export class Surveys {
  private readonly slots = new FairSlots(MAX_AT_ONCE, { keepsSomeFree: true });

  /**
   * @param calls read one after another when it is the workspace's turn
   * @param signal ends the work when the client has disconnected
   * @throws ChildDiedError; what the calls throw
   */
  survey(workspaceId: string, calls: () => AsyncIterable<SurveyedCall>, signal: AbortSignal): Promise<Survey> {
    return this.slots.run(workspaceId, async () => {
      signal.throwIfAborted();
      const options = { ...LIMITS, program: CHILD, job: {}, signal };
      return (await readByChild<SurveyMessage>(lines(calls()), options)).survey;
    });
  }
}

async function* lines(calls: AsyncIterable<SurveyedCall>): AsyncGenerator<Buffer> {
  for await (const call of calls) yield Buffer.from(`${JSON.stringify(call)}\n`);
}
