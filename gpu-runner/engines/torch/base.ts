import { ImportError, verify } from '#models/imported/index.js';
import { withoutPaths } from '#primitives/text/without-paths.js';
import { baseModelSha256 } from '#gpu-runner/contract/engines.js';
import { ArtifactError } from '../engine.js';
import type { BaseOfMessage } from './messages.js';

interface VerifiedBase extends BaseOfMessage {
  readonly contextTokens: number;
  /** As stated by its owner. */
  readonly licence: string | null;
}

/** An imported model, every byte checked. @throws ArtifactError */
export async function verifiedBase(directory: string): Promise<VerifiedBase> {
  try {
    const { id, contextTokens, licence } = await verify(directory);
    return { id, sha256: await baseModelSha256(directory), directory, contextTokens, licence };
  } catch (error) {
    if (error instanceof ImportError) throw new ArtifactError(withoutPaths(error.message), { cause: error });
    throw error;
  }
}

/** Imported models whose bytes were all verified once, and again after another import into their folder. */
export class VerifiedBases {
  private readonly checked = new Map<
    string,
    { readonly sha256: string | null; readonly base: Promise<BaseOfMessage> }
  >();

  /** @throws ArtifactError */
  async of(directory: string): Promise<BaseOfMessage> {
    const sha256 = await baseModelSha256(directory).catch(() => null);
    const before = this.checked.get(directory);
    if (before && before.sha256 === sha256) return before.base;
    const base = verifiedBase(directory).then(({ contextTokens: _c, licence: _l, ...facts }) => facts);
    this.checked.set(directory, { sha256, base });
    base.catch(() => this.checked.delete(directory));
    return base;
  }
}
