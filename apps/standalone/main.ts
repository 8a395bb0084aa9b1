import { SettingsError, readSettings } from '#settings/index.js';
import { FolderInUseError } from '#event-store/sqlite/index.js';
import { startStandalone } from './standalone.js';

/** `npm start`: every role in one process. */

/** What is under way at a signal gets this long to end. */
const DRAIN_MS = 25_000;

try {
  const system = await startStandalone(readSettings(process.env));
  for (const line of system.greeting) console.log(line);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(system.close));
} catch (error) {
  if (!(error instanceof SettingsError || error instanceof FolderInUseError)) throw error;
  console.error(error.message);
  process.exit(1);
}

async function stop(close: () => Promise<void>): Promise<void> {
  // A second signal ends it at once.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
  setTimeout(() => process.exit(1), DRAIN_MS).unref();
  await close();
  process.exit(0);
}
