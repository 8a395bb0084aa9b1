import { makeKey } from '#apps/demo/account.js';
import { Client } from '#apps/demo/client.js';
import { startSystem } from '#apps/demo/system.js';
import { startTeacher, TEACHER } from '#apps/demo/teacher.js';
import { calibrate, openingAfter, type JudgedCall } from '#distillation/agreement/bound.js';
import { areOneAnswer } from '#distillation/agreement/rows.js';
import type { AnswerMapping } from '#distillation/mapping/mapping.js';
import { rowsOf } from '#distillation/rows.js';
import type { JsonObject } from '#domain/json.js';
import type { Case } from './cases.js';
import { drawOf, figuresOf, messagesOf, ORDER, recordedCalls, unlikeOf, type LiveCall } from './draw.js';
import type { AnsweredText } from './orders.js';
import { TARGETS, type DrawResult } from './results.js';

const NAME = 'proof';
const AT_ONCE = 8;
/** Longer than folds of all rows take on a machine that is busy several times over. */
const SECONDS = 12 * 3_600;
const PAGE = 1_000;

interface Distillation {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly completed_at: string | null;
  readonly evaluation_id: string | null;
  readonly calls: { readonly rows: number } | null;
  readonly cascade: { readonly state: string; readonly threshold: number | null; readonly watched: number };
}

interface PredictionLine {
  readonly certainty: number;
  readonly correct: boolean;
  readonly expected: JsonObject;
  readonly predicted: JsonObject;
}

/** An answer, and what the record of its call says of it. */
interface Answer {
  readonly text: string;
  readonly said: string;
  readonly id: string;
}
interface Recorded {
  readonly id: string;
  readonly cascade: {
    readonly by: 'student' | 'teacher';
    readonly reason: string;
    readonly certainty?: number;
    readonly unlike?: string;
    readonly agrees?: boolean;
  };
}

/**
 * Records calls of a teacher, distils them, and asks the model live, all over HTTP, in a system of its own. The system is asked for the
 * lowest target. What it would have done at the others follows from the same answers by its own code (`calibrate`, `openingAfter`),
 * whose threshold for the lowest is compared with the system's; a higher target's answers are among those of the lowest.
 * @param draw chooses which texts are recorded, watched and live, from 1
 * @throws Error the distillation failed, or the system does otherwise than its code says
 */
export async function measureOverHttp(own: Case, draw: number): Promise<DrawResult> {
  const started = performance.now();
  const { recorded, watched, live } = drawOf(own, draw);
  const answers = new Map([...recorded, ...watched, ...live].map(({ text, answer }) => [text, answer]));
  const teacher = await startTeacher((text) => answers.get(text)!);
  const system = await startSystem({ ...teacher.settings, ANNEAL_RATE_LIMITS: 'off' });
  try {
    const anonymous = new Client(system.url);
    const key = (await makeKey(anonymous, system, 'proof')).secret_key;
    const proof = new Proof(anonymous.with(key), own.task.prompt);
    await proof.ask(TEACHER, recorded);
    await proof.counted(recorded.length);
    const done = await proof.distilled(own.isPack ? 'anneal/encoder-small-v1' : 'anneal/encoder-base-v1');
    const isServed = done.status === 'in_use';
    const opened = isServed ? await proof.watched(done, watched) : done;
    const given = isServed ? await proof.ask(NAME, live, AT_ONCE) : [];
    await proof.counted(recorded.length + (isServed ? watched.length + live.length : 0));
    const records = isServed ? await recordsOf(system.url, key) : [];
    const judged = isServed ? await proof.judged(done.evaluation_id!, await mappingOf(recorded, own.task.prompt)) : [];
    const seen = records.flatMap(({ cascade: { reason, certainty, agrees } }) =>
      reason === 'watching' && agrees !== undefined ? [{ certainty: certainty!, agrees }] : [],
    );
    const asked = liveCalls(given, records, answers);
    if (isServed) requireAsSaid(opened, judged, seen, asked);
    return {
      ...{ case: own.name, draw, isOverHttp: true, date: new Date().toISOString(), recorded: recorded.length },
      ...{ learned: done.calls?.rows ?? null, live: asked.length, status: done.status, reason: done.reason },
      unlike: unlikeOf(asked),
      seconds: Math.round((performance.now() - started) / 1_000),
      figures: isServed ? figuresOf(judged, seen, asked) : [],
    };
  } finally {
    await system.close();
    await teacher.close();
  }
}

class Proof {
  constructor(
    private readonly api: Client,
    private readonly prompt: string,
  ) {}

