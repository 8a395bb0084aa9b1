import { makeKey } from '#apps/demo/account.js';
import { Client } from '#apps/demo/client.js';
import { startSystem } from '#apps/demo/system.js';
import { startTeacher, TEACHER } from '#apps/demo/teacher.js';
import { calibrate, openingAfter, type JudgedCall } from '#distillation/agreement/bound.js';
import { areOneAnswer } from '#distillation/agreement/rows.js';
import type { AnswerMapping } from '#distillation/mapping/mapping.js';
import { rowsOf } from '#distillation/rows.js';
import type { JsonObject } from '#domain/json.js';
import { Random } from '#gpu-runner/engines/builtin/random.js';
import type { Case } from './cases.js';
import type { AnsweredText } from './orders.js';
import { TARGETS, type DrawResult, type LiveFigures } from './results.js';

/** Live texts that are counted, after those of which the teacher answers all. */
export const LIVE = 3_000;
const WATCHED = 200;
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
export async function measureDraw(own: Case, draw: number): Promise<DrawResult> {
  const started = performance.now();
  const all = new Random(draw).shuffle([...own.task.calls(draw)]);
  const asked = own.isRandom ? 0 : WATCHED + LIVE;
  const count = own.recorded === 'all' ? all.length - asked : own.recorded;
  const [recorded, rest] = [all.slice(0, count), all.slice(count, count + asked)];
  const answers = new Map(all.map(({ text, answer }) => [text, answer]));
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
    const opened = isServed ? await proof.watched(done, rest.slice(0, WATCHED)) : done;
    const live = isServed ? await proof.ask(NAME, rest.slice(WATCHED), AT_ONCE) : [];
    await proof.counted(recorded.length + (isServed ? rest.length : 0));
    const records = isServed ? await recordsOf(system.url, key) : [];
    const judged = isServed ? await proof.judged(done.evaluation_id!, await mappingOf(recorded, own.task.prompt)) : [];
    return {
      ...{ case: own.name, draw, date: new Date().toISOString(), recorded: recorded.length },
      ...{ learned: done.calls?.rows ?? null, live: live.length, status: done.status, reason: done.reason },
      unlike: unlikeOf(records),
      seconds: Math.round((performance.now() - started) / 1_000),
      figures: isServed ? figuresOf(opened, judged, records, live, answers) : [],
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
        const messages = [
          { role: 'system', content: this.prompt },
          { role: 'user', content: text },
        ];
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
  const calls = recorded.map(({ text, answer: content }, at) => ({
    ...{ id: String(at), at: new Date(0).toISOString(), model: TEACHER, cost: '0' },
    request: {
      messages: [
        { role: 'system', content: prompt },
        { role: 'user', content: text },
      ],
    },
    answer: { role: 'assistant', content },
  }));
  const order = {
    teacher: TEACHER,
    task: null,
    unmapped: 'null',
    heads: [],
    promptVersions: 'all',
    targetAgreement: TARGETS[0],
  } as const;
  const found = await rowsOf(calls, order, async (texts) => ({ vectors: texts.map(() => null), least: 1 }));
  if (found.kind === 'refused') throw new Error(found.reason);
  return found.mapping;
}

async function recordsOf(url: string, key: string): Promise<readonly Recorded[]> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/inferences/export?format=jsonl&model_id=${NAME}`, { headers });
  const lines = (await answer.text()).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Recorded);
}

const unlikeOf = (records: readonly Recorded[]): DrawResult['unlike'] =>
  Object.fromEntries(
    [
      ...Map.groupBy(
        records.filter(({ cascade }) => cascade.reason === 'unlike'),
        ({ cascade }) => cascade.unlike!,
      ),
    ].map(([kind, calls]) => [kind, calls.length]),
  );

function figuresOf(
  { cascade }: Distillation,
  judged: readonly JudgedCall[],
  records: readonly Recorded[],
  live: readonly Answer[],
  answers: ReadonlyMap<string, string>,
): readonly LiveFigures[] {
  const watched = records.flatMap(({ cascade: { reason, certainty, agrees } }) =>
    reason === 'watching' && agrees !== undefined ? [{ certainty: certainty!, agrees }] : [],
  );
  const byId = new Map(records.map((record) => [record.id, record.cascade]));
  const isSame = ({ text, said }: Answer): boolean => said === answers.get(text);
  return TARGETS.map((target) => {
    const nothing = { target, outOfFold: 0, isContradicted: false, answered: 0, agreed: 0, sure: 0, sureAgreed: 0 };
    const found = calibrate(judged, target);
    if (found.kind !== 'bound') return nothing;
    const { threshold, isContradicted } = openingAfter(found.bound, watched, target);
    const outOfFold = found.bound.answered / found.bound.judged;
    const sure = live.filter(({ id }) => !isContradicted && (byId.get(id)!.certainty ?? 0) >= threshold);
    const answered = sure.filter(({ id }) => byId.get(id)!.unlike === undefined);
    if (target === TARGETS[0]) {
      const own = live.filter(({ id }) => byId.get(id)!.by === 'student');
      const isAsSaid = cascade.state === (isContradicted ? 'returned' : 'open') && own.length === answered.length;
      if (!isAsSaid) throw new Error(`the system answered ${own.length} calls, its code says ${answered.length}`);
    }
    const agreed = answered.filter(isSame).length;
    const guarded = sure.filter(({ id }) => byId.get(id)!.unlike !== undefined && byId.get(id)!.agrees === true).length;
    return {
      ...{ target, outOfFold, isContradicted, answered: answered.length, agreed },
      ...{ sure: sure.length, sureAgreed: agreed + guarded },
    };
  });
}
