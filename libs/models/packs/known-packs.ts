/**
 * A pretrained text encoder that Anneal knows: the origin and hashes of its files, and how its vectors are read. Others
 * are refused: which layer and pooling serve best has to be measured.
 */
export interface KnownPack {
  readonly name: string;
  /** SPDX. */
  readonly licence: string;
  /** On the hub; `revision` is null if no commit is known to hold these bytes: the default branch is asked, and the hash decides. */
  readonly repository: string;
  readonly revision: string | null;
  readonly files: { readonly [File in PackFile]: UpstreamFile };
  /** Dimensions of the vectors. */
  readonly dimensions: number;
  readonly layers: number;
  /** Name of the graph's output with the vectors of the last layer, one for each token. */
  readonly output: string;
  /** The vector of a text: that of its first token, or the mean of all. */
  readonly pooling: 'cls' | 'mean';
  /** The model was trained with it before each text. */
  readonly prefix: string;
  /** The layer whose vectors of words serve entities best, from 1. Chosen on held-out training rows. */
  readonly wordLayer: number;
}

/** Files of a pack's folder besides its manifest. */
export type PackFile = 'model.onnx' | 'tokenizer.json';
export const PACK_FILES: readonly PackFile[] = ['model.onnx', 'tokenizer.json'];

interface UpstreamFile {
  /** In the repository. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Tokens of a text, with those that mark its start and end. */
export const MAX_PACK_TOKENS = 512;

const UNCASED_TOKENIZER: UpstreamFile = {
  path: 'tokenizer.json',
  bytes: 711_396,
  sha256: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
};

export const KNOWN_PACKS: readonly KnownPack[] = [
  {
    name: 'bge-small-en-v1.5',
    licence: 'MIT',
    repository: 'Xenova/bge-small-en-v1.5',
    revision: 'ea104dacec62c0de699686887e3f920caeb4f3e3',
    files: {
      'model.onnx': {
        path: 'onnx/model_quantized.onnx',
        bytes: 34_014_426,
        sha256: '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
      },
      'tokenizer.json': UNCASED_TOKENIZER,
    },
    ...{ dimensions: 384, layers: 12, output: 'last_hidden_state', pooling: 'cls', prefix: '', wordLayer: 6 },
  },
  {
    name: 'bge-small-en-v1.5-fp32',
    licence: 'MIT',
    repository: 'BAAI/bge-small-en-v1.5',
    revision: '5c38ec7c405ec4b44b94cc5a9bb96e735b38267a',
    files: {
      'model.onnx': {
        path: 'onnx/model.onnx',
        bytes: 133_093_490,
        sha256: '828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35',
      },
      'tokenizer.json': UNCASED_TOKENIZER,
    },
    ...{ dimensions: 384, layers: 12, output: 'last_hidden_state', pooling: 'cls', prefix: '', wordLayer: 6 },
  },
  {
    name: 'e5-small-v2',
    licence: 'MIT',
    repository: 'Xenova/e5-small-v2',
    revision: null,
    files: {
      'model.onnx': {
        path: 'onnx/model.onnx',
        bytes: 133_093_467,
        sha256: 'b2a43b66f7f9b6f29643a21340ad7c03d2d91e6bd5d43429a77799a9ee880eb0',
      },
      'tokenizer.json': UNCASED_TOKENIZER,
    },
    ...{ dimensions: 384, layers: 12, output: 'last_hidden_state', pooling: 'mean', prefix: 'query: ', wordLayer: 8 },
  },
  {
    name: 'all-MiniLM-L6-v2',
    licence: 'Apache-2.0',
    repository: 'Xenova/all-MiniLM-L6-v2',
    revision: null,
    files: {
      'model.onnx': {
        path: 'onnx/model.onnx',
        bytes: 90_984_153,
        sha256: 'ca46f1a88a9c6e61b918af1ab38be3e7903b986616551f0a6f10a7ecc5730cd4',
      },
      'tokenizer.json': {
        path: 'tokenizer.json',
        bytes: 711_661,
        sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
      },
    },
    ...{ dimensions: 384, layers: 6, output: 'output_0', pooling: 'mean', prefix: '', wordLayer: 4 },
  },
];

export const knownPack = (name: string): KnownPack | null => KNOWN_PACKS.find((pack) => pack.name === name) ?? null;
