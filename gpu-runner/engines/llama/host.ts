import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readGguf } from '#models/imported/gguf.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import { withoutPaths } from '#primitives/text/without-paths.js';
import { unlessAborted } from '#primitives/waiting/unless-aborted.js';
import { ArtifactError } from '../engine.js';
import type { BaseOfMessage, ErrorMessage, FromEngine, GenerateMessage, ToEngine } from '../torch/messages.js';
import { adapterGguf } from './adapter-gguf.js';
import { answer, type ServedModel } from './answer.js';
import { ggufIn } from './gguf-file.js';
import { BadRequestError } from './prompt.js';
import type { Say } from './writer.js';
import type { Llama, LlamaModel, Runtime } from './runtime.js';

interface HostOptions {
  readonly runtime: Runtime;
  readonly llama: Llama;
  readonly threads: number;
  /** For the files of adapters: a folder of this process alone. */
  readonly directory: string;
  readonly send: (message: FromEngine) => Promise<void>;
}

interface Base {
  readonly model: Promise<LlamaModel>;
  /** Number of its models that are loaded. */
  users: number;
}

interface Served extends ServedModel {
  readonly base: Base;
  readonly directory: string;
  /** Number of generations that run on it. */
  running: number;
  isUnloaded: boolean;
}

interface Running {
  readonly gone: AbortController;
  /** The last message that the runner acknowledged. */
  acknowledged: number;
  wake: () => void;
}

/** Answers generated in parallel: each has the processor's threads and its own context. */
const MAX_RUNNING = 2;
/** Messages that are sent beyond the last acknowledged one. */
const MAX_AHEAD = 64;
const FACTS = 'anneal.json';

/** Answers the messages of the runner: loads GGUF files and adapters on them, and generates. */
export class Host {
  private readonly bases = new Map<string, Base>();
  private readonly models = new Map<string, Served>();
  private readonly generations = new Map<string, Running>();
  private readonly slots = new FairSlots(MAX_RUNNING);

  constructor(private readonly options: HostOptions) {}

  /** Never rejects: errors are sent as messages. */
  async hear(message: ToEngine): Promise<void> {
    if (message.type === 'load') await this.load(message);
    else if (message.type === 'unload') await this.unload(message.model);
    else if (message.type === 'generate') await this.generate(message);
    else if (message.type === 'cancel') this.generations.get(message.id ?? '')?.gone.abort(new Error('cancelled'));
    else if (message.type === 'ack') this.acknowledge(message.id ?? '', message.seq);
    else if (message.type !== 'stop')
      await this.options.send({
        type: 'error',
        id: null,
        kind: 'unsupported',
        message: `${message.type} is not known`,
      });
  }

  private acknowledge(id: string, seq: number): void {
    const running = this.generations.get(id);
    if (!running) return;
    running.acknowledged = seq;
    running.wake();
  }

  private async load({ model: key, base, adapter }: Extract<ToEngine, { type: 'load' }>): Promise<void> {
    const { send, directory } = this.options;
    const file = adapter === null ? null : join(directory, `adapter-${key}.gguf`);
    try {
      const path = ggufIn(base.directory);
      if (path === null) throw new ArtifactError('The model has no GGUF file, which the llama engine needs');
      const facts = readGguf(path);
      if (adapter !== null) {
        await requireBase(adapter, base);
        await writeFile(file!, await adapterGguf(adapter, { ...facts, ...facts.heads }));
      }
      const loaded = this.baseOf(base.directory, path);
      loaded.users += 1;
      const model = await loaded.model;
      const contextTokens = facts.contextTokens ?? 0;
      this.models.set(key, {
        base: loaded,
        directory: base.directory,
        model,
        contextTokens,
        adapter: file,
        running: 0,
        isUnloaded: false,
      });
      const byteSize = file === null ? 0 : (await stat(file)).size;
      await send({ type: 'loaded', model: key, byteSize });
    } catch (error) {
      if (file !== null) await rm(file, { force: true });
      await send({ ...errorOf(error, 'artifact'), id: null, model: key });
    }
  }

  private baseOf(directory: string, path: string): Base {
    const known = this.bases.get(directory);
    if (known) return known;
    const base: Base = { model: this.options.llama.loadModel({ modelPath: path, gpuLayers: 0 }), users: 0 };
    base.model.catch(() => this.bases.delete(directory));
    this.bases.set(directory, base);
    return base;
  }

  private async unload(key: string): Promise<void> {
    const served = this.models.get(key);
    this.models.delete(key);
    if (served) {
      served.isUnloaded = true;
      if (served.running === 0) await this.release(served);
    }
    await this.options.send({ type: 'unloaded', model: key });
  }

  private async release({ base, directory, adapter }: Served): Promise<void> {
    if (adapter !== null) await rm(adapter, { force: true });
    base.users -= 1;
    if (base.users > 0) return;
    this.bases.delete(directory);
    await (await base.model).dispose();
  }

  private async generate(request: GenerateMessage): Promise<void> {
    const { send, runtime, llama, threads } = this.options;
    const { id } = request;
    const served = this.models.get(request.model);
    if (!served) return send({ type: 'error', id, kind: 'internal', message: 'The model is not loaded' });
    const running: Running = { gone: new AbortController(), acknowledged: 0, wake: () => undefined };
    const { signal } = running.gone;
    this.generations.set(id, running);
    served.running += 1;
    let seq = 0;
    const say: Say = async (text, logprobs) => {
      seq += 1;
      await send({ type: 'token', id, seq, text, ...(logprobs && { logprobs }) });
      while (seq - running.acknowledged > MAX_AHEAD && !signal.aborted)
        await new Promise<void>((resolve) => {
          running.wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
    };
    const place = this.slots.enter('');
    try {
      if (place.given !== null) await unlessAborted(place.given, signal);
      const done = await answer(request, { runtime, llama, served, threads, signal, say });
      await send({ type: 'done', id, ...done });
    } catch (error) {
      // A cancelled request gets no answer.
      if (!signal.aborted) await send({ ...errorOf(error, 'internal'), id });
    } finally {
      place.leave();
      this.generations.delete(id);
      served.running -= 1;
      if (served.isUnloaded && served.running === 0) await this.release(served);
    }
  }
}

/** @throws ArtifactError when the adapter was trained on other files */
async function requireBase(adapter: string, { id, sha256 }: BaseOfMessage): Promise<void> {
  const facts = await readFile(join(adapter, FACTS), 'utf8').catch(() => '{}');
  const { base } = JSON.parse(facts) as { readonly base?: { readonly sha256?: unknown } };
  if (base?.sha256 !== sha256) throw new ArtifactError(`The adapter was trained on other files of ${id}: train again`);
}

/** Messages reach callers: files of this machine are not named. */
function errorOf(error: unknown, otherwise: ErrorMessage['kind']): Omit<ErrorMessage, 'id'> {
  const { name } = error as Error;
  const message = withoutPaths((error as Error).message);
  if (error instanceof BadRequestError) return { type: 'error', kind: 'bad_request', message, field: error.field };
  if (name === 'InsufficientMemoryError') return { type: 'error', kind: 'out_of_memory', message };
  const kind = error instanceof ArtifactError ? 'artifact' : otherwise;
  return { type: 'error', kind, message };
}
