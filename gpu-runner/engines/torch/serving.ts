import { unlessAborted } from '#primitives/waiting/unless-aborted.js';
import type { AnswerLoss, ChatExample, GeneratedChunk, GenerateRequest, LoadedDecoder } from '../decoder-engine.js';
import type { LoadedEncoder } from '../encoder-engine.js';
import type { InferRequest, InferResponse, ModelAbilities } from '../engine.js';
import { EngineUnavailableError, type ProcessModel } from '../process-model.js';
import type { LoadedMessage } from './messages.js';
import type { StartEngine } from './process.js';
import { TorchSession, type Parts } from './session.js';

const TORCH = 'torch';

/**
 * Serves all of a runner's models of one engine by one process, started when first needed. If that is lost, running
 * calls end with an error, and the next call starts another and loads its model again.
 */
export class TorchServing {
  private session: Promise<TorchSession> | null = null;

  constructor(
    private readonly start: StartEngine,
    /** Name of the engine. */
    private readonly engine = TORCH,
  ) {}

  async decoder(baseDirectory: string, adapter: string | null): Promise<LoadedDecoder> {
    const model = new (this.engine === TORCH ? ScoringDecoder : ProcessDecoder)(this, {
      ...{ kind: 'decoder', baseDirectory, adapter },
    });
    await model.ready();
    return model;
  }

  async encoder(baseDirectory: string, adapter: string | null): Promise<LoadedEncoder> {
    const model = new TorchEncoder(this, { kind: 'encoder', baseDirectory, adapter });
    await model.ready();
    return model;
  }

  /** The process that runs, or a new one. @throws EngineUnavailableError */
  async open(): Promise<TorchSession> {
    const before = this.session;
    const session = await before?.catch(() => null);
    if (session && !session.isOver) return session;
    if (this.session === before) this.session = null;
    return (this.session ??= TorchSession.start(this.start, this.engine));
  }

  async close(): Promise<void> {
    const session = await this.session?.catch(() => null);
    await session?.stop();
  }
}

/** A model in the memory of the process, reloaded if the process was lost. */
abstract class TorchModel implements ProcessModel {
  byteSize = 0;
  private here: { readonly session: TorchSession; readonly loading: Promise<LoadedMessage> } | null = null;
  private isClosed = false;

  constructor(
    private readonly serving: TorchServing,
    private readonly parts: Parts,
  ) {}

  async ready(): Promise<void> {
    await this.loaded();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { here } = this;
    if (here) await here.session.unload((await here.loading).model);
  }

  protected take({ byteSize }: LoadedMessage): void {
    this.byteSize = byteSize;
  }

  /**
   * The process that has the model loaded. A restarted process takes minutes; the load continues for other calls once
   * the signal is aborted.
   */
  protected async at(signal: AbortSignal): Promise<{ readonly session: TorchSession; readonly key: string }> {
    signal.throwIfAborted();
    if (this.isClosed) throw new EngineUnavailableError('The model is not in memory any more');
    return unlessAborted(this.loaded(), signal);
  }

  /** Loads it, unless the process that runs has it. */
  private async loaded(): Promise<{ readonly session: TorchSession; readonly key: string }> {
    const session = await this.serving.open();
    if (this.here?.session !== session) {
      const here = { session, loading: session.load(this.parts) };
      this.here = here;
      here.loading.catch(() => {
        if (this.here === here) this.here = null;
      });
      this.take(await here.loading);
    }
    return { session, key: (await this.here.loading).model };
  }
}

class ProcessDecoder extends TorchModel implements LoadedDecoder {
  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratedChunk> {
    const { session, key } = await this.at(signal);
    yield* session.generate(key, request, signal);
  }
}

/** llama.cpp's process answers no `score`. */
class ScoringDecoder extends ProcessDecoder {
  async score(chat: ChatExample, signal: AbortSignal): Promise<AnswerLoss> {
    const { session, key } = await this.at(signal);
    return session.score(key, chat, signal);
  }
}

class TorchEncoder extends TorchModel implements LoadedEncoder {
  abilities: ModelAbilities = { entityLabels: null, classLabels: null, multiLabel: false };

  async infer(request: InferRequest, signal: AbortSignal): Promise<InferResponse> {
    const { session, key } = await this.at(signal);
    return session.infer(key, request, signal);
  }

  protected override take(loaded: LoadedMessage): void {
    super.take(loaded);
    if (loaded.abilities) this.abilities = loaded.abilities;
  }
}
