import { ConflictError, NotFoundError, UnavailableError } from '#domain/errors.js';
import type { CascadeFacts } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import type { AnswerStream } from '../answer-stream.js';
import { wholeAnswerOf, type DecoderAnswer, type DecoderCall, type Decoders } from '../decoders.js';
import type { Model, Models } from '../models.js';
import type { CallRequest } from '../request.js';
import type { Shadows } from '../shadows.js';
import type { Cascades } from './cascades.js';

/** An answer, and who gives it for a distilled version; absent from those of other models. */
export interface CascadedAnswer {
  readonly run: AnswerStream;
  readonly cascade?: CascadeFacts;
}

/** Calls of models that generate text, and of distilled versions: the student answers itself where it is sure, else its teacher does. */
export class CascadedCalls {
  constructor(
    private readonly models: Models,
    private readonly decoders: Decoders,
    private readonly cascades: Cascades,
    private readonly shadows: Shadows,
  ) {}

  /** The model whose requests a version takes: a distilled one those of its teacher, under its own name. @throws DomainError */
  takes({ caller }: Pick<CallRequest, 'caller'>, model: Model): Model | Promise<Model> {
    const { modelId, named, cascade } = model;
    if (!cascade) return model;
    const { to } = cascade.policy;
    return this.models
      .resolve(caller, to)
      .catch((error: unknown) => {
        if (error instanceof NotFoundError) return goneTeacher(model, to);
        throw error;
      })
      .then((teacher) => ({ ...teacher, modelId, named }));
  }

  /**
   * @param decoder what `takes` gives for the model, which can do what is asked
   * @throws as `Decoders.start` does, before any part of an answer
   */
  async start(model: Model, decoder: Model, call: DecoderCall): Promise<CascadedAnswer> {
    const shadowed = this.shadows.of(call, model, (again, other) => this.repeat(again, other));
    return model.cascade
      ? this.cascaded(model, decoder, shadowed)
      : { run: await this.decoders.start(decoder, shadowed) };
  }

  private async repeat(call: DecoderCall, shadow: Model): Promise<DecoderAnswer> {
    const { run } = await this.start(shadow, await this.takes(call, shadow), { ...call, stream: false });
    return wholeAnswerOf(run);
  }

  private async cascaded(model: Model, teacher: Model, call: DecoderCall): Promise<CascadedAnswer> {
    const { by, reason, student, isAudited, facts, asRow } = await this.cascades.decide(call, model, call.generation);
    const give = async (why: CascadeFacts['reason']): Promise<CascadedAnswer> => {
      const audit = (again: DecoderCall) =>
        this.decoders.run(teacher, { ...again, stream: false, cascade: (said) => facts('teacher', 'audit', said) });
      const given = { ...call, asRow, cascade: () => facts('student', why) };
      const run = await this.decoders.give(model, given, student!, isAudited ? audit : null);
      return { run, cascade: facts('student', why) };
    };
    if (by === 'student') return give(reason);
    try {
      // It is out of order, as a teacher is whose provider does not answer.
      if (teacher.reference instanceof ConflictError) throw new UnavailableError(teacher.reference.message);
      const asked = { ...call, asRow, cascade: (said: Json) => facts('teacher', reason, said) };
      return { run: await this.decoders.start(teacher, asked), cascade: facts('teacher', reason) };
    } catch (error) {
      const isDown = error instanceof UnavailableError && student !== null;
      if (!isDown || model.cascade!.policy.teacherDown === 'fail') throw error;
      return give('teacher_failed');
    }
  }
}

/** In the place of a teacher that the catalog has no more: requests are still its, and none are answered by it. */
function goneTeacher({ cascade: _, ...model }: Model, to: string): Model {
  const { name } = model.named!;
  const reference = new ConflictError(
    `${to}, the teacher of model ${name}, is not in the catalog: set its provider up again, or name another one as \`cascade.to\` of PUT /models/${name}/policy`,
  );
  const entry = { ...model.entry, id: to, task_type: 'decoder', instruct: true, context_window: MANY_TOKENS } as const;
  return { ...model, entry, reference, trainingJobId: null, shadow: null };
}

/** What a request may have is its student's to say. */
const MANY_TOKENS = 1_000_000;
