import {
  importedModel,
  ImportError,
  readGlinerConfig,
  readImported,
  type GlinerConfig,
} from '#models/imported/index.js';
import { withoutPaths } from '#primitives/text/without-paths.js';
import { ArtifactError } from '../engine.js';
import { GraphError, refuseExternalNumbers } from '../packs/onnx-graph.js';
import { openSession, type Tokenizer } from '../packs/runtime.js';
import type { Feed, GraphSession, Output } from '../packs/session.js';
import { idsOf, tokenizerOf } from './tokenizer.js';

/** An imported GLiNER model in memory. */
export interface GlinerGraph {
  readonly config: GlinerConfig;
  /** Tokens that it reads at a time, labels and text together. */
  readonly contextTokens: number;
  /** Ids of a text's tokens, without marks of start and end. */
  tokens(text: string): readonly number[];
  /** Ids before the labels and after the text. */
  readonly marks: { readonly before: readonly number[]; readonly after: readonly number[] };
  /** @throws ArtifactError when the graph cannot run on these */
  run(feeds: Readonly<Record<string, Feed>>): Output;
}

const OUTPUT = 'logits';
const INPUTS = {
  token: ['input_ids', 'attention_mask', 'words_mask', 'text_lengths'],
  span: ['input_ids', 'attention_mask', 'words_mask', 'text_lengths', 'span_idx', 'span_mask'],
} as const;

/** Opens an imported model, the bytes of its files checked. @throws ArtifactError if one is missing, damaged or of another kind */
export function openGliner(directory: string): GlinerGraph {
  try {
    const model = importedModel(directory);
    const graph = Object.keys(model.manifest.files).find((name) => name.endsWith('.onnx')) ?? 'model.onnx';
    readImported(model, 'gliner_config.json');
    const config = readGlinerConfig(directory);
    const tokenizer = tokenizerOf(readImported(model, 'tokenizer.json').toString('utf8'));
    const content = readImported(model, graph);
    refuseExternalNumbers(content);
    const session = openSession(content, [OUTPUT]);
    requireInputs(session, config);
    const tokens = (text: string) => idsOf(tokenizer, text, false);
    requireTokens(tokens, config);
    const run = (feeds: Readonly<Record<string, Feed>>) => outputOf(session, feeds);
    return { config, contextTokens: model.manifest.contextTokens, tokens, marks: marksOf(tokenizer, config), run };
  } catch (error) {
    if (error instanceof ImportError || error instanceof GraphError)
      throw new ArtifactError(withoutPaths(error.message), { cause: error });
    throw error;
  }
}

/** Inputs that a graph makes no use of may be missing. */
function requireInputs({ inputs }: GraphSession, { mode }: GlinerConfig): void {
  const known: readonly string[] = INPUTS[mode];
  if (inputs.every((name) => known.includes(name)) && inputs.includes('span_idx') === (mode === 'span')) return;
  throw new ArtifactError(
    `the graph reads ${inputs.join(', ')}; one of the span_mode in gliner_config.json reads ${known.join(', ')}`,
  );
}

function requireTokens(tokens: GlinerGraph['tokens'], { entToken, sepToken }: GlinerConfig): void {
  for (const token of [entToken, sepToken])
    if (tokens(token).length !== 1) throw new ArtifactError(`tokenizer.json has no token ${token}`);
}

/** The tokens around a text: those around the token of labels, which is in no mark. */
function marksOf(tokenizer: Tokenizer, { entToken }: GlinerConfig): GlinerGraph['marks'] {
  const ids = idsOf(tokenizer, entToken, true);
  const at = ids.indexOf(idsOf(tokenizer, entToken, false)[0]!);
  return { before: ids.slice(0, at), after: ids.slice(at + 1) };
}

function outputOf(session: GraphSession, feeds: Readonly<Record<string, Feed>>): Output {
  let output: Output | undefined;
  try {
    output = session.run(Object.fromEntries(session.inputs.map((name) => [name, feeds[name]!])))[OUTPUT];
  } catch (error) {
    if (error instanceof ArtifactError) throw error;
    const why = withoutPaths((error as Error).message.split('\n')[0]!);
    throw new ArtifactError(`the graph cannot read ${feeds['input_ids']!.data.length} tokens: ${why}`, {
      cause: error,
    });
  }
  if (!output) throw new ArtifactError(`the graph has no output ${OUTPUT}`);
  return output;
}
