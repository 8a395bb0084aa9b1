import { createRequire } from 'node:module';
import { ArtifactError } from '../engine.js';
import { TOKENIZERS } from './installed.js';
import { nativeRuntime } from './native-runtime.js';
import type { GraphSession, NumbersFile, OpenSession } from './session.js';
import { wasmRuntime } from './wasm-runtime.js';

export interface Tokenizer {
  encode(text: string, options?: { readonly add_special_tokens?: boolean }): { readonly ids: readonly number[] };
}

/** Chosen once, as this module is loaded, since WebAssembly starts asynchronously and sessions are opened at once. */
const runtime: OpenSession | ArtifactError = await chosen();

/** Native code; WebAssembly, at a fifth of the speed, if there is none for this platform. */
async function chosen(): Promise<OpenSession | ArtifactError> {
  try {
    return nativeRuntime();
  } catch (native) {
    try {
      return await wasmRuntime();
    } catch (error) {
      const causes = [native, error].map((each) => (each as Error).message.split('\n')[0]);
      return new ArtifactError(`neither onnxruntime-node nor onnxruntime-web loads: ${causes.join('; ')}`);
    }
  }
}

/** @throws ArtifactError when a package is missing or does not load the model */
export function openSession(model: Uint8Array, outputs: readonly string[], numbers?: NumbersFile): GraphSession {
  if (runtime instanceof ArtifactError) throw runtime;
  return runtime(model, outputs, numbers);
}

/** @throws ArtifactError when the package is missing */
export function openTokenizer(json: string): Tokenizer {
  let Opened: new (json: object, config: object) => Tokenizer;
  try {
    ({ Tokenizer: Opened } = createRequire(import.meta.url)(TOKENIZERS) as { Tokenizer: typeof Opened });
  } catch (error) {
    throw new ArtifactError(`${TOKENIZERS} does not load: run npm ci (${(error as Error).message.split('\n')[0]})`);
  }
  return new Opened(JSON.parse(json) as object, {});
}
