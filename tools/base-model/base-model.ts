import type { BaseArtifact } from '#gpu-runner/engines/builtin/artifact/index.js';
import { joinStates, partOfState } from '#gpu-runner/engines/builtin/entities/states.js';
import { buildGazetteer } from '#gpu-runner/engines/builtin/features/gazetteer.js';
import type { HeadState } from '#gpu-runner/engines/builtin/head.js';
import { trainBaseTagger } from './base-training.js';
import { Coinage } from './coinage.js';
import { ENTITY_TYPE_NAMES, ENTITY_TYPES } from '#gpu-runner/engines/builtin/labels/entity-types.js';
import { gazetteerLexicons } from './gazetteer-lexicons.js';
import { trainingRows } from './training-rows.js';
import { WordLists } from './word-lists.js';

/** Identity of the base model in artifacts and in the catalog. */
const baseModelId = 'anneal/encoder-base-v1';

const seed = 20_240_501;
/** Rows of each template, and rows of templates drawn by weight. */
const rounds = 1;
const drawnRows = 32_000;
const epochs = 3;
/** Features seen less often are left out; respelt names are mostly seen once or twice. */
const minimumCount = 3;
/**
 * Share of the open word lists that training does not see in the gazetteer, so that context and shape get weights of their
 * own. The model is served with the whole lists.
 */
const heldOut = 0.1;
/** Share of listed names that training sees respelt. */
const coinedShare = 0.33;
const prune = 0.06;

/**
 * Factor on all scores: the inverse of a temperature. Feature dropout and unlike texts leave the marginals too flat; chosen on
 * the tuning half of the everyday sentences and on the development part of WNUT-17.
 */
const sharpness = 1.4;

/** Generates the training rows and trains on them. Deterministic: no clock, no other source of chance than the seed. */
export function buildBaseModel(log: (message: string) => void): { artifact: BaseArtifact; card: string } {
  const lists = new WordLists();
  const coinage = new Coinage(coinedShare);
  const examples = trainingRows(lists, seed, rounds, drawnRows, coinage);
  log(`${examples.length} rows`);
  const trained = trainBaseTagger(examples, {
    gazetteer: buildGazetteer(gazetteerLexicons(lists, heldOut, seed, coinage)),
    types: ENTITY_TYPE_NAMES,
    seed,
    epochs,
    minimumCount,
    prune,
    log,
  });
  const gazetteer = buildGazetteer(gazetteerLexicons(lists, 0, seed)).toState();
  const entities = sharpened(withGazetteer(trained, gazetteer), sharpness);
  return { artifact: { kind: 'base', id: baseModelId, heads: { entities } }, card: modelCard(examples.length) };
}

/** Replaces the gazetteer; its classes must be the same in the same order, as their indices are features. */
function withGazetteer(state: HeadState, gazetteer: HeadState): HeadState {
  const weights = partOfState(state, 'weights')!;
  const parts = joinStates({ gazetteer, weights });
  return {
    config: { ...state.config, ...parts.config },
    tensors: { transitions: state.tensors['transitions']!, ...parts.tensors },
  };
}

function sharpened(state: HeadState, factor: number): HeadState {
  const weights = state.config['weights'] as { readonly scale: number };
  const transitions = state.tensors['transitions']!;
  return {
    config: { ...state.config, weights: { ...weights, scale: weights.scale * factor } },
    tensors: {
      ...state.tensors,
      transitions: { ...transitions, data: (transitions.data as Float32Array).map((weight) => weight * factor) },
    },
  };
}

function modelCard(rows: number): string {
  return `# ${baseModelId}

A tagger of ${ENTITY_TYPES.length} entity types for English texts that works without any training data. It is the base of every adapter
trained with the built-in engine: its tag probabilities are their prior and some of their features.

- **Method**: linear-chain CRF over sparse surface features and word lists; weights pruned and quantised to int8.
- **Training data**: ${rows} sentences made from templates and word lists by the project's own deterministic script. No text of
  third parties: the word lists were written for this project or are locale lists of \`@faker-js/faker\` (MIT).
- **Made with**: \`npm run build:base-model\`. The same sources give the same bytes.
- **Classes**: labels that it was not trained on are chosen by their names: by their words in the text, by short lists of words for common
  labels, and by the [table of word vectors](words/README.md) in \`words\`, which is derived from \`bge-small-en-v1.5\` (MIT, \`words/NOTICE.txt\`).
  Classifiers of up to 5,000 rows learn from that table too. It is no part of this model's identity: adapters that were trained without it are
  served, and those that learned from it name it, and are refused with another.
- **Limits**: it knows surface forms, word lists and short contexts, nothing of the world; it reads English best; titles of works,
  bands and little-known products are often missed or confused; nested entities are flattened
  (models trained on nested spans find them).
- **Licence**: that of the project; of \`words\`, MIT.

| type | meaning |
|---|---|
${ENTITY_TYPES.map(({ name, description }) => `| \`${name}\` | ${description} |`).join('\n')}
`;
}
