import { join } from 'node:path';
import type { EvaluationMetrics, StoredAnswers } from '#domain/evaluation/index.js';
import type { DatasetPin } from '#domain/training-job/index.js';
import type { JsonObject } from '#domain/json.js';
import { answerOf, MAX_ANSWER_TOKENS, promptOf, type Chat } from '#evaluations/chats.js';
import { figuresOfCounts, perplexityOf } from '#evaluations/generation-figures.js';
import { countsOf, isExact, type Answered } from '#evaluations/row-counts.js';
import type { AnswerLine, VerdictLine } from '../contract/answers.js';
import type { EvaluationWork } from '../contract/work.js';
import {
  RefusedGenerationError,
  type AnswerLoss,
  type ChatExample,
  type DecoderEngine,
  type GenerateRequest,
  type LoadedDecoder,
} from '../engine/decoder-engine.js';
import type { EncoderEngine } from '../engine/encoder-engine.js';
import type { Engine, EvaluationOutcome, Example } from '../engine/engine.js';
import { evaluationFigures, rowFacts } from '../engine/evaluation-figures.js';
import { calibrationOf } from './calibration.js';
import { promptTextOf, readChats } from './chats.js';
import { confusionsOf } from './confusions.js';
import type { Say, WorkContext } from './context.js';
import { encoderPredictions } from './encoder-predictions.js';
import { jsonLines, readExamples } from './examples.js';
import { eventFigures, UNMEASURED } from './figures.js';
import { DamagedObjectError, downloadFolder, readAnswers } from './folders.js';
import { readSplit } from './held-out.js';
import { intervalsOf } from './intervals.js';
import { predictionLine } from './predictions.js';
import { storePredictions } from './store-predictions.js';
import { TrainedTexts } from './trained-texts.js';

/** Figures of rows, and a line for each of them. */
interface Judged {
  readonly metrics: EvaluationMetrics;
  /** Gives the same lines each time. */
  readonly lines: () => Iterable<JsonObject>;
  /** Counts of each row, of generated answers. */
  readonly counts?: readonly Float64Array[];
  /** Facts of each row, of labels. Gives the same lines each time. */
  readonly facts?: () => Iterable<JsonObject>;
}

/**
 * Runs an attempt at an evaluation: loads the pinned model, predicts the pinned rows, stores the predictions as JSONL under
 * `evaluations/<id>/<attempt>/` and reports the figures. The answers of a hosted model are there already.
 * @throws ArtifactError, DamagedObjectError, UnfitRunnerError their messages are for the user
 */
export async function evaluate(work: EvaluationWork, context: WorkContext): Promise<void> {
  const { request } = work;
  const { objectStore, directory } = context;
  if (work.answers) {
    const rows = await chosen(request, (datasets) => readChats(objectStore, datasets), promptTextOf);
    const { adapter } = request.model;
    if (adapter) await downloadFolder(objectStore, adapter, join(directory, 'adapter'));
    const texts = rows.map((row) => ({ text: promptTextOf(row) }));
    return judged(work, context, rows, texts, await judgeStored(work, rows, objectStore));
  }
  const pinned = await context.pinned();
  const { adapter } = request.model;
  if (adapter) await downloadFolder(objectStore, adapter, join(directory, 'adapter'));
  const folders = { baseDirectory: pinned.baseDirectory, adapterDirectory: adapter && join(directory, 'adapter') };
  if (pinned.kind === 'encoder') {
    const rows = await chosen(
      request,
      (datasets) => readExamples(objectStore, datasets),
      ({ text }) => text,
    );
    const outcome = outcomeOf(pinned.engine, folders, rows, context);
    await judged(work, context, rows, rows, judgedLabels(rows, outcome, context.say));
  } else if (pinned.kind === 'encoder-process')
    try {
      const rows = await chosen(
        request,
        (datasets) => readExamples(objectStore, datasets),
        ({ text }) => text,
      );
      const outcome = await processOutcomeOf(pinned.engine, folders, rows, context);
      await judged(work, context, rows, rows, judgedLabels(rows, outcome, context.say));
    } finally {
      await pinned.engine.close();
    }
  else
    try {
      const rows = await chosen(request, (datasets) => readChats(objectStore, datasets), promptTextOf);
      const texts = rows.map((row) => ({ text: promptTextOf(row) }));
      const answers = await answersOf(pinned.engine, folders, rows, context);
      if (request.judge && rows.length > 0) await storeForJudge(work, context, answers);
      else await judged(work, context, rows, texts, judgedAnswers(rows, answers));
    } finally {
      await pinned.engine.close();
    }
}

