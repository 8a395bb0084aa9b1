import { cutGraph } from '#gpu-runner/engines/packs/onnx-graph.js';
import { openTokenizer } from '#gpu-runner/engines/packs/runtime.js';
import { textFeeds } from '#gpu-runner/engines/packs/session.js';
import { wasmRuntime } from '#gpu-runner/engines/packs/wasm-runtime.js';
import { readPack, type KnownPack } from '#models/packs/index.js';
import type { Rows } from './principal-components.js';

/** Words of one run: models of 8 bits scale what runs through them by all that shares a run, so the number is part of the result. */
const WORDS_A_RUN = 64;

/** The whole words of a pack's vocabulary with letters a to z only, in its order: the most frequent first. */
function wordsOf(tokenizer: string): readonly string[] {
  const { model } = JSON.parse(tokenizer) as { readonly model: { readonly vocab: Readonly<Record<string, number>> } };
  return Object.entries(model.vocab)
    .sort(([, a], [, b]) => a - b)
    .map(([word]) => word)
    .filter((word) => /^[a-z]+$/.test(word));
}

/**
 * The pack's vector of each word as a text of its own, of length 1. Runs in WebAssembly, which computes the same numbers on every
 * processor; native code does not.
 * @param log is called now and then with the number of words done
 * @throws PackError when a file of the pack is missing or damaged
 */
export async function vectorsOf(
  pack: KnownPack,
  directory: string,
  log: (done: number) => void,
): Promise<{ readonly words: readonly string[]; readonly vectors: Rows }> {
  const { model, tokenizer } = readPack(pack, directory);
  const words = wordsOf(tokenizer);
  const encode = encoderOf(tokenizer);
  const open = await wasmRuntime();
  const session = open(cutGraph(model, [pack.output]), [pack.output]);
  const { dimensions: width } = pack;
  const data = new Float64Array(words.length * width);
  for (let from = 0; from < words.length; from += WORDS_A_RUN) {
    const run = words.slice(from, from + WORDS_A_RUN);
    const ids = run.flatMap(encode);
    const output = session.run(textFeeds(session, ids, run.length))[pack.output]!.data;
    run.forEach((_, index) => {
      const first = (index * output.length) / run.length;
      data.set(unit(output.subarray(first, first + width)), (from + index) * width);
    });
    if (from % (WORDS_A_RUN * 32) === 0) log(from);
  }
  return { words, vectors: { data, count: words.length, width } };
}

/** Ids of a word's tokens: each word is one, between the marks of start and end, so that the words of a run have equal lengths. */
function encoderOf(tokenizer: string): (word: string) => readonly number[] {
  const opened = openTokenizer(tokenizer);
  const length = opened.encode('').ids.length + 1;
  return (word) => {
    const { ids } = opened.encode(word);
    if (ids.length !== length) throw new RangeError(`"${word}" is not one token`);
    return ids;
  };
}

function unit(vector: Float32Array): Float64Array {
  let square = 0;
  for (const value of vector) square += value * value;
  const length = Math.sqrt(square);
  return Float64Array.from(vector, (value) => value / length);
}
