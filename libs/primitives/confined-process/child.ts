// The other side of `confined-process.ts`: for its programs.
import { once } from 'node:events';

/** Waits for the job from the parent, and ends the process when the parent has died. Called once. */
export async function takeJob<Job>(): Promise<Job> {
  process.once('disconnect', () => process.exit(1));
  const [job] = (await once(process, 'message')) as [Job];
  return job;
}

/** Asks the parent something, whose next message is the answer. */
export async function askParent<Answer>(question: object): Promise<Answer> {
  const answered = once(process, 'message');
  await tellParent(question);
  const [answer] = (await answered) as [Answer];
  return answer;
}

/** Resolves once the parent's end of the channel has the message. */
export function tellParent<Message extends object>(message: Message): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, {}, (error) => (error ? reject(error) : resolve()));
  });
}
