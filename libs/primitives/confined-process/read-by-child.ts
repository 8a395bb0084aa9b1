import { ConfinedProcess, type ChildLimits } from './confined-process.js';
import { withFolder } from './folder.js';

interface ReadByChildOptions<Message> extends ChildLimits {
  readonly program: URL;
  /** The first message to the child. */
  readonly job: object;
  readonly signal: AbortSignal;
  /** The answer to a message that asks something; null for the child's result. Absent: it asks nothing. */
  readonly answer?: (message: Message) => Promise<object> | null;
}

/**
 * Gives an input to a child that reads it to the end, and returns the child's last message.
 * @throws ChildDiedError; what the input or an answer throws
 */
export function readByChild<Message>(
  input: AsyncIterable<Uint8Array>,
  options: ReadByChildOptions<Message>,
): Promise<Message> {
  const { job, totalMs, answer } = options;
  return withFolder(totalMs, async (folder) => {
    const child = new ConfinedProcess<Message, object>(job, { ...options, folder });
    try {
      const fed = child.feed(input);
      // The input's failure needs its own listener until the message has arrived.
      fed.catch(() => undefined);
      for (;;) {
        const message = await child.next();
        const answered = answer?.(message) ?? null;
        if (answered) child.tell(await answered);
        else {
          await fed;
          return message;
        }
      }
    } finally {
      await child.stop();
    }
  });
}
