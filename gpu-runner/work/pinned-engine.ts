import type { EvaluatedModel } from '#domain/evaluation/index.js';
import { baseModelSha256 } from '../contract/engines.js';
import type { Work } from '../contract/work.js';
import type {
  DecoderEngine,
  DecoderServer,
  GenerateRequest,
  OpenDecoderServer,
  TakesRequest,
} from '#gpu-runner/engines/decoder-engine.js';
import type { EncoderEngine } from '#gpu-runner/engines/encoder-engine.js';
import type { Engine } from '#gpu-runner/engines/engine.js';
import type { EngineAddress } from '#gpu-runner/engines/registered-engine.js';

/** An engine with the base model that the work pins, by what that model is. */
export type PinnedEngine = { readonly baseDirectory: string } & (
  | { readonly kind: 'encoder'; readonly engine: Engine }
  | { readonly kind: 'encoder-process'; readonly engine: EncoderEngine }
  | {
      readonly kind: 'decoder';
      readonly engine: DecoderEngine;
      /** Serves the base model here, but for the requests that it does not take. */
      readonly server?: PinnedServer;
    }
);

/** A server of this machine that generates instead of an engine. */
export interface PinnedServer {
  readonly named: { readonly name: string; readonly version: string };
  readonly takes: (request: GenerateRequest) => boolean;
  /** Starts it. */
  readonly open: () => DecoderServer;
}

/** The attempt cannot run here as requested. The message is for the user. */
export class UnfitRunnerError extends Error {
  override readonly name = 'UnfitRunnerError';
}

/**
 * Loads the engine that the work pins, and finds its base model. Training needs the pinned version; an evaluation or
 * export accepts any version, since an engine refuses to load an artifact that it cannot serve.
 * @throws UnfitRunnerError when the runner has another engine or another base model than those
 */
export async function pinnedEngine(work: Work, engines: readonly EngineAddress[]): Promise<PinnedEngine> {
  const { engine: pinned } = work.kind === 'export' ? work.job.request : work.request;
  const baseModel = baseModelOf(work);
  const found = engines.find(
    ({ name, version }) => name === pinned.name && (work.kind !== 'training' || version === pinned.version),
  );
  if (!found)
    throw new UnfitRunnerError(
      `This was asked of engine ${pinned.name} ${pinned.version}, but the runner has ` +
        `${engines.map(({ name, version }) => `${name} ${version}`).join(', ')}. Start it again as a new one.`,
    );
  const base = found.baseModels.find(({ id }) => id === baseModel.id);
  if (base === undefined)
    throw new UnfitRunnerError(
      `The runner has no base model ${baseModel.id}, which this was asked of. Start it again as a new one.`,
    );
  const { directory, generation } = base;
  const sha256 = await baseModelSha256(directory);
  if (sha256 !== baseModel.sha256)
    throw new UnfitRunnerError(
      `The base model ${baseModel.id} is not the one this was asked of: its sha256 is ${sha256}, ` +
        `not ${baseModel.sha256}. Start it again as a new one.`,
    );
  const { engine, encoders, decoders } = (await import(found.module)) as {
    readonly engine: Engine;
    readonly encoders: EncoderEngine;
    readonly decoders: DecoderEngine;
  };
  const baseDirectory = directory;
  if (generation) {
    const server = await serverOf(found, base.id);
    return { baseDirectory, kind: 'decoder', engine: decoders, ...(server && { server }) };
  }
  return found.hasOwnProcess
    ? { baseDirectory, kind: 'encoder-process', engine: encoders }
    : { baseDirectory, kind: 'encoder', engine };
}

async function serverOf({ localServers, ...own }: EngineAddress, baseModelId: string): Promise<PinnedServer | null> {
  const address = localServers?.[baseModelId];
  if (!address) return null;
  const { serve, takes } = (await import(address.module)) as {
    readonly serve: OpenDecoderServer;
    readonly takes?: TakesRequest;
  };
  const { name, version } = address.engine ?? own;
  const takesHere = (request: GenerateRequest) => takes?.(request, address.features ?? []) ?? true;
  return { named: { name, version }, takes: takesHere, open: () => serve('') };
}

function baseModelOf(work: Work): EvaluatedModel['baseModel'] {
  if (work.kind === 'evaluation') return work.request.model.baseModel;
  return work.kind === 'export' ? work.job.request.baseModel : work.request.baseModel;
}
