import { Injectable } from '@nestjs/common';
import { engineName, engineVersion } from '#gpu-runner/engine/builtin/artifact/versions.js';
import { BUILTIN_BASE_DIRECTORY } from '#gpu-runner/runner.js';
import { baseModelSha256 } from '#gpu-runner/work/context.js';

/** What a job or an evaluation pins of the engine that will do it. */
@Injectable()
export class PinnedEngine {
  readonly engine = { name: engineName, version: engineVersion };
  private sha256: Promise<string> | null = null;

  /** The base model's identity, read once. */
  baseSha256(): Promise<string> {
    this.sha256 ??= baseModelSha256(BUILTIN_BASE_DIRECTORY).catch((error: unknown) => {
      this.sha256 = null;
      throw error;
    });
    return this.sha256;
  }
}
