import { baseModelSha256 } from '../contract/engines.js';
import type { Work } from '../contract/work.js';
import type { Engine } from '../engine/engine.js';
import type { EngineAddress } from '../engine/registered-engine.js';
import { UnfitRunnerError } from './context.js';

/**
 * Loads the engine that the work pins, and finds its base model. A version decides what training makes; an evaluation takes the
 * engine of any version, which refuses an artifact that it cannot serve when it loads it.
 * @throws UnfitRunnerError when the runner has another engine or another base model than those
 */
export async function pinnedEngine(
  work: Work,
  engines: readonly EngineAddress[],
): Promise<{ readonly engine: Engine; readonly baseDirectory: string }> {
  const { engine: pinned } = work.request;
  const baseModel = work.kind === 'training' ? work.request.baseModel : work.request.model.baseModel;
  const found = engines.find(
    ({ name, version }) => name === pinned.name && (work.kind === 'evaluation' || version === pinned.version),
  );
  if (!found)
    throw new UnfitRunnerError(
      `This was asked of engine ${pinned.name} ${pinned.version}, but the runner has ` +
        `${engines.map(({ name, version }) => `${name} ${version}`).join(', ')}. Start it again as a new one.`,
    );
  const directory = found.baseModels.find(({ id }) => id === baseModel.id)?.directory;
  if (directory === undefined)
    throw new UnfitRunnerError(
      `The runner has no base model ${baseModel.id}, which this was asked of. Start it again as a new one.`,
    );
  const sha256 = await baseModelSha256(directory);
  if (sha256 !== baseModel.sha256)
    throw new UnfitRunnerError(
      `The base model ${baseModel.id} is not the one this was asked of: its sha256 is ${sha256}, ` +
        `not ${baseModel.sha256}. Start it again as a new one.`,
    );
  const { engine } = (await import(found.module)) as { readonly engine: Engine };
  return { engine, baseDirectory: directory };
}
