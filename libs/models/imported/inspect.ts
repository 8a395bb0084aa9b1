import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { readGguf } from './gguf.js';
import { ggufModels, requireParts } from './gguf-parts.js';
import {
  encoderFacts,
  gliner2Facts,
  glinerFacts,
  isGliner2,
  isTextEncoder,
  type EncoderFacts,
} from './encoder-facts.js';
import { GLINER_CONFIG } from './gliner-config.js';
import { GLINER2_ENCODER } from './gliner2-config.js';
import { ImportError } from './import-error.js';
import { chosenOnnx, isGliner, ONNX_FOLDER } from './onnx-files.js';
import { readConfig, readJson, wholeNumber, type Config } from './read-json.js';
import { requireSafePatterns } from './tokenizer-patterns.js';
import { toolFamily } from './tool-families.js';

/** Facts of a decoder from its files, without loading it. */
interface DecoderFacts {
  readonly kind: 'anneal-decoder';
  /** `llama` */
  readonly architecture: string;
  readonly format: 'safetensors' | 'gguf';
  /** Tokens that it reads and writes together. */
  readonly contextTokens: number;
  /** Without one it continues texts and accepts no messages. */
  readonly hasChatTemplate: boolean;
  /** Whether its chat template shows tools, and formats their calls in a way that the torch engine reads. */
  readonly takesTools: boolean;
}

export type ModelFacts = DecoderFacts | EncoderFacts;

export interface Inspected {
  readonly facts: ModelFacts;
  /** Names of the files that the model consists of. */
  readonly files: readonly string[];
  /** Other files and folders in it, which are not needed. */
  readonly skipped: readonly string[];
}

const WANTED = [
  /^(config|generation_config|tokenizer|tokenizer_config|special_tokens_map|added_tokens|vocab)\.json$/,
  /^(merges|vocab)\.txt$/,
  /^(tokenizer\.model|chat_template\.jinja)$/,
  /^[\w.-]+\.safetensors$/,
  /^[\w.-]+\.safetensors\.index\.json$/,
  /^(LICENSE|LICENCE|NOTICE|README)(\.\w+)?$/i,
];
/** Whether a file at the top of a folder in the hub's format may be a part of the model. */
export const isWanted = (name: string): boolean =>
  WANTED.some((pattern) => pattern.test(name)) || name.endsWith('.gguf');
/** Whether a file may be a part of a GLiNER model, beside its graph. */
export const isBesideOnnx = (name: string): boolean =>
  name === GLINER_CONFIG ||
  (isWanted(name) && !/^(config|generation_config)\.json$|\.(safetensors|safetensors\.index\.json|gguf)$/.test(name));
/** Formats whose loading may run code. */
export const PICKLE = /\.(bin|pt|pth|pkl|pickle|ckpt|joblib)$/i;
const CODE = /\.py$/i;
const DEFAULT_CONTEXT_TOKENS = 2048;

/**
 * Inspects a folder in the hub's format: `config.json`, `tokenizer.json`, `*.safetensors`; or with one `*.gguf`, or the parts of one; or with
 * `gliner_config.json`, `tokenizer.json` and an ONNX graph.
 * @throws ImportError for pickles, code, and anything else than a causal language model or a text encoder
 */
export function inspect(folder: string): Inspected {
  const { names, others } = contentsOf(folder);
  const refused = names.find((name) => PICKLE.test(name) || CODE.test(name));
  if (refused !== undefined) throw new ImportError(`${join(folder, refused)} ${whyRefused(refused)}`);
  if (names.includes(GLINER_CONFIG)) {
    const graphs = others.includes(`${ONNX_FOLDER}/`) ? contentsOf(join(folder, ONNX_FOLDER)).names : [];
    const paths = [...names, ...graphs.map((name) => `${ONNX_FOLDER}/${name}`)];
    const besides = others.filter((name) => name !== `${ONNX_FOLDER}/`);
    if (isGliner(paths)) return inspectGliner(folder, paths, besides);
  }
  const wanted = names.filter(isWanted);
  const facts = factsOf(folder, wanted);
  const within = facts.kind === 'anneal-encoder' && facts.isGliner2 ? [GLINER2_ENCODER] : [];
  const needed = new Set(within.map((name) => `${dirname(name)}/`));
  const skipped = [...names.filter((name) => !isWanted(name)), ...others.filter((name) => !needed.has(name))];
  return { facts, files: [...wanted, ...within], skipped };
}

/** The only weights of a GLiNER model are those of its graph: files of other weights, and their configuration, are skipped. */
function inspectGliner(folder: string, paths: readonly string[], others: readonly string[]): Inspected {
  const refuse = (what: string) => new ImportError(`${folder} ${what}`);
  const files = [...paths.filter(isBesideOnnx), chosenOnnx(paths, null, refuse)];
  const skipped = [...paths.filter((path) => !files.includes(path)), ...others];
  return { facts: factsOf(folder, files), files, skipped };
}

const whyRefused = (name: string): string =>
  PICKLE.test(name)
    ? 'is in a format of pickles, whose loading may run code: leave it out, and have the weights as .safetensors or .gguf'
    : 'is code, which is never run: leave it out';

/** Names of files, behind links too, and of everything else, each sorted. */
function contentsOf(folder: string): { readonly names: readonly string[]; readonly others: readonly string[] } {
  const names: string[] = [];
  const others: string[] = [];
  for (const name of readable(folder, () => readdirSync(folder)).toSorted()) {
    const path = join(folder, name);
    const found = readable(path, () => statSync(path));
    requireNear(folder, path);
    if (found.isFile()) names.push(name);
    else others.push(found.isDirectory() ? `${name}/` : name);
  }
  return { names, others };
}

