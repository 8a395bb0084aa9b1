import type { TrainMetrics, TrainRequest } from '../../engine.js';
import { effectiveLearningRate } from '../entities/index.js';
import { engineName, trainerVersion, type BaseReference } from '../artifact/index.js';

export interface CardFacts {
  readonly base: BaseReference;
  readonly request: TrainRequest;
  readonly metrics: TrainMetrics;
  readonly bestEpoch: number;
  readonly epochsRun: number;
}

/** The README.md of an artifact, as model hubs expect it: front matter, then what the model is, how good, how made. */
export function modelCard({ base, request, metrics, bestEpoch, epochsRun }: CardFacts): string {
  const { settings, train, validation } = request;
  const heads = Object.entries(metrics.heads);
  const tags = [
    ...new Set(heads.map(([head]) => (head === 'classification' ? 'text-classification' : 'token-classification'))),
  ];
  const labels = Object.entries(metrics.perLabel);
  const method = settings.trainingType === 'lora' ? `LoRA, r ${settings.loraR}, alpha ${settings.loraAlpha}` : 'full';
  return `---
library_name: anneal
base_model: ${base.id}
tags:
${tags.map((tag) => `- ${tag}`).join('\n')}
---

# Task model

A small model over ${base.tagger ? 'the vectors of a pretrained encoder, surface forms' : 'surface forms'} and word lists, trained on ${count(train.length, 'labelled row')} by the ${engineName} engine \
(trainer version ${trainerVersion}). It finds what resembles its examples; it does not understand text as a language model does.

## Figures

On ${judgedRows(validation.length, train.length)}, by the weights of epoch ${bestEpoch} of ${epochsRun}. An entity \
counts when its span and label are both exactly right, a value of a structure when its field and record are, a relation when its \
type and both ends are.

| head | F1 | precision | recall |
|---|---|---|---|
${heads.map(([head, figures]) => row(head, figures)).join('\n')}
| all | ${digits(metrics.f1)} | ${digits(metrics.precision)} | ${digits(metrics.recall)} |

| label | F1 | precision | recall | support |
|---|---|---|---|---|
${labels.map(([label, figures]) => `${row(cell(label), figures)} ${figures.support} |`).join('\n')}

## Training

| setting | value |
|---|---|
${baseRows(base)}
| method | ${method} |
| learning rate | ${effectiveLearningRate(settings)}, ${settings.scheduler}, warm-up ${settings.warmupRatio} |
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

function judgedRows(validation: number, train: number): string {
  return validation > 0
    ? count(validation, 'held-out row')
    : `its own ${count(train, 'training row')}, none being held out`;
}

function row(name: string, { f1, precision, recall }: { f1: number; precision: number; recall: number }): string {
  return `| ${name} | ${digits(f1)} | ${digits(precision)} | ${digits(recall)} |`;
}

function digits(figure: number): string {
  return figure.toFixed(3);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** A label may hold anything; a table cell may not hold a bar or a line break, nor start markup. */
function cell(label: string): string {
  return label.replace(/[\\|`*_<>[\]]/g, '\\$&').replace(/\s+/g, ' ');
}
