import { basename } from 'node:path';
import { inOrderFor } from '#primitives/rendezvous.js';
import {
  EngineUnavailableError,
  type DecoderServer,
  type GeneratedChunk,
  type GenerateRequest,
  type LoadedDecoder,
} from '../decoder-engine.js';

interface NamedServer {
  readonly name: string;
  readonly server: DecoderServer;
}

/**
 * Several servers with one base model. An adapter is loaded into the first of its order, which every runner finds alike (`inOrderFor`); the
 * base is served by all in turns.
 * A server that cannot answer is left out until it can.
 */
export class SpreadServer implements DecoderServer {
  private turn = 0;

  constructor(private readonly servers: readonly NamedServer[]) {}

  async load(baseDirectory: string, adapterDirectory: string | null): Promise<LoadedDecoder> {
    const load = ({ server }: NamedServer) => server.load(baseDirectory, adapterDirectory);
    const model = new SpreadModel(() => this.orderFor(adapterDirectory), load);
    await model.ready();
    return model;
  }

  async close(): Promise<void> {
    await Promise.all(this.servers.map(({ server }) => server.close()));
  }

  private orderFor(adapterDirectory: string | null): readonly NamedServer[] {
    if (adapterDirectory !== null) return inOrderFor(basename(adapterDirectory), this.servers, nameOf);
    this.turn = (this.turn + 1) % this.servers.length;
    return [...this.servers.slice(this.turn), ...this.servers.slice(0, this.turn)];
  }
}

const nameOf = ({ name }: NamedServer): string => name;

class SpreadModel implements LoadedDecoder {
  byteSize = 0;
  private readonly loaded = new Map<NamedServer, Promise<LoadedDecoder>>();

  constructor(
    private readonly order: () => readonly NamedServer[],
    private readonly load: (server: NamedServer) => Promise<LoadedDecoder>,
  ) {}

  async ready(): Promise<void> {
    await this.first(async (model) => model.ready());
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratedChunk> {
    const { chunks, result } = await this.first(async (model) => {
      const answer = model.generate(request, signal)[Symbol.asyncIterator]();
      return { chunks: answer, result: await answer.next() };
    });
    try {
      for (let next = result; !next.done; next = await chunks.next()) yield next.value;
    } finally {
      await chunks.return?.();
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.loaded.values()].map(async (model) => (await model).close()));
  }

  /** The result of the first server that can. @throws the error of the last one */
  private async first<Result>(act: (model: LoadedDecoder) => Promise<Result>): Promise<Result> {
    let unavailable: unknown;
    for (const server of this.order())
      try {
        return await act(await this.at(server));
      } catch (error) {
        if (!(error instanceof EngineUnavailableError)) throw error;
        unavailable = error;
      }
    throw unavailable;
  }

  private at(server: NamedServer): Promise<LoadedDecoder> {
    const known = this.loaded.get(server);
    if (known) return known;
    const loading = this.load(server);
    this.loaded.set(server, loading);
    loading.then(
      ({ byteSize }) => (this.byteSize = byteSize),
      () => this.loaded.delete(server),
    );
    return loading;
  }
}
