import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#primitives/free-port.js';
import type { DecoderServer, LoadedDecoder } from '../decoder-engine.js';
import { VllmProcess } from './process.js';
import { connectionOf, type ServerSettings } from './server-settings.js';
import { VllmServer } from './server.js';

interface StartedOptions {
  readonly settings: ServerSettings & { readonly memoryShare: number };
  readonly hasChatTemplate: boolean;
  /** vLLM's reader of the calls that the model makes; null: it takes no tools. */
  readonly toolParser: string | null;
  /** The program of the environment with vLLM. */
  readonly python: string;
  readonly runner: string;
}

/** Ranks that vLLM has kernels for. */
const RANKS = [8, 16, 32, 64, 128, 256, 320, 512];
const HOST = '127.0.0.1';

interface Opened {
  readonly server: VllmServer;
  readonly process: VllmProcess;
  readonly directory: string;
}

/** A vLLM server that the runner starts for a base model at its first call, watches, and ends. Nobody else has its key. */
export class StartedServer implements DecoderServer {
  private opening: Promise<Opened> | null = null;

  constructor(private readonly options: StartedOptions) {}

  async load(baseDirectory: string, adapterDirectory: string | null): Promise<LoadedDecoder> {
    const opening = (this.opening ??= this.open(baseDirectory));
    opening.catch(() => (this.opening = null));
    const { server } = await opening;
    return server.load(baseDirectory, adapterDirectory);
  }

  async close(): Promise<void> {
    const opened = await this.opening?.catch(() => null);
    if (!opened) return;
    await opened.server.close();
    await opened.process.close();
    await rm(opened.directory, { recursive: true, force: true });
  }

  private async open(baseDirectory: string): Promise<Opened> {
    const { settings, python, toolParser, hasChatTemplate, runner } = this.options;
    const directory = await mkdtemp(join(tmpdir(), 'anneal-vllm-'));
    const adaptersDir = join(directory, 'adapters');
    await mkdir(adaptersDir);
    const port = await freePort();
    const key = randomBytes(32).toString('hex');
    const process = new VllmProcess({
      ...{ python, key, directory, health: `http://${HOST}:${port}/health` },
      log: (line) => console.error(`generation server ${settings.name} ${line}`),
      args: [
        ...['--model', baseDirectory, '--served-model-name', settings.model, '--host', HOST, '--port', `${port}`],
        ...['--gpu-memory-utilization', `${settings.memoryShare}`, '--seed', '0', '--enable-lora'],
        ...['--max-loras', `${settings.maxLoras}`, '--max-lora-rank', `${rankFor(settings.maxLoraRank)}`],
        ...(toolParser === null ? [] : ['--enable-auto-tool-choice', '--tool-call-parser', toolParser]),
      ],
    });
    const own = { ...settings, adaptersDir, serverAdaptersDir: adaptersDir };
    const connection = { ...connectionOf({ ...own, connection: { base_url: `http://${HOST}:${port}/v1` } }), key };
    const ready = () => process.ready();
    const server = new VllmServer({ settings: own, connection, hasChatTemplate, runner, ready });
    return { server, process, directory };
  }
}

const rankFor = (rank: number): number => RANKS.find((each) => each >= rank) ?? rank;