/** A link leads to a file of its folder, or of the `blobs` of the hub's cache that has the folder as a snapshot: else it might bring in any file here. */
function requireNear(folder: string, path: string): void {
  if (!lstatSync(path).isSymbolicLink()) return;
  const [own, blobs] = [realpathSync(folder), join(realpathSync(folder), '..', '..', 'blobs')];
  const target = realpathSync(path);
  if (![own, blobs].some((near) => target.startsWith(`${near}${sep}`)))
    throw new ImportError(`${path} is a link to a file elsewhere: put the file itself there`);
}

function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ImportError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

/**
 * Facts of the model in a folder's files. In the hub's format its weights may still be missing.
 * @param files names of the files that it consists of
 * @throws ImportError as `inspect`
 */
export function factsOf(folder: string, files: readonly string[]): ModelFacts {
  requireSafePatterns(folder, files);
  if (isGliner(files)) {
    if (!files.includes('tokenizer.json')) throw new ImportError(`${folder} has no tokenizer.json`);
    return glinerFacts(folder, files);
  }
  const ggufs = ggufModels(files);
  const isHub = files.includes('config.json');
  const [gguf, ...others] = ggufs;
  if (!isHub && gguf !== undefined && others.length === 0) {
    requireParts(folder, gguf, files);
    return ggufFacts(join(folder, gguf));
  }
  if (!isHub || ggufs.length > 0)
    throw new ImportError(
      `${folder} must hold either config.json with *.safetensors, or one .gguf file (it has ${ggufs.length} of them` +
        `${isHub ? ', and config.json' : ', and no config.json'})`,
    );
  for (const [what, is] of [
    ['a .safetensors file', (name: string) => name.endsWith('.safetensors')],
    ['tokenizer.json', (name: string) => name === 'tokenizer.json'],
  ] as const)
    if (!files.some(is)) throw new ImportError(`${folder} has no ${what.replace(/^an? /, '')}`);
  requireWholeIndex(folder, files);
  const config = readConfig(join(folder, 'config.json'));
  if (isGliner2(config)) return gliner2Facts(folder, files);
  if (isTextEncoder(config) && !isCausal(config)) return encoderFacts(folder, config, files);
  return {
    kind: 'anneal-decoder',
    ...decoderFacts(folder, config),
    format: 'safetensors',
    ...templateFacts(chatTemplateOf(folder, files)),
  };
}

function ggufFacts(path: string): DecoderFacts {
  const { architecture, contextTokens, chatTemplate } = readGguf(path);
  if (contextTokens === null) throw new ImportError(`${path} names no context length: it is no language model`);
  return { kind: 'anneal-decoder', architecture, format: 'gguf', contextTokens, ...templateFacts(chatTemplate) };
}

function decoderFacts(folder: string, config: Config): Pick<DecoderFacts, 'architecture' | 'contextTokens'> {
  const path = join(folder, 'config.json');
  const { architectures, model_type: type } = config;
  if (!isCausal(config))
    throw new ImportError(
      `${path}: architectures must name a causal language model (...ForCausalLM), or model_type a text encoder (like bert); ` +
        `it has ${JSON.stringify((architectures as readonly unknown[] | undefined)?.[0] ?? null)} and ${JSON.stringify(type ?? null)}`,
    );
  const text = (config['text_config'] as Config | undefined) ?? config;
  const contextTokens = wholeNumber(path, text, 'max_position_embeddings', DEFAULT_CONTEXT_TOKENS);
  return { architecture: typeof type === 'string' ? type : architectureOf(config), contextTokens };
}

const architectureOf = ({ architectures }: Config): string =>
  String((architectures as readonly unknown[] | undefined)?.[0]);
const isCausal = (config: Config): boolean => architectureOf(config).endsWith('ForCausalLM');

/** A model in several files has an index of them: one that is missing would be noticed only when it is loaded. */
function requireWholeIndex(folder: string, files: readonly string[]): void {
  for (const index of files.filter((name) => name.endsWith('.safetensors.index.json'))) {
    const map = (readJson(join(folder, index))['weight_map'] ?? {}) as Readonly<Record<string, string>>;
    const parts = Object.values(map);
    const missing = parts.find((part) => !files.includes(part));
    if (missing !== undefined) throw new ImportError(`${folder} has no ${missing}, which ${index} names`);
  }
}

/** The chat template of a model in the hub's format; null if it has none. */
export function chatTemplateOf(folder: string, files: readonly string[]): string | null {
  if (files.includes('chat_template.jinja')) return readFileSync(join(folder, 'chat_template.jinja'), 'utf8');
  if (!files.includes('tokenizer_config.json')) return null;
  const template = readJson(join(folder, 'tokenizer_config.json'))['chat_template'] ?? null;
  // Several templates have names; the one called `default` is used.
  const named = Array.isArray(template) ? (template as readonly { name?: unknown; template?: unknown }[]) : [];
  const chosen = named.length > 0 ? named.find(({ name }) => name === 'default')?.template : template;
  return typeof chosen === 'string' ? chosen : null;
}

const templateFacts = (template: string | null): Pick<DecoderFacts, 'hasChatTemplate' | 'takesTools'> => ({
  hasChatTemplate: template !== null && template !== '',
  takesTools: toolFamily(template) !== null,
});
