import type { ServedBy } from '#domain/inference/index.js';
import { baseModelSha256, type Engines } from '#gpu-runner/contract/engines.js';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';

/** Names the engine of each model here, and the weights of its base model or embedder. Weights are hashed once. */
export class Serving {
  private readonly known = new Map<string, Promise<ServedBy>>();

  constructor(private readonly engines: Engines<RegisteredEngine>) {}

  /**
   * @param id of a base model or an embedder, which the answer then names as its source
   * @param engine that answered. Default: the one that has the model
   */
  async told<Reply extends object>(
    id: string,
    reply: Reply,
    engine?: ServedBy['engine'],
  ): Promise<Reply & { readonly servedBy?: ServedBy }> {
    const found = this.engines.baseModel(id) ?? this.engines.embedder(id);
    if (found === null) return reply;
    let servedBy = this.known.get(id);
    if (!servedBy) this.known.set(id, (servedBy = described(found.engine, found.model.directory)));
    return { ...reply, servedBy: { ...(await servedBy), ...(engine && { engine }) } };
  }
}

async function described({ name, version }: RegisteredEngine, directory: string | undefined): Promise<ServedBy> {
  // An embedder may need no weights, or those of a server.
  const sha256 = directory === undefined ? null : await baseModelSha256(directory).catch(() => null);
  return { engine: { name, version }, weightsSha256: sha256 };
}
