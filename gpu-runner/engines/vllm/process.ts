import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EngineUnavailableError } from '../decoder-engine.js';
import { LogTail } from '../torch/log-tail.js';
import { passedOn } from '../torch/own-folder.js';

const SERVE = fileURLToPath(new URL('./python/serve.py', import.meta.url));
/** Variables of the runner's environment that vLLM and CUDA need. */
const PASSED = /^(PATH|TMPDIR|LD_LIBRARY_PATH|LD_PRELOAD|CUDA_\w+|NCCL_\w+|VLLM_\w+)$/;
/** Milliseconds between two looks at a server that starts, and at one that runs. */
const STARTING_MS = 500;
const RUNNING_MS = 10_000;
const ANSWER_MS = 10_000;
/** Consecutive looks without an answer after which a server counts as hung. */
const MAX_SILENT = 6;
/** A model of hundreds of gigabytes is read from a network's disk, and its kernels are compiled. */
const START_MS = 3_600_000;

interface ProcessOptions {
  /** The program of the environment. */
  readonly python: string;
  /** Of vLLM's server. */
  readonly args: readonly string[];
  readonly key: string;
  /** Address of its `/health`. */
  readonly health: string;
  /** Working directory and home. */
  readonly directory: string;
  /** Writes a line for the operator. */
  readonly log: (line: string) => void;
}

/** vLLM's server as a process of this runner: started when it is needed, and again when it was lost. */
export class VllmProcess {
  private running: { readonly child: ChildProcess; readonly ready: Promise<void> } | null = null;
  private isClosed = false;

  constructor(private readonly options: ProcessOptions) {}

  /** Resolves once it is healthy. @throws EngineUnavailableError when it ends before that */
  ready(): Promise<void> {
    if (this.isClosed) throw new EngineUnavailableError('The runner is closing');
    this.running ??= this.start();
    return this.running.ready;
  }

  /** Ends it, and what it started. */
  async close(): Promise<void> {
    this.isClosed = true;
    const child = this.running?.child;
    if (!child) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdin!.end();
    if (child.exitCode === null && child.signalCode === null) await ended;
  }

  private start(): NonNullable<VllmProcess['running']> {
    const { python, args, key, directory, log } = this.options;
    const passed = Object.keys(process.env).filter((name) => PASSED.test(name));
    const child = spawn(python, [SERVE, ...args], {
      ...{ stdio: ['pipe', 'pipe', 'pipe'], cwd: directory, detached: true },
      env: {
        ...passedOn(passed),
        HOME: directory,
        VLLM_API_KEY: key,
        VLLM_ALLOW_RUNTIME_LORA_UPDATING: 'True',
        // It opens no connection.
        ...{ VLLM_NO_USAGE_STATS: '1', DO_NOT_TRACK: '1', HF_HUB_OFFLINE: '1', TRANSFORMERS_OFFLINE: '1' },
        ...{ PYTHONSAFEPATH: '1', PYTHONNOUSERSITE: '1', PYTHONUNBUFFERED: '1' },
      },
    });
    const tail = new LogTail();
    tail.read(child.stdout);
    tail.read(child.stderr);
    child.stdin.on('error', () => undefined);
    const lost = new AbortController();
    const end = (how: string) => {
      if (lost.signal.aborted) return;
      if (this.running?.child === child) this.running = null;
      killGroup(child);
      if (!this.isClosed) log([`was lost (${how}); the end of its log:`, ...tail.lines].join('\n  '));
      lost.abort(new EngineUnavailableError('The server that generates with this model was lost'));
    };
    child.once('error', ({ message }) => end(message));
    child.once('exit', (code, signal) => end(signal === null ? `code ${code}` : signal));
    const ready = this.healthy(lost.signal, end);
    ready.then(
      () => void this.watch(lost.signal, end),
      () => undefined,
    );
    return { child, ready };
  }

  /** @throws the reason of `lost` */
  private async healthy(lost: AbortSignal, end: (how: string) => void): Promise<void> {
    const from = Date.now();
    while ((await this.look()) !== 'healthy') {
      if (Date.now() - from > START_MS) end(`it was not ready after ${START_MS / 60_000} minutes`);
      // Its own abort error says less.
      await sleep(STARTING_MS, undefined, { signal: lost }).catch(() => undefined);
      lost.throwIfAborted();
    }
    lost.throwIfAborted();
  }

  /** Ends a server whose engine has died, or which hangs. */
  private async watch(lost: AbortSignal, end: (how: string) => void): Promise<void> {
    for (let silent = 0; silent < MAX_SILENT && !lost.aborted;) {
      await sleep(RUNNING_MS, undefined, { signal: lost, ref: false }).catch(() => undefined);
      if (lost.aborted) return;
      const seen = await this.look();
      if (seen === 'dead') return end('its engine has died');
      silent = seen === 'healthy' ? 0 : silent + 1;
    }
    end('it does not answer');
  }

  private async look(): Promise<'healthy' | 'dead' | 'silent'> {
    try {
      const { status } = await fetch(this.options.health, { signal: AbortSignal.timeout(ANSWER_MS) });
      if (status === 200) return 'healthy';
      return status === 503 ? 'dead' : 'silent';
    } catch {
      return 'silent';
    }
  }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended, with all of its group.
  }
}