async function chosen<Row extends object>(
  { datasets, heldOut, maxExamples }: EvaluationWork['request'],
  read: (datasets: readonly DatasetPin[]) => Promise<readonly Row[]>,
  textOf: (row: Row) => string,
): Promise<readonly Row[]> {
  const rows = heldOut ? (await readSplit(datasets, heldOut, { read, textOf })).heldOut : await read(datasets);
  return maxExamples === null ? rows : rows.slice(0, maxExamples);
}

async function judged(
  { request, attempt, answers, verdicts }: EvaluationWork,
  { objectStore, say, signal, directory }: WorkContext,
  rows: readonly unknown[],
  texts: readonly { readonly text: string }[],
  { metrics, lines, counts, facts }: Judged,
): Promise<void> {
  const trained = request.model.adapter && (await TrainedTexts.read(join(directory, 'adapter')));
  signal.throwIfAborted();
  const prefix = `evaluations/${request.evaluationId}/${attempt}`;
  const { totalSize, ...stored } = await storePredictions(objectStore, prefix, lines, { counts, facts });
  const predictions = { ...stored, totalSize: totalSize + (answers?.size ?? 0) + (verdicts?.size ?? 0) };
  const overlappingRows = trained?.count(texts) ?? null;
  say.report({
    ...{ kind: 'evaluated', metrics: { ...metrics, overlappingRows }, sampleCount: rows.length, predictions },
  });
}

interface Folders {
  readonly baseDirectory: string;
  readonly adapterDirectory: string | null;
}

function outcomeOf(
  engine: Engine,
  { baseDirectory, adapterDirectory }: Folders,
  examples: readonly Example[],
  { say }: WorkContext,
): EvaluationOutcome | null {
  // A large base takes a while to load, and in one turn of this thread: the silence counts from here.
  say.working();
  const model = engine.load(baseDirectory, adapterDirectory);
  say.working();
  return examples.length === 0 ? null : model.evaluate(examples, () => say.working());
}

async function processOutcomeOf(
  engine: EncoderEngine,
  { baseDirectory, adapterDirectory }: Folders,
  examples: readonly Example[],
  { say, signal }: WorkContext,
): Promise<EvaluationOutcome | null> {
  say.working();
  const model = await engine.load(baseDirectory, adapterDirectory);
  say.working();
  if (examples.length === 0) return null;
  const predictions = await encoderPredictions(model, examples, () => say.working(), signal);
  return { figures: evaluationFigures(examples, predictions), predictions };
}

/** @param outcome null: a job could hold nothing out to judge it by, since rows that it learned from would flatter it */
function judgedLabels(
  examples: readonly Example[],
  outcome: EvaluationOutcome | null,
  say: Pick<Say, 'working'>,
): Judged {
  const { figures, predictions } = outcome ?? { figures: UNMEASURED, predictions: [] };
  return {
    metrics: {
      ...eventFigures(figures),
      confusions: confusionsOf(examples, predictions),
      calibration: calibrationOf(examples, predictions),
      ...(outcome && { intervals: intervalsOf(examples, predictions, () => say.working()) }),
    },
    *lines() {
      for (const [at, example] of examples.entries())
        yield predictionLine(example, predictions[at] ?? { text: example.text });
    },
    *facts() {
      for (const [at, example] of examples.entries())
        yield rowFacts(example, predictions[at] ?? { text: example.text });
    },
  };
}

/** Answers generated side by side, where the engine can. */
const MAX_AT_ONCE = 8;

/** Generates an answer to each chat, greedily, so that the same weights give the same figures. */
async function answersOf(
  engine: DecoderEngine,
  { baseDirectory, adapterDirectory }: Folders,
  chats: readonly ChatExample[],
  { say, signal }: WorkContext,
): Promise<readonly JudgedAnswer[]> {
  if (chats.length === 0) return [];
  say.working();
  const model = await engine.load(baseDirectory, adapterDirectory);
  say.working();
  const answers: JudgedAnswer[] = [];
  const next = chats.entries();
  const lane = async () => {
    for (const [at, chat] of next) answers[at] = await answered(model, chat, say, signal);
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, lane));
  return answers;
}

/** Stores the answers for a judge, who is asked by a worker. */
async function storeForJudge(
  { request, attempt }: EvaluationWork,
  { objectStore, say, signal }: WorkContext,
  answers: readonly JudgedAnswer[],
): Promise<void> {
  signal.throwIfAborted();
  const objectKey = `evaluations/${request.evaluationId}/${attempt}/answers.jsonl`;
  const lines = answers.map(({ said, refusal, loss }, row): AnswerLine => ({
    row,
    said,
    refusal,
    ...(loss && { loss }),
  }));
  const content = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { sha256, size } = await objectStore.put(objectKey, content);
  say.report({ kind: 'answered', answers: { objectKey, sha256, size } });
}

