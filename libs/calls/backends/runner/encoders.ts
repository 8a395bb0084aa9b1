import { v7 as uuid7 } from 'uuid';
import type { Caller } from '#application/caller.js';
import { ConflictError } from '#domain/errors.js';
import type { InferenceTask } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import type { InferenceAnswer } from '#gpu-runner/contract/inference.js';
import type { ExplainRequest, InferResult, InferSchema, InferWarning, NearRow } from '#gpu-runner/contract/schema.js';
import { NO_USAGE } from '../../hosted/port.js';
import { REQUEST_HEADS, type EncoderRequest } from '../../encoder-request.js';
import { requireReadable } from '../../fit.js';
import { leastCertainOf } from '../../least-certain.js';
import type { Lifecycle } from '../../lifecycle.js';
import type { Model, Models } from '../../models.js';
import type { CallRequest } from '../../request.js';
import { RUNNER } from './backend.js';
import { tooMuch } from './failure.js';
import type { Runners } from './runners.js';

const DEADLINE_MS = 60_000;

/** Shapes one text's result for the route. */
type EncodeResult = (text: string, result: InferResult, applied: InferSchema) => Json;

export interface EncoderAnswer {
  readonly inferenceId: string;
  /** A list for a batch. */
  readonly result: Json;
  readonly latencyMs: number;
  readonly inputTokens: number;
  readonly warnings: readonly InferWarning[];
  readonly truncated: boolean;
  /** The training rows nearest to each text, if they were requested and the model names them. */
  readonly nearest: readonly (readonly NearRow[] | undefined)[];
}

/** Encoders of the engines here. */
export class Encoders {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly runners: Runners,
    private readonly models: Models,
  ) {}

  /** @throws DomainError */
  async run(
    call: CallRequest,
    model: Model,
    request: EncoderRequest,
    encode: EncodeResult,
    explain?: ExplainRequest,
  ): Promise<EncoderAnswer> {
    requireReadable(request);
    // A token has a character at least.
    const most = { input: request.texts.reduce((sum, text) => sum + text.length, 0), output: 0 };
    const plan = { backend: RUNNER, model, task: taskOf(request.schema), most, estimatedInputTokens: 0 };
    const shadowed = this.lifecycle.shadows.of(call, model, (again, other) => this.run(again, other, request, encode));
    const { inferenceId, latencyMs, done } = await this.lifecycle.run(shadowed, plan, async (signal) => {
      const answer = await this.answer(call, model, request, { signal, explain });
      const { results, schema } = answer;
      const encoded = results.map((result, index) => encode(request.texts[index]!, result, schema));
      const inputTokens = answer.inputTokens.reduce((sum, tokens) => sum + tokens, 0);
      const output: Json = request.batch ? encoded : encoded[0]!;
      return {
        ...{ task: taskOf(schema), usage: { ...NO_USAGE, inputTokens }, output, answer },
        servedBy: answer.servedBy,
        leastCertain: leastCertainOf(results, schema),
      };
    });
    const { output, usage, answer } = done;
    // The call is stored, so a failure to record the deployment does not fail it; a later call records it again.
    if (model.isFirstCall) await this.models.markDeployed(model, call, inferenceId).catch(() => undefined);
    const truncated = answer.results.some((each) => each.truncated);
    return {
      inferenceId,
      result: output,
      latencyMs,
      inputTokens: usage.inputTokens,
      warnings: answer.warnings,
      truncated,
      nearest: answer.results.map(({ nearest }) => nearest),
    };
  }

  /** Loads the model without running it; not recorded, and free. @throws DomainError */
  async warmUp(call: Pick<CallRequest, 'caller'>, model: Model, request: EncoderRequest): Promise<void> {
    await this.lifecycle.admit(call.caller, model);
    try {
      await this.answer(call, model, { ...request, texts: [], schema: request.schema ?? NO_HEADS });
    } catch (error) {
      throw RUNNER.failureOf(error, model, undefined).answer;
    }
  }

  /**
   * The training rows nearest to each text; undefined of a model that names none. Not recorded, and free.
   * @throws DomainError
   */
  async nearest(
    caller: Caller,
    model: Model,
    texts: readonly string[],
    explain: ExplainRequest,
  ): Promise<EncoderAnswer['nearest']> {
    await this.lifecycle.admit(caller, model);
    try {
      const answer = await this.answer({ caller }, model, { texts, schema: null, threshold: null }, { explain });
      return answer.results.map(({ nearest }) => nearest);
    } catch (error) {
      throw RUNNER.failureOf(error, model, undefined).answer;
    }
  }

  /**
   * The answer to a text by a trained model's own labels, and how certain it is as a whole. Neither recorded nor charged: it is the
   * first step of a call.
   * @throws DomainError
   */
  async certain(call: CallRequest, model: Model, text: string): Promise<InferenceAnswer> {
    const { caller, signal } = call;
    await this.lifecycle.admit(caller, model);
    const asked = { texts: [text], schema: null, threshold: null };
    try {
      const answer = await this.answer({ caller }, model, asked, { signal, certainty: true });
      if (model.isFirstCall) await this.models.markDeployed(model, call, uuid7()).catch(() => undefined);
      return answer;
    } catch (error) {
      throw RUNNER.failureOf(error, model, signal).answer;
    }
  }

  private async answer(
    { caller }: Pick<CallRequest, 'caller'>,
    model: Model,
    request: Pick<EncoderRequest, 'texts' | 'schema' | 'threshold'>,
    {
      signal,
      explain,
      certainty,
    }: {
      readonly signal?: AbortSignal | undefined;
      readonly explain?: ExplainRequest | undefined;
      readonly certainty?: boolean;
    } = {},
  ): Promise<InferenceAnswer> {
    const { schema, texts, threshold } = request;
    const { reference } = model;
    if (reference instanceof ConflictError) throw reference;
    const { workspaceId } = caller;
    const asking = {
      ...{ workspaceId, model: reference, texts, threshold, schema: schema && asked(schema) },
      ...(explain && { explain }),
      ...(certainty && { certainty }),
    };
    try {
      const options = { deadlineMs: DEADLINE_MS, ...(signal && { signal }) };
      return await this.runners.run(asking, options, model.isFirstCall);
    } catch (error) {
      throw tooMuch(error, request) ?? error;
    }
  }
}

const NO_HEADS = { entities: null, classifications: null, structures: null, relations: null };

/** The requested heads only. */
function asked(schema: NonNullable<EncoderRequest['schema']>): InferSchema {
  const { entities, classifications, structures, relations, flatNer } = schema;
  return {
    ...(entities && { entities }),
    ...(classifications && { classifications }),
    ...(structures && { structures }),
    ...(relations && { relations }),
    ...(flatNer === false && { flatNer }),
  };
}

const TASKS = {
  entities: 'extract_entities',
  classifications: 'classify_text',
  structures: 'extract_json',
  relations: 'extract_relations',
} as const;

/** The task shown in the history: the only head that was requested, or `schema` for several. */
function taskOf(schema: { readonly [Head in (typeof REQUEST_HEADS)[number]]?: unknown } | null): InferenceTask {
  const [head = 'entities', ...more] = REQUEST_HEADS.filter((each) => schema?.[each]);
  return more.length > 0 ? 'schema' : TASKS[head];
}
