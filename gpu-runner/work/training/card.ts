import type { FinishedJob, TrainingRequest } from '#domain/training-job/index.js';
import { code, datasetsTable, figuresTable, inline, learnedRows, settingsTable, slug, yaml } from '../card-parts.js';

/**
 * The README.md of a trained model whose engine writes none, in the form of model hubs. The same rows, settings and engine give the
 * same one.
 */
export function trainedCard(request: TrainingRequest, metrics: FinishedJob['metrics']): string {
  const { baseModel, engine, configuration, datasets, startFrom } = request;
  const isAdapter = configuration.trainingType === 'lora';
  const generates = request.taskType === 'decoder';
  const head = {
    library_name: isAdapter ? 'peft' : 'transformers',
    base_model: baseModel.id,
    base_model_relation: isAdapter ? 'adapter' : 'finetune',
    datasets: [...new Set(datasets.map(({ name }) => slug(name)))],
    tags: ['anneal', configuration.trainingType],
  };
  const { f1, precision, recall, bestValidationLoss, finalTrainingLoss } = metrics;
  const ofLabels = [
    ['F1', f1],
    ['precision', precision],
    ['recall', recall],
  ] as const;
  const figures = [
    ...(generates ? [] : ofLabels),
    ['validation loss, in nats', bestValidationLoss],
    ['training loss of the last epoch', finalTrainingLoss],
  ] as const;
  const what = `${isAdapter ? 'A LoRA adapter of' : 'All weights of'} a ${generates ? 'language model' : 'text encoder, with heads'}`;
  return `---
${yaml(head)}---

# Task model

${what}, trained by Anneal from ${code(baseModel.id)} on ${learnedRows(request, metrics, generates ? 'rows of chats' : 'labelled rows')}. The licence of the base model applies
to these weights too. It was not tried on other tasks than that of its rows: measure it on your own first.

## Figures

${figuresTable(figures, metrics.judgedRows)}

## Lineage

Base model ${code(baseModel.id)}, sha256 ${code(baseModel.sha256)}; engine ${inline(`${engine.name} ${engine.version}`)}${startFrom === null ? '' : `; begun from ${code(startFrom.checkpointId ?? startFrom.jobId)}`}.

${datasetsTable(request)}

## Settings

${settingsTable(request)}
`;
}