/** The answers that are stored, with the verdicts of a judge if there are some. @throws DamagedObjectError */
async function judgeStored(
  { answers: stored, verdicts: graded }: EvaluationWork,
  chats: readonly Chat[],
  objectStore: WorkContext['objectStore'],
): Promise<Judged> {
  const answers = await storedLines<AnswerLine>(objectStore, stored!, chats.length);
  const verdicts = graded && (await storedLines<VerdictLine>(objectStore, graded, chats.length));
  return judgedAnswers(
    chats,
    chats.map((chat, row): JudgedAnswer => {
      const { said, refusal, loss } = answers[row]!;
      return {
        expected: answerOf(chat),
        said,
        refusal,
        ...(loss && { loss }),
        ...(verdicts && { verdict: verdicts[row]!, score: verdicts[row]!.score }),
      };
    }),
  );
}

/** Lines of all rows, in their order. @throws DamagedObjectError */
async function storedLines<Line extends { readonly row: number }>(
  objectStore: WorkContext['objectStore'],
  stored: StoredAnswers,
  rows: number,
): Promise<readonly Line[]> {
  const lines: Line[] = [];
  await readAnswers(objectStore, stored, async (content) => {
    for await (const line of jsonLines(content)) lines.push(line as unknown as Line);
  });
  if (lines.length !== rows || lines.some(({ row }, at) => row !== at))
    throw new DamagedObjectError('The stored answers are not those to the rows of this evaluation.');
  return lines;
}

function judgedAnswers(chats: readonly Chat[], answers: readonly JudgedAnswer[]): Judged {
  if (chats.length === 0) return { metrics: UNMEASURED, lines: () => [] };
  const counts = answers.map(countsOf);
  const verdicts = answers.flatMap(({ verdict }) => (verdict ? [verdict] : []));
  const unscored = (problem: 'malformed' | 'refused') => verdicts.filter((each) => each.problem === problem).length;
  const perplexity = perplexityOf(answers.flatMap(({ loss }) => loss ?? []));
  const generation = {
    ...figuresOfCounts(
      counts,
      verdicts.length > 0 ? { malformed: unscored('malformed'), refused: unscored('refused') } : undefined,
    ),
    ...(perplexity && { perplexity }),
  };
  return {
    metrics: { ...UNMEASURED, accuracy: generation.exactMatch.value, generation },
    counts,
    *lines() {
      for (const [at, answer] of answers.entries())
        yield {
          text: promptOf(chats[at]!).findLast(({ role }) => role === 'user')?.content ?? '',
          expected: { completion: answer.expected },
          predicted: {
            completion: answer.said,
            ...(answer.refusal !== null && { error: answer.refusal }),
            ...(answer.verdict && { judge: judgeOf(answer.verdict) }),
          },
          correct: isExact(answer),
        };
    },
  };
}

const judgeOf = ({ score, reason, problem }: VerdictLine): JsonObject => ({
  ...{ score, reason },
  ...(problem !== null && { problem }),
});

interface JudgedAnswer extends Answered {
  /** Why the model could not answer; the answer is then empty. */
  readonly refusal: string | null;
  /** Loss of the expected answer, where the model tells. */
  readonly loss?: AnswerLoss;
  /** Verdict of a judge. */
  readonly verdict?: VerdictLine;
}

async function answered(
  model: LoadedDecoder,
  chat: ChatExample,
  say: Pick<Say, 'working'>,
  signal: AbortSignal,
): Promise<JudgedAnswer> {
  const request: GenerateRequest = {
    input: { messages: promptOf(chat) },
    maxTokens: MAX_ANSWER_TOKENS,
    temperature: 0,
  };
  const expected = answerOf(chat);
  let said = '';
  try {
    for await (const chunk of model.generate(request, signal)) {
      // A whole answer of a slow model may take longer than an attempt may be silent.
      say.working();
      if (chunk.type === 'text') said += chunk.text;
    }
    const loss = await model.score?.(chat.messages, signal).catch(noneIfRefused);
    say.working();
    return { expected, said, refusal: null, ...(loss && { loss }) };
  } catch (error) {
    // A chat that is too long for the model is one that it cannot answer.
    if (!(error instanceof RefusedGenerationError)) throw error;
    return { expected, said: '', refusal: `\`${error.field}\` ${error.message}` };
  }
}

/** A chat that cannot be shown to the model with its answer has no loss, and the model's own answer counts all the same. */
function noneIfRefused(error: unknown): undefined {
  if (!(error instanceof RefusedGenerationError)) throw error;
}
