import { ConfinedProcess, type ChildLimits } from './confined-process.js';
import { withFolder } from './folder.js';

interface ReadByChildOptions extends ChildLimits {
  readonly program: URL;
  /** The first message to the child. */
  readonly job: object;
  readonly signal: AbortSignal;
}

/**
 * Gives an input to a child that reads it to the end, and returns the child's one message.
 * @throws ChildDiedError; what the input throws
 */
export function readByChild<Message>(input: AsyncIterable<Uint8Array>, options: ReadByChildOptions): Promise<Message> {
  const { job, totalMs } = options;
  return withFolder(totalMs, async (folder) => {
    const child = new ConfinedProcess<Message>(job, { ...options, folder });
    try {
      const fed = child.feed(input);
      // The input's failure needs its own listener until the message has arrived.
      fed.catch(() => undefined);
      const message = await child.next();
      await fed;
      return message;
    } finally {
      await child.stop();
    }
  });
}
