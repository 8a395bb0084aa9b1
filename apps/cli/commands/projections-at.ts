import type { CommandModule } from 'yargs';
import type { Json } from '#domain/json.js';
import { readSettings, Settings } from '#settings/index.js';
import { isShared, requireSystem } from '../open.js';
import { cell, follow, ProgressBar, type View } from '../output.js';

const view: View = {
  columns: [],
  row: ({ url, time, position }) => [
    `Serving Anneal as it was at ${cell(time)} (position ${cell(position)}), read only, at ${cell(url)}`,
    'Ctrl-C stops it and removes its read models.',
  ],
  empty: '',
};

/** `anneal projections at <point>` */
export const projectionsAtCommand: CommandModule = {
  command: 'at <point>',
  describe: 'Serve the system as it was at a time or a position of the log, read only, beside the running system',
  builder: (yargs) =>
    yargs
      .positional('point', {
        type: 'string',
        demandOption: true,
        describe: 'A time such as 2030-01-02T03:04:05Z, or a position of the log',
      })
      .option('port', { type: 'number', default: 0, describe: 'Port to listen on; 0 takes any free port' }),
  handler: async (args) => {
    await follow(serving(args['point'] as string, args['port'] as number), view, args['json'] as boolean);
  },
};

/** Yields the address once it is served, and ends when the user interrupts. */
async function* serving(at: string, port: number): AsyncGenerator<Json> {
  const interrupted = new AbortController();
  const { signal } = interrupted;
  const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());
  const settings = new Settings({ ...readSettings(process.env), port, logLevel: 'warn' });
  if (!isShared(settings)) requireSystem(settings);
  const bar = new ProgressBar();
  const onProgress = (percent: number) => bar.update({ done: percent, total: 100, unit: 'percent of the log' });
  // Imported here, because other commands need no API and should not load one.
  const { servePast } = await import('#apps/past/serve-past.js');
  const past = await servePast(settings, { at, onProgress, signal })
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return null;
    })
    .finally(() => bar.stop());
  if (past === null) return;
  try {
    const { url, position, time } = past;
    yield { url, position, time };
    const failure = await Promise.race([ended.then(() => null), past.failure]);
    if (failure !== null) throw failure;
  } finally {
    await past.close();
  }
}