  /** @param atOnce one: what is learned of them depends on their order */
  async ask(model: string, texts: readonly AnsweredText[], atOnce = 1): Promise<readonly Answer[]> {
    const given: Answer[] = [];
    const left = texts.entries();
    const one = async (): Promise<void> => {
      for (const [at, { text }] of left) {
        const messages = messagesOf(this.prompt, text);
        const { choices, x_pioneer } = await this.api.post<{
          readonly choices: readonly { readonly message: { readonly content: string } }[];
          readonly x_pioneer: { readonly inference_id: string };
        }>('/v1/chat/completions', { model, messages });
        given[at] = { text, said: choices[0]!.message.content, id: x_pioneer.inference_id };
      }
    };
    await Promise.all(Array.from({ length: atOnce }, one));
    return given;
  }

  /** Resolves once the history has so many calls. */
  async counted(calls: number): Promise<void> {
    await this.api.until<{ readonly total: number }>('/inferences?limit=1', ({ total }) => total >= calls, SECONDS);
  }

  /** @throws Error it failed */
  async distilled(base_model: string): Promise<Distillation> {
    const order = { teacher: TEACHER, target_agreement: TARGETS[0], audit_share: 0, base_model };
    const { id } = await this.api.post<Distillation>(`/models/${NAME}/distil`, order);
    const isOver = ({ completed_at }: Distillation) => completed_at !== null;
    const done = await this.api.until(`/distillations/${id}`, isOver, SECONDS);
    if (done.status !== 'in_use' && done.status !== 'refused') throw new Error(`it ${done.status}: ${done.reason}`);
    return done;
  }

  /** The distillation once its first calls have shown whether the student answers. */
  async watched({ id }: Distillation, texts: readonly AnsweredText[]): Promise<Distillation> {
    await this.ask(NAME, texts);
    return this.api.until<Distillation>(`/distillations/${id}`, ({ cascade }) => cascade.state !== 'watching', SECONDS);
  }

  /** The calls as they were answered out of fold. */
  async judged(evaluation: string, mapping: AnswerMapping): Promise<readonly JudgedCall[]> {
    const calls: JudgedCall[] = [];
    for (;;) {
      const { predictions } = await this.api.get<{ readonly predictions: readonly PredictionLine[] }>(
        `/felix/evaluations/${evaluation}?limit=${PAGE}&offset=${calls.length}`,
      );
      if (predictions.length === 0) return calls;
      calls.push(
        ...predictions.map(({ certainty, correct, expected, predicted }) => ({
          ...{ certainty, agrees: correct || areOneAnswer(mapping, expected, predicted) },
        })),
      );
    }
  }
}

/** The mapping that the system found, which its API does not show: by its code, of the same calls. */
async function mappingOf(recorded: readonly AnsweredText[], prompt: string): Promise<AnswerMapping> {
  const nothing = { vectors: recorded.map(() => null), least: 1 };
  const found = await rowsOf(recordedCalls(prompt, recorded), ORDER, () => Promise.resolve(nothing));
  if (found.kind === 'refused') throw new Error(found.reason);
  return found.mapping;
}

async function recordsOf(url: string, key: string): Promise<readonly Recorded[]> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/inferences/export?format=jsonl&model_id=${NAME}`, { headers });
  const lines = (await answer.text()).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Recorded);
}

interface AskedCall extends LiveCall {
  readonly by: 'student' | 'teacher';
}

function liveCalls(
  given: readonly Answer[],
  records: readonly Recorded[],
  answers: ReadonlyMap<string, string>,
): readonly AskedCall[] {
  const byId = new Map(records.map((record) => [record.id, record.cascade]));
  return given.map(({ id, text, said }) => {
    const { by, certainty = -1, unlike = null, agrees = false } = byId.get(id)!;
    return { by, certainty, unlike, agrees: by === 'student' ? said === answers.get(text) : agrees };
  });
}

/** @throws Error the system answered otherwise than its code says of the lowest target */
function requireAsSaid(
  { cascade }: Distillation,
  judged: readonly JudgedCall[],
  watched: readonly JudgedCall[],
  live: readonly AskedCall[],
): void {
  const [target] = TARGETS;
  const found = calibrate(judged, target);
  const opening = found.kind === 'bound' && openingAfter(found.bound, watched, target);
  const isOpen = opening && !opening.isContradicted;
  const said = live.filter((call) => isOpen && call.certainty >= opening.threshold && call.unlike === null);
  const own = live.filter(({ by }) => by === 'student');
  if (cascade.state !== (isOpen ? 'open' : 'returned') || own.length !== said.length)
    throw new Error(`the system answered ${own.length} calls, its code says ${said.length}`);
}
