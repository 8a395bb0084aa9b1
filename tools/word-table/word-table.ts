import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeArtifact } from '#gpu-runner/engines/builtin/artifact/index.js';
import type { HeadState } from '#gpu-runner/engines/builtin/head.js';
import { knownPack, type KnownPack } from '#models/packs/index.js';
import { vectorsOf } from './pack-words.js';
import { principalComponents, type Rows } from './principal-components.js';

/** The pack that the table is distilled from. */
export const SOURCE: KnownPack = knownPack('bge-small-en-v1.5')!;

/** Identity of the table in its configuration. */
const ID = 'anneal/words-base-v1';
/** Chosen on training rows of BANKING77 and SNIPS: 96 or 128 classify no better. */
const DIMENSIONS = 64;

/** Largest number of 8 bits. */
const LARGEST = 127;

/**
 * Makes the table from a pack: the vector of each word, cut to its strongest directions, in 8 bits.
 * The same pack gives the same bytes on every machine.
 * @param pack the folder of the pack
 * @param directory to write to, created where needed
 * @returns the sha256 of the table's configuration
 * @throws PackError when a file of the pack is missing or damaged
 */
export async function writeWordTable(pack: string, directory: string, log: (message: string) => void): Promise<string> {
  const { words, vectors } = await vectorsOf(SOURCE, pack, (done) => log(`${done} words`));
  log('principal components');
  const head = quantized(words, evened(principalComponents(vectors, DIMENSIONS)));
  const sha256 = writeArtifact(
    directory,
    { kind: 'base', id: ID, heads: { words: head } },
    { card: card(words.length) },
  );
  writeFileSync(join(directory, 'NOTICE.txt'), notice());
  return sha256;
}

/** Divides each direction by the root of its deviation: the strongest say most of what words are in general, least of topics. */
function evened({ data, count, width }: Rows): Rows {
  const even = new Float64Array(data.length);
  for (let column = 0; column < width; column++) {
    let square = 0;
    for (let row = 0; row < count; row++) square += data[row * width + column]! ** 2;
    const divisor = Math.sqrt(Math.sqrt(square / count));
    for (let row = 0; row < count; row++) even[row * width + column] = data[row * width + column]! / divisor;
  }
  return { data: even, count, width };
}

/** Each word's numbers by a scale of its own. */
function quantized(words: readonly string[], { data, count, width }: Rows): HeadState {
  const vectors = new Int8Array(count * width);
  const scales = new Float32Array(count);
  for (let row = 0; row < count; row++) {
    const numbers = data.subarray(row * width, (row + 1) * width);
    const scale = Math.fround(numbers.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / LARGEST);
    scales[row] = scale;
    numbers.forEach((value, at) => (vectors[row * width + at] = Math.round(value / scale)));
  }
  const text = new TextEncoder().encode(words.join('\n'));
  const { name, repository, revision, licence, files } = SOURCE;
  return {
    config: {
      dimensions: width,
      words: count,
      source: {
        ...{ pack: name, repository, revision, licence },
        files: Object.fromEntries(Object.entries(files).map(([file, { sha256 }]) => [file, sha256])),
      },
    },
    tensors: {
      text: { shape: [text.length], data: text },
      vectors: { shape: [count, width], data: vectors },
      scales: { shape: [count], data: scales },
    },
  };
}

const card = (words: number) => `# ${ID}

A vector for each of ${words} English words, by which \`anneal/encoder-base-v1\` tells which of some labels a text is nearest to in
meaning, without training data. Classifiers that are trained on few rows learn from the vectors of their texts.

- **Method**: each word was given to \`${SOURCE.repository}\` as a text of its own; of the ${SOURCE.dimensions} numbers of its
  vector, the ${DIMENSIONS} strongest principal components are kept, in 8 bits with a scale a word. A text is the sum of its words,
  rare ones weighing more.
- **Words**: the whole words of letters a to z in that model's vocabulary, in its order, which is by frequency.
- **Made with**: \`npm run build:word-table\`, from the [encoder pack](../../../../../docs/guides/packs.md) \`${SOURCE.name}\`. The same pack gives the same bytes.
- **Limits**: English; words without their context, so that negation and order mean nothing; opposites lie near each other.
- **Licence**: MIT, as that of the model (\`NOTICE.txt\`).
`;

const notice = () => `model.safetensors is derived from the weights and the vocabulary of bge-small-en-v1.5
(https://huggingface.co/BAAI/bge-small-en-v1.5), in the form that https://huggingface.co/${SOURCE.repository}
has at revision ${SOURCE.revision}.
Both are published under the MIT licence, by which this file is redistributed. The vocabulary is that of BERT
(https://github.com/google-research/bert, Apache License 2.0).

MIT License

Copyright (c) 2022 staoxiao

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;
