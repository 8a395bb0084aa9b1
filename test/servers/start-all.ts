import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerKind } from './describe.js';
import { eventStore } from './event-store.js';
import { ferretdb } from './ferretdb.js';
import { mongoJavaServer } from './mongo-java-server.js';
import { nats } from './nats.js';
import type { ServerProgram } from './program.js';
import type { RunningServer } from './running.js';
import { s3 } from './s3.js';
import { ToolMissing } from './tools.js';
import { toxiproxy } from './toxiproxy.js';

/** A server of each kind, as an installation needs. */
export const INSTALLATION = {
  esdb: [eventStore],
  mongodb: [mongoJavaServer],
  nats: [nats],
  s3: [s3],
} as const satisfies Partial<Programs>;

/** Every server of each kind, for the tests. Tests that need only one use the first. */
export const EVERYTHING: Programs = {
  ...INSTALLATION,
  mongodb: [mongoJavaServer, ferretdb],
  toxiproxy: [toxiproxy],
};

export type Programs = Readonly<Record<ServerKind, readonly ServerProgram[]>>;

export interface Started {
  readonly running: readonly (RunningServer & { readonly kind: ServerKind })[];
  /** Servers that cannot be built here. */
  readonly missing: readonly { readonly kind: ServerKind; readonly name: string; readonly reason: string }[];
  stop(): Promise<void>;
}

/**
 * Installs and starts servers, each on a folder of its own.
 * @param say is told what is going on
 */
export async function startAll(
  programs: Partial<Programs>,
  directory: string,
  say: (line: string) => void,
): Promise<Started> {
  const running: (RunningServer & { readonly kind: ServerKind })[] = [];
  const missing: { kind: ServerKind; name: string; reason: string }[] = [];
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()));
  };
  const start = async (kind: ServerKind, program: ServerProgram) => {
    const folder = join(directory, program.name.toLowerCase().replaceAll(' ', '-'));
    await mkdir(folder, { recursive: true });
    const server = await program.start({ directory: folder });
    running.push({ ...server, kind });
    say(`${server.name} at ${server.address}`);
  };
  try {
    // Builds use all cores, so they run one after another.
    for (const [kind, some] of Object.entries(programs) as [ServerKind, readonly ServerProgram[]][])
      for (const program of some) {
        try {
          await installed(program, say);
        } catch (error) {
          const reason = reasonOf(error as Error);
          missing.push({ kind, name: program.name, reason });
          say(`${program.name}: skipped: ${reason}`);
          continue;
        }
        await start(kind, program);
      }
  } catch (error) {
    await stop();
    throw error;
  }
  return { running, missing, stop };
}

/** Why a server cannot be built, in one line: a tool is missing, or the last thing that one said. */
function reasonOf(error: Error): string {
  if (error instanceof ToolMissing) return error.message;
  const { stderr = '' } = error as { readonly stderr?: string };
  const [said = error.message] = stderr.trim().split('\n').slice(-1).filter(Boolean);
  return `it cannot be built: ${said}`;
}

/** Says so when it takes long: a server is built once on each machine. */
async function installed(program: ServerProgram, say: (line: string) => void): Promise<void> {
  const telling = setTimeout(() => say(`${program.name}: building it, once`), 1000);
  await program.install().finally(() => clearTimeout(telling));
}
