import type { CommandModule } from 'yargs';
import { apiAt, urlOption } from '../api.js';
import { terminalOn } from '../terminal.js';
import { reviewSession, type Terminal } from '../review-session.js';

const CONFLICT = 409;

/** `anneal review`: over HTTP, as the key in KEY. */
export const reviewCommand: CommandModule = {
  command: 'review',
  describe: 'Review recorded calls one by one, and record your verdicts; needs an API key in KEY',
  builder: (yargs) =>
    yargs.options({
      url: urlOption,
      strategy: { type: 'string', default: 'uncertain', describe: 'Which calls come first, as in GET /review' },
      model: { type: 'string', describe: 'Review only calls whose `model` was this' },
      'model-name': { type: 'string', describe: 'Review only calls of this named model, in any version' },
      label: {
        type: 'string',
        describe: 'Review only calls whose least certain answer has this label; needs --model or --model-name',
      },
      reviewer: { type: 'string', describe: 'Your name, recorded with each verdict; default: the API key' },
    }),
  handler: async (args) => {
    const { url, strategy, model, modelName, label, reviewer } = args as unknown as Record<string, string | undefined>;
    const send = apiAt(url!, CONFLICT);
    const query = new URLSearchParams();
    const given = { strategy, model_id: model, model_name: modelName, label, reviewer };
    for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, value);
    const verdicts = await withTerminal((terminal) => reviewSession(send, terminal, query));
    console.log(`${verdicts} ${verdicts === 1 ? 'verdict' : 'verdicts'}.`);
  },
};

async function withTerminal<T>(work: (terminal: Terminal) => Promise<T>): Promise<T> {
  const { terminal, close } = terminalOn(process.stdin, process.stdout);
  try {
    return await work(terminal);
  } finally {
    close();
  }
}
