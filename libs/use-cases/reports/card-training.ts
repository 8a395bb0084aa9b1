import type { JsonObject } from '#domain/json.js';
import type { Interval } from '#domain/evaluation/index.js';
import { cited, fact, notRecorded, type Statement } from './report.js';
import type { JobFacts, ModelFacts } from './model-facts.js';
import type { Names } from './names.js';

/** Labels whose figures a card lists, those with the most rows. */
const MAX_LABELS = 50;

/** Sections 2 (a) to (d): how versions were trained, and on which data. */
export function development({ jobs, datasets, versions }: ModelFacts, names: Names): readonly Statement[] {
  return [
    ...jobs.flatMap((job) => training(job, names)),
    ...(versions.some(({ data }) => data.trainingJobId === null)
      ? [notRecorded('How the models that come from the catalog were made; see the provider of each')]
      : []),
    ...[...datasets.values()].flatMap((events) => dataset(events, names)),
    notRecorded('Design choices and their reasons, trade-offs, and what the model is optimised for'),
    notRecorded('Computational resources, beyond the runner that each job names'),
  ];
}

function training({ requested, events }: JobFacts, names: Names): readonly Statement[] {
  const { jobId, modelName, baseModel, engine, configuration, datasets, startFrom, taskType, labels } = requested.data;
  const learned = datasets.map(({ name, versionNumber, rows, object }) => ({
    ...{ name, version: versionNumber, rows, sha256: object.sha256 },
  }));
  const statements: Statement[] = [
    fact(
      `Training job ${jobId} (${modelName}, ${taskType}) was requested by ${names.of(requested.metadata.actor)}: base model ${baseModel.id} (SHA-256 ${baseModel.sha256}), engine ${engine.name} ${engine.version}${startFrom ? `, starting from job ${startFrom.jobId}` : ''}. It learned ${learned.map(({ name, version, rows }) => `${rows} rows of ${name}/${version}`).join(', ')}.`,
      [cited(requested)],
      { job_id: jobId, base_model: baseModel, engine, datasets: learned, labels: [...labels] },
    ),
    fact(
      `Settings of job ${jobId}: ${JSON.stringify(configuration)}. The same rows, settings and engine give the same file.`,
      [cited(requested)],
      configuration,
    ),
  ];
  for (const event of events) {
    if (event.type === 'training-attempt-claimed.v1')
      statements.push(
        fact(`Attempt ${event.data.attempt} of job ${jobId} ran on runner ${event.data.runnerId}.`, [cited(event)]),
      );
    if (event.type === 'training-attempt-lost.v2')
      statements.push(
        fact(`Attempt ${event.data.attempt} of job ${jobId} was lost: ${event.data.reason}.`, [cited(event)]),
      );
    if (event.type === 'training-job-completed.v1') statements.push(...completed(event, jobId));
    if (event.type === 'training-job-failed.v1')
      statements.push(fact(`Job ${jobId} failed: ${event.data.reason}.`, [cited(event)]));
    if (event.type === 'training-job-deleted.v1' || event.type === 'training-job-erased.v1')
      statements.push(
        fact(
          `Job ${jobId} was ${event.type === 'training-job-erased.v1' ? 'erased: its weights are gone' : 'deleted'}.`,
          [cited(event)],
        ),
      );
  }
  return statements;
}

type Completed = Extract<JobFacts['events'][number], { type: 'training-job-completed.v1' }>;

function completed(event: Completed, jobId: string): readonly Statement[] {
  const { epochsRun, metrics, artifact } = event.data;
  const files = artifact.files.map(({ name, sha256, size }) => ({ name, sha256, size }));
  return [
    fact(
      `Job ${jobId} completed after ${epochsRun} epochs; its files: ${files.map(({ name, sha256 }) => `${name} (SHA-256 ${sha256})`).join(', ')}.`,
      [cited(event)],
      { files },
    ),
    fact(
      metrics.judgedRows === 0 || metrics.f1 === null
        ? `No row was held out of job ${jobId}, so that it has no figure of its own.`
        : `On ${metrics.judgedRows ?? 'its'} held-out rows of job ${jobId}: F1 ${digits(metrics.f1)}, precision ${digits(metrics.precision)}, recall ${digits(metrics.recall)}; ${metrics.overlappingRows ?? 'an unknown number'} of these rows had a text that was trained on too.`,
      [cited(event)],
    ),
  ];
}

type DatasetEvents = ModelFacts['datasets'] extends ReadonlyMap<string, infer Events> ? Events : never;

