/** The process of the llama engine: it reads frames from one pipe, writes them to another, and ends when the first one closes. */

import { createReadStream, createWriteStream } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { readFrames, writeFrame } from '../torch/frames.js';
import { PROTOCOL, type FromEngine, type Hello, type ToEngine } from '../torch/messages.js';
import { Host } from './host.js';
import { loadRuntime } from './runtime.js';

const PIPES = { fromRunner: 3, toRunner: 4 } as const;
const HEARTBEAT_MS = 1_000;
/** More threads make small matrices no faster. */
const MAX_THREADS = 16;
/** Threads wait for each other without sleeping: if they share cores with other work, all of them are slow. */
const SPARED_CORES = 1;

const [folder = '', version = ''] = process.argv.slice(2);
const runtime = await loadRuntime(folder);
const threads = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - SPARED_CORES));
const llama = await runtime.llama.getLlama({
  ...{ gpu: false, build: 'never', skipDownload: true, progressLogs: false, logLevel: 'error', maxThreads: threads },
});
const output = createWriteStream('', { fd: PIPES.toRunner });
const send = (message: FromEngine | Hello): Promise<void> => writeFrame(output, message);
const host = new Host({ runtime, llama, threads, directory: process.cwd(), send });

await send({
  ...{ type: 'hello', protocol: PROTOCOL, device: 'cpu', memoryBytes: totalmem() },
  versions: { node: process.versions.node, 'node-llama-cpp': version },
});
setInterval(() => void send({ type: 'heartbeat' }), HEARTBEAT_MS);
for await (const message of readFrames(createReadStream('', { fd: PIPES.fromRunner }))) {
  if (message.type === 'stop') break;
  void host.hear(message as ToEngine).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
process.exit(0);
