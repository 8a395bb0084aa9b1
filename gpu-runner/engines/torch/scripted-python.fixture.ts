import { Socket } from 'node:net';
import { encodeFrame, readFrames, type Message } from './frames.js';

/** A step of a scripted child; the steps run one after another. Without further steps it waits until its runner is gone. */
export type Step =
  | { readonly say: object }
  /** Bytes as they are, in base64. */
  | { readonly raw: string }
  /** Waits for a message of this type; sends it back as a log line where it `echoes`. */
  | { readonly hear: string; readonly echoes?: true }
  | { readonly print: string }
  | { readonly exit: number }
  /** Hears nothing any more, and does not end when its runner is gone. */
  | { readonly deaf: true }
  /** Closes its end of the pipe from the runner: what is written to it from now on fails. */
  | { readonly hangUp: true };

export const hello = { type: 'hello', protocol: 1, versions: { python: '3.11.7' }, device: 'cpu', memoryBytes: 1e9 };

/** Speaks the protocol of `anneal_runner` as a script says, so that no Python is needed. */
async function perform(steps: readonly Step[]): Promise<void> {
  const input = new Socket({ fd: 3 });
  const output = new Socket({ fd: 4 });
  const heard: Message[] = [];
  let wake = (): void => undefined;
  let isDeaf = false;
  const listen = async () => {
    for await (const message of readFrames(input)) {
      heard.push(message);
      wake();
      if (message.type === 'stop' && !isDeaf) process.exit(0);
    }
    if (!isDeaf) process.exit(0);
  };
  // An input that is closed here ends with an error.
  listen().catch(() => undefined);
  const next = async (type: string): Promise<Message> => {
    for (;;) {
      const index = heard.findIndex((message) => message.type === type);
      if (index >= 0) return heard.splice(index, 1)[0]!;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const write = (bytes: Uint8Array) => new Promise((resolve) => output.write(bytes, resolve));
  for (const step of steps) {
    if ('say' in step) await write(encodeFrame(step.say as Message));
    else if ('raw' in step) await write(Buffer.from(step.raw, 'base64'));
    else if ('hear' in step) {
      const message = JSON.stringify(await next(step.hear));
      if (step.echoes) await write(encodeFrame({ type: 'log', level: 'info', message } as Message));
    } else if ('print' in step) await new Promise((resolve) => process.stderr.write(step.print, resolve));
    else if ('deaf' in step) isDeaf = true;
    else if ('hangUp' in step) await new Promise((resolve) => input.once('close', resolve).destroy());
    else process.exit(step.exit);
  }
  if (isDeaf) setInterval(() => undefined, 1_000);
}

const [, , script] = process.argv;
if (script?.startsWith('[')) await perform(JSON.parse(script) as readonly Step[]);
