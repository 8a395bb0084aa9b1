import type { TrainMetrics, TrainRequest } from '../../engine.js';
import { ENGINE_NAME, TRAINER_VERSION, type BaseReference } from '../artifact/index.js';

interface CardFacts {
  readonly base: BaseReference;
  readonly request: TrainRequest;
  readonly metrics: TrainMetrics;
  readonly bestEpoch: number;
  readonly epochsRun: number;
}

/** Other heads are classification, and tasks by their names. */
const OF_TOKENS = ['entities', 'structures', 'relations'];

/**
 * The README.md of an artifact, in the form of model hubs: front matter, then the model's purpose, quality and
 * training.
 */
export function modelCard({ base, request, metrics, bestEpoch, epochsRun }: CardFacts): string {
  const { settings, train, validation } = request;
  const heads = Object.entries(metrics.heads);
  const tags = [
    ...new Set(heads.map(([head]) => (OF_TOKENS.includes(head) ? 'token-classification' : 'text-classification'))),
  ];
  const method = settings.trainingType === 'lora' ? `LoRA, r ${settings.loraR}, alpha ${settings.loraAlpha}` : 'full';
  return `---
library_name: anneal
base_model: ${base.id}
tags:
${tags.map((tag) => `- ${tag}`).join('\n')}
---

# Task model

A small model over ${base.tagger ? 'the vectors of a pretrained encoder, surface forms' : 'surface forms'} and word lists, trained on ${count(train.length, 'labelled row')} by the ${ENGINE_NAME} engine \
(trainer version ${TRAINER_VERSION}). It finds what resembles its examples; it does not understand text as a language model does.

## Figures

${metrics.f1 === null ? NO_FIGURES : figures(metrics, validation.length)}

These are the weights of epoch ${bestEpoch} of ${epochsRun}.

## Training

| setting | value |
|---|---|
${baseRows(base)}
| method | ${method} |
| learning rate | ${settings.learningRate}, ${settings.scheduler}, warm-up ${settings.warmupRatio} |
| batch size | ${settings.batchSize} |
| dropout | ${settings.loraDropout} |
| weight decay | ${settings.weightDecay} |
| seed | ${settings.seed} |

The same rows, settings and engine version give the same file again.
`;
}

function baseRows({ id, sha256, tagger }: BaseReference): string {
  const rows = [`| base model | ${id}, sha256 ${sha256} |`];
  if (tagger) rows.push(`| its entity tagger | ${tagger.id}, sha256 ${tagger.sha256} |`);
  return rows.join('\n');
}

const NO_FIGURES =
  'None: no row labelled for what was trained could be held out, and on rows that the model learned from they would flatter it.';

function figures(metrics: TrainMetrics, rows: number): string {
  return `On ${count(rows, 'held-out row')}. An entity counts when its span and label are both exactly right, a value of a \
structure when its field and record are, a relation when its type and both ends are.

| head | F1 | precision | recall |
|---|---|---|---|
${Object.entries(metrics.heads)
  .map(([head, its]) => row(cell(head), its))
  .join('\n')}
| all | ${digits(metrics.f1)} | ${digits(metrics.precision)} | ${digits(metrics.recall)} |

| label | F1 | precision | recall | support |
|---|---|---|---|---|
${Object.entries(metrics.perLabel)
  .map(([label, its]) => `${row(cell(label), its)} ${its.support} |`)
  .join('\n')}`;
}

function row(name: string, { f1, precision, recall }: Pick<TrainMetrics, 'f1' | 'precision' | 'recall'>): string {
  return `| ${name} | ${digits(f1)} | ${digits(precision)} | ${digits(recall)} |`;
}

function digits(figure: number | null): string {
  return figure === null ? 'not measured' : figure.toFixed(3);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** A label may contain anything; a table cell may not contain a bar or a line break, nor start markup. */
function cell(label: string): string {
  return label.replace(/[\\|`*_<>[\]]/g, '\\$&').replace(/\s+/g, ' ');
}