function dataset(events: DatasetEvents, names: Names): readonly Statement[] {
  const begun = events.find(({ type }) => type === 'dataset-version-initialized.v1');
  if (begun?.type !== 'dataset-version-initialized.v1') return [];
  const { name, versionNumber, generationType, datasetType, fileName } = begun.data;
  const what = `${name}/${versionNumber}`;
  const statements: Statement[] = [
    fact(
      `Dataset ${what} (${datasetType}) was made by ${names.of(begun.metadata.actor)} ${HOW[generationType]}${fileName ? `, from the file ${JSON.stringify(fileName)}` : ''}.`,
      [cited(begun)],
      { name, version: versionNumber, origin: generationType },
    ),
  ];
  for (const event of events) {
    if (event.type === 'dataset-version-ready.v1') {
      const { contents, object, leftOut } = event.data;
      statements.push(
        fact(
          `Dataset ${what} has ${contents.rows} rows for ${contents.heads.join(', ') || 'no head'} with ${contents.labels.length} labels, read from ${contents.container ?? contents.format}; SHA-256 ${object.sha256}. ${leftOut ? `${leftOut.rows} of ${leftOut.of} rows of the file were left out as invalid or without a label.` : 'No row was left out.'}`,
          [cited(event)],
          { rows: contents.rows, labels: contents.labels.slice(0, 500), sha256: object.sha256 },
        ),
      );
    }
    if (event.type === 'dataset-version-described.v1') {
      const { versionId: _, describedBy, describedAt, ...said } = event.data;
      const text = `Dataset ${what} was described on ${describedAt} by ${names.of(describedBy)}: ${JSON.stringify(said)}.`;
      statements.push(fact(text, [cited(event)]));
    }
    if (event.type === 'dataset-version-import-requested.v1')
      statements.push(
        fact(`Dataset ${what} comes from ${event.data.from.repoId} on a hub, commit ${event.data.from.commit}.`, [
          cited(event),
        ]),
      );
    if (event.type === 'dataset-version-merge-requested.v1')
      statements.push(
        fact(
          `Dataset ${what} was merged from ${event.data.sources.map((from) => `${from.name}/${from.versionNumber}`).join(', ')}.`,
          [cited(event)],
        ),
      );
    if (event.type === 'dataset-version-deleted.v1' || event.type === 'dataset-version-purged.v1')
      statements.push(
        fact(`Dataset ${what} was ${event.type === 'dataset-version-purged.v1' ? 'removed for good' : 'deleted'}.`, [
          cited(event),
        ]),
      );
  }
  statements.push(
    notRecorded(
      `Dataset ${what}: scope, characteristics, how data was selected, possible biases and gaps (article 10)`,
    ),
  );
  return statements;
}

const HOW = {
  upload: 'by upload',
  batch: 'from the answers of a batch',
  synthetic: 'by a generator of synthetic rows',
  labelled: 'by labelling given texts with a model',
  merge: 'by merging versions',
  hub: 'from a hub',
  feedback: 'from answers that people judged or corrected',
  distilled: 'from recorded answers of a hosted model',
} as const;

/** Section 2 (g): each evaluation with its figures and their 95% intervals. */
export function evaluations({ evaluations: all, version }: ModelFacts): readonly Statement[] {
  if (all.length === 0)
    return [notRecorded(`Evaluations of ${version === null ? 'any version' : `version ${version}`}`)];
  return all.flatMap(({ requested, completed: done }) => {
    const { metrics, sampleCount } = done.data;
    const { evaluationId, model, datasets, automatic, heldOut } = requested.data;
    const rows = `${sampleCount} ${heldOut ? 'held-out ' : ''}rows of ${datasets.map(({ name, versionNumber }) => `${name}/${versionNumber}`).join(', ')}`;
    const events = [cited(requested), cited(done)];
    const values: Record<string, JsonObject> = {};
    const say = (name: string, value: number | null, interval?: Interval) => {
      if (value === null) return [];
      values[name] = { value, ...(interval && { low: interval.low, high: interval.high }) };
      return [
        `${name} ${digits(value)}${interval ? ` (${digits(interval.low)} to ${digits(interval.high)})` : ', without an interval'}`,
      ];
    };
    const { intervals, generation } = metrics;
    const figures = [
      ...say('F1', metrics.f1, intervals?.f1),
      ...say('precision', metrics.precision, intervals?.precision),
      ...say('recall', metrics.recall, intervals?.recall),
      ...say('accuracy', metrics.accuracy, intervals?.accuracy),
      ...(generation
        ? [
            ...say('exact match', generation.exactMatch.value, generation.exactMatch),
            ...say('ROUGE-L', generation.rougeL.value, generation.rougeL),
            ...say('BLEU', generation.bleu.value, generation.bleu),
            ...(generation.judge?.score
              ? say('score of the judge', generation.judge.score.value, generation.judge.score)
              : []),
          ]
        : []),
    ];
    const labels = Object.entries(metrics.perLabel)
      .toSorted(([, a], [, b]) => b.support - a.support)
      .slice(0, MAX_LABELS)
      .map(
        ([label, its]) =>
          `${JSON.stringify(label)}: F1 ${digits(its.f1)}${rangeOf(intervals?.perLabel[label]?.f1)}, ${its.support} facts`,
      );
    const overlap = metrics.overlappingRows;
    return [
      fact(
        `Evaluation ${evaluationId} of ${model.id}${automatic ? ', started by the system,' : ''} on ${rows}, with 95% intervals: ${figures.join(', ') || 'nothing could be judged'}. ${overlap === undefined || overlap === null ? 'How many of these rows the model learned from is unknown.' : `The model learned from the texts of ${overlap} of these rows.`}`,
        events,
        { evaluation_id: evaluationId, rows: sampleCount, figures: values },
      ),
      ...(labels.length > 0 ? [fact(`By label, evaluation ${evaluationId}: ${labels.join('; ')}.`, events)] : []),
    ];
  });
}

const rangeOf = (interval: Interval | undefined): string =>
  interval ? ` (${digits(interval.low)} to ${digits(interval.high)})` : '';

/** Section 4: what the figures mean. */
export const performance = ({ evaluations: all }: ModelFacts): readonly Statement[] => [
  ...(all.length > 0
    ? [
        fact(
          'F1, precision and recall are micro averages over exact matches: an entity counts when span and label are right, a class when it is the one expected. Accuracy is the share of rows in which everything is right. Intervals come from resampling the rows.',
          [cited(all[0]!.completed)],
        ),
      ]
    : []),
  notRecorded('Why these metrics fit the intended purpose, and which figures are good enough for it'),
];

const digits = (figure: number | null): string => (figure === null ? 'not measured' : figure.toFixed(3));
