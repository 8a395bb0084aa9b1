import { createRequire } from 'node:module';

/**
 * The optional packages that run packs, which are missing after `npm ci --omit=optional`. Their types are declared at
 * their use, so that the project compiles without them.
 */
export const TOKENIZERS = '@huggingface/tokenizers';
export const NATIVE = 'onnxruntime-node/dist/binding.js';
export const WASM = {
  glue: 'onnxruntime-web/ort-wasm-simd-threaded.mjs',
  code: 'onnxruntime-web/ort-wasm-simd-threaded.wasm',
};

const require = createRequire(import.meta.url);

/** The package that packs need and that is not installed; null when all is here. */
export function missingRuntime(): string | null {
  if (!isInstalled(TOKENIZERS)) return TOKENIZERS;
  return isInstalled(NATIVE) || isInstalled(WASM.code) ? null : 'onnxruntime-node';
}

export function isInstalled(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
