import { join } from 'node:path';
import {
  GLINER2_ENCODER,
  importedModel,
  ImportError,
  readGliner2Config,
  readImported,
  requireUnchanged,
  type Gliner2Config,
} from '#models/imported/index.js';
import { withoutPaths } from '#primitives/text/without-paths.js';
import { ArtifactError } from '../engine.js';
import { idsOf, tokenizerOf } from '../gliner/tokenizer.js';
import { openSession, type Tokenizer } from '../packs/runtime.js';
import type { Feed, GraphSession, Output } from '../packs/session.js';
import { readingGraph, scoringGraph, vocabularyOf, Weights } from './graph/index.js';
import { MARKS } from './prompt.js';

const WEIGHTS = 'model.safetensors';
const READING = ['word_vectors', 'field_vectors', 'counts', 'choice_scores'] as const;
type Reading = Readonly<Record<(typeof READING)[number], Output>>;

/** An imported GLiNER2 model in memory. */
export interface Gliner2Model {
  readonly config: Gliner2Config;
  /** Tokens that it reads at a time, schema and text together. */
  readonly contextTokens: number;
  /** Ids of a text's tokens, without marks of start and end. */
  tokens(text: string): readonly number[];
  /** Runs `readingGraph`. @throws ArtifactError */
  read(feeds: Readonly<Record<string, Feed>>): Reading;
  /** Runs `scoringGraph`. @throws ArtifactError */
  score(feeds: Readonly<Record<string, Feed>>): Output;
}

/**
 * Opens an imported model, the bytes of its files checked. The numbers stay in its file, which the threads of a process share.
 * @throws ArtifactError if a file is missing or damaged, or of a model that only the torch engine runs
 */
export function openGliner2(directory: string): Gliner2Model {
  try {
    const model = importedModel(directory);
    const tokenizer = tokenizerOf(readImported(model, 'tokenizer.json').toString('utf8'));
    for (const name of ['config.json', GLINER2_ENCODER, WEIGHTS]) requireUnchanged(model, name);
    const config = readGliner2Config(directory);
    const weights = Weights.open(join(directory, WEIGHTS));
    const graphs = { reading: readingGraph(weights, config), scoring: scoringGraph(weights, config) };
    weights.requireAllTaken();
    const numbers = { folder: directory, name: WEIGHTS };
    const reading = openSession(graphs.reading, READING, numbers);
    const scoring = openSession(graphs.scoring, ['scores'], numbers);
    return {
      config,
      contextTokens: model.manifest.contextTokens,
      tokens: tokensOf(tokenizer, vocabularyOf(weights)),
      read: (feeds) => outputsOf(reading, feeds),
      score: (feeds) => outputsOf(scoring, feeds)['scores']!,
    };
  } catch (error) {
    if (error instanceof ImportError) throw new ArtifactError(withoutPaths(error.message), { cause: error });
    throw error;
  }
}

/** @throws ArtifactError if the tokenizer lacks a mark, or is of another model */
function tokensOf(tokenizer: Tokenizer, vocabulary: number): Gliner2Model['tokens'] {
  const tokens = (text: string): readonly number[] => {
    const ids = idsOf(tokenizer, text, false);
    if (ids.some((id) => id < 0 || id >= vocabulary))
      throw new ArtifactError(`tokenizer.json gives tokens that ${WEIGHTS} does not know: it is of another model`);
    return ids;
  };
  for (const mark of Object.values(MARKS))
    if (tokens(mark).length !== 1) throw new ArtifactError(`tokenizer.json has no token ${mark}`);
  return tokens;
}

function outputsOf(session: GraphSession, feeds: Readonly<Record<string, Feed>>): Readonly<Record<string, Output>> {
  try {
    return session.run(Object.fromEntries(session.inputs.map((name) => [name, feeds[name]!])));
  } catch (error) {
    if (error instanceof ArtifactError) throw error;
    const why = withoutPaths((error as Error).message.split('\n')[0]!);
    throw new ArtifactError(`the model cannot be run: ${why}`, { cause: error });
  }
}
