import { basename } from 'node:path';
import type { HubModelFile } from '../hub/index.js';
import { ggufModels, ggufParts } from './gguf-parts.js';
import { GLINER2_ENCODER } from './gliner2-config.js';
import { ImportError } from './import-error.js';
import { isBesideOnnx, isWanted, PICKLE } from './inspect.js';
import { chosenOnnx, isGliner } from './onnx-files.js';

export interface ChosenFile extends HubModelFile {
  /** Name of the file in the model's folder. */
  readonly name: string;
}

interface Choice {
  /** Weights come last, so that a model is refused by its configuration before they are fetched. */
  readonly files: readonly ChosenFile[];
  /** Paths of the other files, which are not fetched. */
  readonly skipped: readonly string[];
}

const MAX_NAMED = 12;
const PARTS = /-\d{5}-of-\d{5}\.\w+$/;
const PROSE = /^(LICENSE|LICENCE|NOTICE|README)(\.\w+)?$/i;

/**
 * The files of a repository that make up one model: safetensors or a GLiNER graph with their configuration and tokenizer,
 * or one GGUF file.
 * @param file the path of the requested GGUF file or graph; null: the safetensors or `model.onnx`, or the only file
 * @throws ImportError naming the repository's files if they are not a model, or several
 */
export function chooseFiles(repository: string, listed: readonly HubModelFile[], file: string | null): Choice {
  const refuse = (what: string) => new ImportError(`${repository} ${what}`);
  const weights = file === null ? weightsOf(listed, refuse) : namedWeights(listed, file, refuse);
  const isGguf = weights[0]!.path.endsWith('.gguf');
  const isGraph = weights[0]!.path.endsWith('.onnx');
  const isBeside = ({ path }: HubModelFile) =>
    isGguf
      ? PROSE.test(path)
      : isGraph
        ? isBesideOnnx(path)
        : (isWanted(path) && !isWeights(path)) || path === GLINER2_ENCODER;
  const files = [...listed.filter(isBeside), ...weights];
  const chosen = new Set(pathsOf(files));
  return {
    files: files.map((file) => ({ ...file, name: isGguf ? basename(file.path) : file.path })),
    skipped: pathsOf(listed).filter((path) => !chosen.has(path)),
  };
}

const isWeights = (path: string): boolean => /\.(safetensors|gguf)$/.test(path);

type Refuse = (what: string) => ImportError;

function weightsOf(listed: readonly HubModelFile[], refuse: Refuse): readonly HubModelFile[] {
  if (isGliner(pathsOf(listed))) return graphOf(listed, null, refuse);
  const has = (name: string) => listed.some(({ path }) => path === name);
  const top = listed.filter(({ path }) => /^[^/]+\.safetensors$/.test(path));
  if (has('config.json') && top.length > 0) {
    // A repository may have its weights a second time, in the format of another program (consolidated.safetensors).
    const whole = top.filter(({ path }) => path === 'model.safetensors');
    const parts = top.filter(({ path }) => PARTS.test(path));
    return [whole, parts, top].find((some) => some.length > 0)!;
  }
  const paths = pathsOf(listed);
  const [gguf, ...others] = ggufModels(paths);
  if (others.length > 0)
    throw refuse(`has ${others.length + 1} GGUF files: choose one by --file (${namesOf([gguf!, ...others])})`);
  if (gguf !== undefined) return namedGguf(listed, gguf, refuse);
  const pickles = listed.filter(({ path }) => PICKLE.test(path));
  if (pickles.length > 0)
    throw refuse(
      `has its weights in formats of pickles alone, whose loading may run code (${namesOf(pickles.map(({ path }) => path))}): .safetensors or .gguf are needed`,
    );
  throw refuse(
    'has neither config.json with *.safetensors, nor gliner_config.json with an .onnx file, nor a .gguf file',
  );
}

function namedWeights(listed: readonly HubModelFile[], file: string, refuse: Refuse): readonly HubModelFile[] {
  const isGraph = file.endsWith('.onnx') && isGliner(pathsOf(listed));
  return isGraph ? graphOf(listed, file, refuse) : namedGguf(listed, file, refuse);
}

/** @param requested its path; null: `model.onnx`, or the only one */
function graphOf(listed: readonly HubModelFile[], requested: string | null, refuse: Refuse): readonly HubModelFile[] {
  const chosen = chosenOnnx(pathsOf(listed), requested, refuse);
  return listed.filter(({ path }) => path === chosen);
}

const pathsOf = (listed: readonly HubModelFile[]): readonly string[] => listed.map(({ path }) => path);

/** The file of this path, and the other parts of its model. */
function namedGguf(listed: readonly HubModelFile[], gguf: string, refuse: Refuse): readonly HubModelFile[] {
  if (!gguf.endsWith('.gguf'))
    throw new ImportError(`--file must name a .gguf file, or an .onnx file of a GLiNER model (got ${gguf})`);
  const [first, ...others] = ggufParts(gguf);
  if (first !== gguf) throw new ImportError(`--file must name the first part of a model, ${first} (got ${gguf})`);
  return [gguf, ...others].map((part) => {
    const found = listed.find(({ path }) => path === part);
    const ggufs = pathsOf(listed).filter((path) => path.endsWith('.gguf'));
    if (!found) throw refuse(`has no ${part}; it has ${namesOf(ggufs) || 'no .gguf file'}`);
    return found;
  });
}

const namesOf = (names: readonly string[]): string => {
  const more = names.length - MAX_NAMED;
  return [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
};
