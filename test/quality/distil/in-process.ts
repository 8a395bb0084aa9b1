import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { predictionOf } from '#calls/cascade/prediction.js';
import { calibrate, type JudgedCall } from '#distillation/agreement/bound.js';
import { tooOneSided } from '#distillation/agreement/one-sided.js';
import { areOneAnswer } from '#distillation/agreement/rows.js';
import { canonicalAnswer } from '#distillation/calls/answers.js';
import { canonicalRequest } from '#distillation/calls/canonical.js';
import type { TextVectors } from '#distillation/copies/copies.js';
import { agree } from '#distillation/mapping/agreement.js';
import { writeAnswer } from '#distillation/mapping/write.js';
import { rowsOf, type TaughtRows } from '#distillation/rows.js';
import { studentText } from '#distillation/task.js';
import { cut } from '#distillation/tasks/matcher.js';
import type { JsonObject } from '#domain/json.js';
import { heldOutBy, type DatasetPin, type TrainingConfiguration } from '#domain/training-job/index.js';
import { createEmbedder } from '#gpu-runner/engines/builtin/embedder/index.js';
import { BUILTIN_EMBEDDER } from '#gpu-runner/engines/builtin/embedder/facts.js';
import { certainSteps } from '#gpu-runner/engines/certainty.js';
import type { Engine, LoadedModel, TrainReport } from '#gpu-runner/engines/engine.js';
import { drain } from '#gpu-runner/engines/steps.js';
import { ownSchema } from '#gpu-runner/serving/encoders/own-schema.js';
import type { WorkContext } from '#gpu-runner/work/context.js';
import { crossValidated } from '#gpu-runner/work/evaluation/cross-validation.js';
import { predictionLine } from '#gpu-runner/work/evaluation/predictions.js';
import type { PinnedEngine } from '#gpu-runner/work/pinned-engine.js';
import { corrected, readSplit } from '#gpu-runner/work/rows/held-out.js';
import { encoderLearning, engineSettings } from '#gpu-runner/work/training/learning.js';
import { FolderObjectStore } from '#ports/object-store/folder/index.js';
import { foldsFor } from '#use-cases/evaluations/commands/cross-validation.js';
import { whyNot } from '#use-cases/distillation/figures.js';
import { LEAST_OF_COPIES } from '#use-cases/distillation/text-embedder.js';
import { resolveConfiguration } from '#use-cases/training-jobs/configuration.js';
import { enginesHere } from '../systems.js';
import type { Case } from './cases.js';
import { drawOf, figuresOf, messagesOf, ORDER, recordedCalls, unlikeOf, type LiveCall } from './draw.js';
import type { AnsweredText } from './orders.js';
import { patientPacks, sentences } from './patient-packs.js';
import { TARGETS, type DrawResult } from './results.js';

const MODELS = { base: 'anneal/encoder-base-v1', pack: 'anneal/encoder-small-v1' } as const;

type Taught = Extract<TaughtRows, { readonly kind: 'rows' }>;

/**
 * A draw as the system would distil and serve it, by its own code, in this process: without HTTP, and with each text encoded once for all
 * draws. `measureOverHttp` of the same draw gives the same figures.
 * @param draw from 1
 */
