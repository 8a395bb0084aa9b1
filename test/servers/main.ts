import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { onInterrupt } from './on-interrupt.js';
import { S3_CREDENTIALS } from './s3.js';
import { INSTALLATION, startAll, type Started } from './start-all.js';

/**
 * `npm run servers [-- --data DIR]`: the servers of a distributed installation on this machine, until Ctrl-C. On its output are the
 * settings for processes that are to use them, as lines for a shell; what else there is to say is on the error output.
 */
const { values } = parseArgs({ options: { data: { type: 'string' } } });
const directory = values.data !== undefined ? resolve(values.data) : await mkdtemp(join(tmpdir(), 'anneal-servers-'));
await mkdir(directory, { recursive: true });

const interrupted = new Promise<void>(onInterrupt);
const servers = await startAll(INSTALLATION, directory, say);
if (servers.missing.length > 0) process.exitCode = 1;
else {
  for (const [name, value] of Object.entries(await settings(servers, directory)))
    process.stdout.write(`export ${name}='${value}'\n`);
  say(`Paste these lines into other shells, then run npm run start:api, start:worker and start:gpu-runner there.`);
  say(`The data is in ${directory}. Ctrl-C ends the servers.`);
  await interrupted;
}
await servers.stop();
if (values.data === undefined) await rm(directory, { recursive: true, force: true });

async function settings({ running }: Started, folder: string): Promise<Record<string, string>> {
  const address = (kind: keyof typeof INSTALLATION) => running.find((server) => server.kind === kind)!.address;
  return {
    ANNEAL_EVENT_STORE: address('esdb'),
    ANNEAL_READ_STORE: `${address('mongodb')}/anneal`,
    ANNEAL_COORDINATION: `${address('mongodb')}/anneal-coordination`,
    ANNEAL_BUS: address('nats'),
    ANNEAL_OBJECT_STORE: address('s3'),
    ANNEAL_SECRET_KEY: await secretKey(join(folder, 'secret.key')),
    ...S3_CREDENTIALS,
  };
}

/** The same for the same data. */
async function secretKey(file: string): Promise<string> {
  await writeFile(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  return readFile(file, 'utf8');
}

function say(line: string): void {
  process.stderr.write(`# ${line}\n`);
}
