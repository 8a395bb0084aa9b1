import type { EngineName, EvaluationRequest, StoredAnswers } from '#domain/evaluation/index.js';
import type { JsonObject } from '#domain/json.js';
import { answerOf, answerText, mostAnswerTokens, promptOf, type EvaluatedChat } from '#evaluations/chats.js';
import { figuresOfCounts, perplexityOf } from '#evaluations/generation-figures.js';
import { countsOf, isExact, type Answered } from '#evaluations/row-counts.js';
import { KeptLines } from '#rows/kept-lines.js';
import type { AnswerLine, VerdictLine } from '../../contract/answers.js';
import { keptAnswersOf, type EvaluationWork } from '../../contract/work.js';
import {
  RefusedGenerationError,
  type AnswerLoss,
  type ChatExample,
  type DecoderServer,
  type GenerateRequest,
  type LoadedDecoder,
  type ToolCall,
} from '#gpu-runner/engines/decoder-engine.js';
import type { Say, WorkContext } from '../context.js';
import { jsonLines } from '../rows/examples.js';
import { UNMEASURED } from './figures.js';
import { DamagedObjectError, readAnswers } from '../folders.js';
import type { PinnedEngine } from '../pinned-engine.js';
import type { JudgedRows } from './judged.js';

/** Answers generated in parallel, if the engine supports it. */
const MAX_AT_ONCE = 8;

/** Answers, and the engine that generated them. */
interface GeneratedAnswers {
  readonly answers: readonly JudgedAnswer[];
  /** Absent: the engine that the evaluation names. */
  readonly engine?: EngineName;
}

/**
 * Generates an answer to each chat, greedily, so that the same weights give the same figures: on the server that would answer such
 * calls here, if it takes all of them, or else on the engine itself. Answers are kept as they come: those of a lost attempt are not
 * generated again.
 */
export async function answersOf(
  { evaluationId, maxAnswerTokens }: Pick<EvaluationRequest, 'evaluationId' | 'maxAnswerTokens'>,
  { engine, server: local, baseDirectory }: Extract<PinnedEngine, { kind: 'decoder' }>,
  adapterDirectory: string | null,
  chats: readonly ChatExample[],
  { objectStore, say, signal }: WorkContext,
): Promise<GeneratedAnswers> {
  if (chats.length === 0) return { answers: [] };
  const maxTokens = maxAnswerTokens ?? mostAnswerTokens(chats);
  const requests = chats.map((chat) => requestOf(chat, maxTokens));
  const takesAll = local !== undefined && requests.every((request) => local.takes(request));
  const server = takesAll ? local.open() : engine;
  const load = async (from: DecoderServer) => {
    say.working();
    const model = await from.load(baseDirectory, adapterDirectory);
    say.working();
    return model;
  };
  try {
    const generating = await load(server);
    // A server of its own computes no losses.
    const scoring = takesAll ? await load(engine) : generating;
    const keeping = new KeptLines<AnswerLine>(objectStore, keptAnswersOf(evaluationId), signal);
    const lines = new Map(await keeping.read());
    const next = chats.entries();
    const lane = async () => {
      for (const [row, chat] of next) {
        if (lines.has(row)) continue;
        const line = await answered({ generating, scoring }, { row, chat, request: requests[row]! }, say, signal);
        await keeping.keep(line);
        lines.set(row, line);
        say.progress({ fraction: lines.size / chats.length, epoch: 0, step: lines.size });
      }
    };
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, lane));
    const answers = chats.map((chat, row) => judgedLine(chat, lines.get(row)!));
    return { answers, ...(takesAll && { engine: local.named }) };
  } finally {
    if (server !== engine) await server.close();
  }
}

const requestOf = (chat: ChatExample, maxTokens: number): GenerateRequest => ({
  input: { messages: promptOf(chat) },
  ...(chat.tools && { tools: chat.tools }),
  ...{ maxTokens, temperature: 0 },
});

/** Stores the answers for a judge, which a worker will call. */
export async function storeForJudge(
  { request, attempt }: EvaluationWork,
  { objectStore, say, signal }: WorkContext,
  answers: readonly JudgedAnswer[],
  engine: EngineName | undefined,
): Promise<void> {
  signal.throwIfAborted();
  const objectKey = `evaluations/${request.evaluationId}/${attempt}/answers.jsonl`;
  const lines = answers.map(({ said, refusal, loss }, row): AnswerLine => ({
    ...{ row, said, refusal },
    ...(loss && { loss }),
  }));
  const content = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { key: _, ...object } = await objectStore.put(objectKey, content);
  say.report({ kind: 'answered', answers: { objectKey, ...object }, ...(engine && { engine }) });
}

/** The answers that are stored, with the verdicts of a judge if there are some. @throws DamagedObjectError */
export async function judgeStored(
  { answers: stored, verdicts: graded }: EvaluationWork,
  chats: readonly EvaluatedChat[],
  objectStore: WorkContext['objectStore'],
): Promise<JudgedRows> {
  const answers = await storedLines<AnswerLine>(objectStore, stored!, chats.length);
  const verdicts = graded && (await storedLines<VerdictLine>(objectStore, graded, chats.length));
  return judgedAnswers(
    chats,
    chats.map((chat, row): JudgedAnswer => {
      const judged = verdicts && { verdict: verdicts[row]!, score: verdicts[row]!.score };
      return { ...judgedLine(chat, answers[row]!), ...judged };
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

/** Figures of the answers, and a line for each of them. */
export function judgedAnswers(chats: readonly EvaluatedChat[], answers: readonly JudgedAnswer[]): JudgedRows {
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
  /** Loss of the expected answer, if the model reports it. */
  readonly loss?: AnswerLoss;
  /** Verdict of a judge. */
  readonly verdict?: VerdictLine;
}

const judgedLine = (chat: EvaluatedChat, { said, refusal, loss }: AnswerLine): JudgedAnswer => ({
  ...{ expected: answerOf(chat), said, refusal },
  ...(loss && { loss }),
});

interface Question {
  readonly row: number;
  readonly chat: ChatExample;
  readonly request: GenerateRequest;
}

interface Models {
  readonly generating: LoadedDecoder;
  /** Tells the losses of the expected answers, if it can. */
  readonly scoring: LoadedDecoder;
}

async function answered(
  { generating, scoring }: Models,
  { row, chat, request }: Question,
  say: Pick<Say, 'working'>,
  signal: AbortSignal,
): Promise<AnswerLine> {
  let text = '';
  const calls: ToolCall[] = [];
  try {
    for await (const chunk of generating.generate(request, signal)) {
      // A whole answer of a slow model may take longer than an attempt may be silent.
      say.working();
      if (chunk.type === 'text') text += chunk.text;
      else if (chunk.type === 'tool-call') calls.push(chunk);
    }
    const said = answerText(text, calls);
    const loss = await scoring.score?.(chat, signal).catch(noneIfRefused);
    say.working();
    return { row, said, refusal: null, ...(loss && { loss }) };
  } catch (error) {
    // A chat that is too long for the model is one that it cannot answer.
    if (!(error instanceof RefusedGenerationError)) throw error;
    return { row, said: '', refusal: `\`${error.field}\` ${error.message}` };
  }
}

/** A chat that cannot be shown to the model with its answer has no loss; the model's own answer still counts. */
function noneIfRefused(error: unknown): undefined {
  if (!(error instanceof RefusedGenerationError)) throw error;
}
