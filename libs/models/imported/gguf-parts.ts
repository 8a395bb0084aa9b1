import { ImportError } from './import-error.js';

/** The name that `llama-gguf-split` gives each part of a file that it splits. */
const PART = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/;

/** The names of all files of a GGUF model that has a file of this name, in their order: the name itself if it is not of a part. */
export function ggufParts(name: string): readonly string[] {
  const [, stem, , of] = PART.exec(name) ?? [];
  if (of === undefined || Number(of) === 0) return [name];
  return Array.from({ length: Number(of) }, (_, at) => `${stem}-${String(at + 1).padStart(5, '0')}-of-${of}.gguf`);
}

/** The GGUF models among these files, each by its first part. */
export const ggufModels = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name) => name.endsWith('.gguf')).map((name) => ggufParts(name)[0]!)),
];

/** @throws ImportError naming the first missing part */
export function requireParts(place: string, model: string, names: readonly string[]): void {
  const parts = ggufParts(model);
  const missing = parts.find((part) => !names.includes(part));
  if (missing !== undefined)
    throw new ImportError(`${place} has no ${missing}, one of the ${parts.length} parts of a model`);
}

/** Whether a model in these files is a GGUF file in parts, which llama.cpp loads and transformers does not. */
export const isInParts = (names: readonly string[]): boolean => names.some((name) => ggufParts(name).length > 1);

/** @throws ImportError for a model in parts */
export function refuseParts(place: string, names: readonly string[]): void {
  const first = names.find((name) => ggufParts(name).length > 1);
  if (first === undefined) return;
  throw new ImportError(
    `${place} has its model in ${ggufParts(first).length} parts, which only the llama engine loads: install it (npx anneal engine install llama), ` +
      `or merge them (llama-gguf-split --merge ${ggufParts(first)[0]!} MERGED.gguf) and import the folder of MERGED.gguf`,
  );
}
