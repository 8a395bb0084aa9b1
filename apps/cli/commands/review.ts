import { createInterface } from 'node:readline/promises';
import type { CommandModule } from 'yargs';
import { OperationError } from '#apps/operator/operation.js';
import type { Json } from '#domain/json.js';
import { printableLines } from '#domain/printable.js';
import { reviewSession, type Send, type Terminal } from '../review-session.js';

const CONFLICT = 409;

/** `anneal review`: over HTTP, as the key in KEY. */
export const reviewCommand: CommandModule = {
  command: 'review',
  describe: 'Judge recorded calls one after the other; needs an API key in KEY',
  builder: (yargs) =>
    yargs.options({
      url: { type: 'string', default: 'http://127.0.0.1:8080', describe: 'Of the API' },
      strategy: { type: 'string', default: 'uncertain', describe: 'As GET /review takes it' },
      model: { type: 'string', describe: 'Calls that named the model so' },
      'model-name': { type: 'string', describe: 'Calls of all versions of this named model' },
      label: { type: 'string', describe: 'Whose least certain answer has this label; with --model' },
      reviewer: { type: 'string', describe: 'Your name; default: the API key' },
    }),
  handler: async (args) => {
    const { url, strategy, model, modelName, label, reviewer } = args as unknown as Record<string, string | undefined>;
    const key = process.env['KEY'];
    if (!key) throw new OperationError('set KEY to an API key: npx anneal key create NAME makes one');
    const query = new URLSearchParams();
    const given = { strategy, model_id: model, model_name: modelName, label, reviewer };
    for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, value);
    const verdicts = await withTerminal((terminal) => reviewSession(sender(url!, key), terminal, query));
    console.log(`${verdicts} ${verdicts === 1 ? 'verdict' : 'verdicts'}.`);
  },
};

const sender =
  (url: string, key: string): Send =>
  async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new OperationError(`${url} does not answer: ${(error as Error).message}`);
    });
    const text = await answer.text();
    if (!answer.ok && answer.status !== CONFLICT) throw new OperationError(printableLines(text));
    return { status: answer.status, body: JSON.parse(text) as Json };
  };

/** Ends of the input, as Ctrl+D, answer null. */
async function withTerminal<T>(work: (terminal: Terminal) => Promise<T>): Promise<T> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  try {
    return await work({
      show: (text) => console.log(text),
      ask: (prompt) => Promise.race([lines.question(prompt), ended]),
    });
  } finally {
    lines.close();
  }
}