export async function measureInProcess(own: Case, draw: number): Promise<DrawResult> {
  const started = performance.now();
  const { recorded, watched, live } = drawOf(own, draw);
  const directory = await mkdtemp(join(tmpdir(), 'distil-'));
  const result = (status: string, reason: string | null, more: Partial<DrawResult> = {}): DrawResult => ({
    ...{ case: own.name, draw, date: new Date().toISOString(), recorded: recorded.length, learned: null },
    ...{ live: 0, status, reason, unlike: {}, figures: [] },
    ...more,
    seconds: Math.round((performance.now() - started) / 1_000),
  });
  try {
    const taught = await rowsOf(recordedCalls(own.task.prompt, recorded), ORDER, async (texts) =>
      own.isPack ? packVectors(texts) : baseVectors(texts),
    );
    if (taught.kind === 'refused') return result('refused', taught.reason);
    const learned = taught.rows.length;
    const student = await Student.taught(own, taught, directory);
    const judged = await student.judged();
    const [target] = TARGETS;
    const found = calibrate(judged, target);
    if (found.kind !== 'bound') return result('refused', whyNot(found, judged.length, target), { learned });
    const agreed = judged.filter(({ agrees }) => agrees).length;
    const oneSided = tooOneSided(
      judged.map(({ expected }) => expected),
      agreed,
    );
    if (oneSided !== null) return result('refused', oneSided, { learned });
    await student.train();
    const seen = watched.flatMap((text) => student.answer(text, 'as compared') ?? []);
    const asked = live.map((text) => student.answer(text, 'to the byte') ?? OTHER_PROMPT);
    const figures = figuresOf(judged, seen, asked);
    return result('in_use', null, { learned, live: live.length, unlike: unlikeOf(asked), figures });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** What the student is not asked. */
const OTHER_PROMPT: LiveCall = { certainty: -1, agrees: false, unlike: null };

class Student {
  private model: LoadedModel | null = null;

  private constructor(
    private readonly prompt: string,
    private readonly taught: Taught,
    private readonly datasets: readonly DatasetPin[],
    private readonly configuration: TrainingConfiguration,
    private readonly pinned: PinnedEngine & { readonly kind: 'encoder' },
    private readonly context: WorkContext,
  ) {}

  static async taught({ task, isPack }: Case, taught: Taught, directory: string): Promise<Student> {
    const id = isPack ? MODELS.pack : MODELS.base;
    const { engine, model } = enginesHere().baseModel(id)!;
    const { engine: own } = (await import(engine.module)) as { readonly engine: Engine };
    const objectStore = new FolderObjectStore({
      directory,
      signingKeys: [randomBytes(32)],
      publicUrl: 'http://localhost',
    });
    const { rows } = taught;
    const content = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const object = await objectStore.put('rows.jsonl', content);
    const pins = [{ name: 'rows', versionId: 'rows', versionNumber: 1, object, rows: rows.length, heads: [] }];
    const configuration = configurationOf(id, taught, pins);
    const ofTexts = rows.every((row) => 'label' in row);
    const pinned = {
      kind: 'encoder',
      engine: isPack ? patientPacks(ofTexts ? 'sentence' : 'both') : own,
      baseDirectory: model.directory,
    } as const;
    const silent = () => undefined;
    const context: WorkContext = {
      ...{ objectStore, directory, signal: new AbortController().signal, pinned: async () => pinned },
      say: { report: silent, progress: silent, working: silent, log: silent },
    };
    return new Student(task.prompt, taught, pins, configuration, pinned, context);
  }

  /** The recorded calls as they are answered out of fold. */
  async judged(): Promise<readonly (JudgedCall & { readonly expected: JsonObject })[]> {
    const { datasets, configuration, pinned, context, taught } = this;
    const crossValidation = { folds: foldsFor(taught.rows.length), configuration };
    const { rows, predictions } = await crossValidated({ datasets, crossValidation }, pinned, context);
    return rows.map((row, at) => {
      const line = predictionLine(row, predictions[at]!);
      const [expected, predicted] = [line.expected as JsonObject, line.predicted as JsonObject];
      const agrees = line.correct === true || areOneAnswer(taught.mapping, expected, predicted);
      return { certainty: (line.certainty as number | undefined) ?? 0, agrees, expected };
    });
  }

  /** Learns from all rows, as the job does. */
  async train(): Promise<void> {
    const { datasets, configuration, pinned, context } = this;
    const { objectStore, signal, directory } = context;
    const learning = encoderLearning(pinned);
    const { train, heldOut } = await readSplit(datasets, heldOutBy(configuration), {
      read: (some, first) => learning.read(objectStore, some, first),
      textOf: (row) => learning.textOf(row),
      corrected,
    });
    const settings = engineSettings(configuration);
    const outputDirectory = join(directory, 'job');
    const { artifactDirectory } = await learning.train(
      { settings, train, validation: heldOut, startFrom: null, resumeFrom: null, outputDirectory },
      (report: TrainReport) =>
        report.kind === 'checkpoint' ? rm(report.directory, { recursive: true, force: true }) : undefined,
      signal,
    );
    this.model = pinned.engine.load(pinned.baseDirectory, artifactDirectory);
  }

  /** The answer to a live call; null: it has another prompt than the calls that were learned from. */
  answer({ text, answer: content }: AnsweredText, by: 'as compared' | 'to the byte'): LiveCall | null {
    const { mapping, template } = this.taught;
    const model = this.model!;
    const found = cut(template, canonicalRequest({ messages: messagesOf(this.prompt, text) })!);
    if (!found) return null;
    const schema = ownSchema(model.abilities);
    const asked = { texts: [studentText(found)], schema, threshold: null, likeness: true };
    const result = drain(certainSteps((each) => model.infer(each), asked)).results[0]!;
    const said = writeAnswer(mapping, predictionOf(mapping, result, schema), new Date().toISOString());
    const agrees =
      by === 'to the byte'
        ? said.text === content
        : agree(mapping, said, canonicalAnswer({ role: 'assistant', content })!);
    return { certainty: result.certainty ?? 0, agrees, unlike: result.likeness?.unlike ?? null };
  }
}

function configurationOf(
  id: string,
  { rows, labelDescriptions }: Taught,
  pins: readonly DatasetPin[],
): TrainingConfiguration {
  const { engine } = enginesHere().baseModel(id)!;
  const labelsOf = ({ label, labels = label ?? [] }: JsonObject): readonly string[] =>
    (typeof labels === 'object' ? Object.values(labels!) : [labels]).flat().map(String);
  const rowsWith = (...keys: readonly string[]) =>
    rows.some((row) => keys.some((key) => row[key] !== undefined)) ? rows.length : 0;
  const classLabels = [...new Set(rows.flatMap(labelsOf))].toSorted();
  const tasks = new Set(rows.flatMap(({ labels }) => (labels === undefined ? [] : Object.keys(labels as JsonObject))));
  return resolveConfiguration(
    {
      ...{ base_model: id, datasets: [] },
      ...(Object.keys(labelDescriptions).length > 0 && { label_descriptions: labelDescriptions }),
    },
    {
      ...{ pins, excluded: [], rows: rows.length, taskType: '', labels: [], multiLabel: false, isPreferences: false },
      ...{ classLabels, classTasks: [...tasks].map((name) => ({ name, labels: [], multiLabel: false })) },
      ...{ classRows: rowsWith('label', 'labels'), entityRows: rowsWith('entities') },
      ...{ structureRows: rowsWith('json_structures'), relationRows: 0 },
    },
    { engine, generates: false, baseModel: { id, sha256: '' }, adapter: null },
  );
}

function baseVectors(texts: readonly string[]): TextVectors {
  const { id, dimensions } = BUILTIN_EMBEDDER;
  const { vectors, inputTokens } = drain(createEmbedder(BUILTIN_EMBEDDER.maxTokens).embed(texts, dimensions));
  const of = (at: number) => vectors.subarray(at * dimensions, (at + 1) * dimensions);
  return { vectors: texts.map((_, at) => (inputTokens[at] === null ? null : of(at))), least: LEAST_OF_COPIES[id]! };
}

const packVectors = (texts: readonly string[]): TextVectors => ({
  vectors: sentences(texts),
  least: LEAST_OF_COPIES['anneal/embedder-small-v1']!,
});
