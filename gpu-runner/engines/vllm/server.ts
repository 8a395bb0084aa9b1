import { Dropped } from '#calls/hosted/dropped.js';
import { ResponseIdentity } from '#calls/hosted/response-identity.js';
import { generateOpenAi } from '#calls/hosted/openai/index.js';
import { Upstream } from '#calls/hosted/upstream.js';
import type { Provider } from '#calls/hosted/providers.js';
import { unlessAborted } from '#primitives/waiting/unless-aborted.js';
import {
  EngineUnavailableError,
  type DecoderServer,
  type GeneratedChunk,
  type GenerateRequest,
  type LoadedDecoder,
} from '../decoder-engine.js';
import { AdapterFolder } from './adapter-folder.js';
import { AdapterSlots, type AdapterSlot, type ServedAdapter } from './adapter-slots.js';
import { chunksOf } from './answer.js';
import { generationFault, isBeyondWindow, isUnknownModel } from './faults.js';
import { LoraRoutes } from './lora-routes.js';
import { serverRequest } from './request.js';
import type { ServerSettings } from './server-settings.js';

interface ServerOptions {
  readonly settings: ServerSettings;
  readonly connection: Provider;
  readonly hasChatTemplate: boolean;
  /** Name of the runner, which no other one has. */
  readonly runner: string;
  /** Resolves once the server runs, if the runner starts it. */
  readonly ready?: () => Promise<void>;
}

/**
 * A server at an address that has a base model in memory (vLLM, or another one with its LoRA routes). Adapters are
 * loaded into it when calls need them, and again if it has lost them.
 */
export class VllmServer implements DecoderServer {
  private readonly upstream: Upstream;
  private readonly routes: LoraRoutes;
  private readonly slots: AdapterSlots;
  private readonly folder: AdapterFolder;
  private opening: Promise<void> | null = null;
  /** The last request failed: the next one first asks whether the server is healthy, which fails sooner. */
  private isSuspect = false;

  constructor(private readonly options: ServerOptions) {
    const { settings, connection, runner } = options;
    this.upstream = new Upstream(connection);
    this.routes = new LoraRoutes(connection);
    this.slots = new AdapterSlots(settings.maxLoras, this.routes);
    this.folder = new AdapterFolder(settings, runner);
  }

  async load(baseDirectory: string, adapterDirectory: string | null): Promise<LoadedDecoder> {
    await this.opened();
    if (adapterDirectory === null) return new ServedModel(this, null, 0);
    const { byteSize, ...adapter } = await this.folder.put(adapterDirectory, baseDirectory);
    const model = new ServedModel(this, adapter, byteSize);
    try {
      await model.ready();
      return model;
    } catch (error) {
      await model.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.upstream.close();
  }

  /** Resolves once the server has the adapter. @throws EngineUnavailableError */
  async take(adapter: ServedAdapter | null): Promise<AdapterSlot> {
    await this.options.ready?.();
    if (this.isSuspect) {
      await this.routes.health();
      this.isSuspect = false;
    }
    return adapter === null ? { lost: () => undefined, leave: () => undefined } : this.slots.take(adapter);
  }

  /** @throws HostedModelError, UnreadableAnswerError */
  async *generate(
    adapter: ServedAdapter | null,
    request: GenerateRequest,
    signal: AbortSignal,
  ): AsyncGenerator<GeneratedChunk> {
    try {
      yield* this.answer(adapter, request, signal, true);
    } catch (error) {
      // The request exceeds the room: then the room is the limit.
      if (request.maxTokens === null || !isBeyondWindow(error)) throw error;
      yield* this.answer(adapter, request, signal, false);
    }
  }

  /** The error for callers. What failed is remembered. */
  failed(error: unknown): unknown {
    const fault = generationFault(error, (line) => this.routes.log(line));
    if (fault instanceof EngineUnavailableError) this.isSuspect = true;
    return fault;
  }

  async forget({ name }: ServedAdapter): Promise<void> {
    await this.slots.forget(name);
    await this.folder.remove(name);
  }

  private answer(
    adapter: ServedAdapter | null,
    request: GenerateRequest,
    signal: AbortSignal,
    isLimited: boolean,
  ): AsyncGenerator<GeneratedChunk> {
    const { connection, hasChatTemplate, settings } = this.options;
    const asked = {
      ...{ provider: connection, upstream: this.upstream.for(), model: adapter?.name ?? settings.model },
      // Everything of an engine's request must be sent.
      ...{ signal, stream: true, dropped: new Dropped(true), identity: new ResponseIdentity() },
    };
    return chunksOf(generateOpenAi(asked, serverRequest(request, { hasChatTemplate, isLimited })));
  }

  private opened(): Promise<void> {
    const opening = (this.opening ??= this.open());
    opening.catch(() => {
      if (this.opening === opening) this.opening = null;
    });
    return opening;
  }

  /** An earlier process of this runner may have left adapters there. */
  private async open(): Promise<void> {
    const { model } = this.options.settings;
    await this.options.ready?.();
    const names = await this.routes.models();
    if (!names.includes(model)) {
      this.routes.log(`serves no model ${model}; it has ${names.join(', ') || 'none'}`);
      throw new EngineUnavailableError('The server that generates with this model does not have it');
    }
    const left = names.filter((name) => name.startsWith(this.folder.prefix));
    await Promise.all(left.map((name) => this.routes.unload(name)));
    await this.folder.empty();
  }
}

class ServedModel implements LoadedDecoder {
  private isClosed = false;

  constructor(
    private readonly server: VllmServer,
    private readonly adapter: ServedAdapter | null,
    readonly byteSize: number,
  ) {}

  async ready(): Promise<void> {
    const place = await this.server.take(this.adapter);
    place.leave();
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratedChunk> {
    for (let isAgain = false; ; isAgain = true) {
      const place = await this.taken(signal);
      let hasBegun = false;
      try {
        for await (const chunk of this.server.generate(this.adapter, request, signal)) {
          hasBegun = true;
          yield chunk;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (this.adapter === null || hasBegun || isAgain || !isUnknownModel(error)) throw this.server.failed(error);
        place.lost();
      } finally {
        place.leave();
      }
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.adapter) await this.server.forget(this.adapter);
  }

  private async taken(signal: AbortSignal): Promise<AdapterSlot> {
    signal.throwIfAborted();
    if (this.isClosed) throw new EngineUnavailableError('The model is not in memory any more');
    const taking = this.server.take(this.adapter);
    return unlessAborted(taking, signal).catch((error: unknown) => {
      taking.then(
        (late) => late.leave(),
        () => undefined,
      );
      throw error;
    });
  }
}
