import { Injectable } from '@nestjs/common';
import type { Caller } from '#application/caller.js';
import { ConflictError, InvalidError, NotFoundError } from '#domain/errors.js';
import { Catalog } from '#models/catalog/catalog.js';
import { resultWithoutCall } from '#calls/hosted/call-ids.js';
import type { ContentPart, GenerationRequest, Message } from '#calls/hosted/port.js';
import { textMessage } from '#calls/hosted/port.js';
import { roomAfter } from '#primitives/turns/json.js';
import { HttpError } from '../../edge/errors/http-error.js';
import { isRecord } from '#primitives/values.js';
import { DialectReader } from '../shared/dialect-reader.js';
import { placeOf } from './output.js';
import { inputOf, joined } from './read-input.js';
import { additionalTools, readTools } from './read-tools.js';
import type { ResponsesItem } from './dto-input.js';
import type { InputEntry, ItemReference, ResponsesRequest } from './request.js';
import { StoredResponses, type StoredResponse } from './stored-responses.js';

/** Turns that one request continues at most, and the most that they may hold together, in characters of JSON. */
export const MAX_TURNS = 500;
export const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Replaces references in a request: earlier turns, and items of earlier answers. */
@Injectable()
export class Replay {
  constructor(
    private readonly stored: StoredResponses,
    private readonly catalog: Catalog,
  ) {}

  /** @throws HttpError, DomainError naming the field with the unknown reference */
  async complete(caller: Caller, request: ResponsesRequest): Promise<ResponsesRequest> {
    const { input, instructions, previousResponseId, generation, modelId } = request;
    const isOwn = ({ record }: StoredResponse) => this.providerOf(record.model_id) === this.providerOf(modelId);
    const turns = new Turns(this.stored, caller, isOwn);
    const before = previousResponseId === null ? [] : await turns.until(previousResponseId);
    const entries = [...before, ...input];
    const messages = entries.some(isReference) ? await turns.resolved(entries) : (entries as Message[]);
    const instructing = instructions === null ? [] : [textMessage('system', instructions)];
    const earlierInputs = turns.inputs.toReversed();
    const whole = { ...request, earlierInputs, generation: withMessages(generation, [...instructing, ...messages]) };
    return turns.inputs.some(hasTools) ? withTools(whole, turns.inputs) : whole;
  }

  /** The name of a model's provider, or the id of a model that has none. */
  private providerOf(modelId: string): string {
    return this.catalog.resolve(modelId)?.provider?.name ?? modelId;
  }
}

const withMessages = (generation: GenerationRequest, messages: readonly Message[]): GenerationRequest => {
  const whole = joined(messages);
  requireCalls(whole);
  return { ...generation, messages: whole };
};

const hasTools = (input: unknown): boolean => additionalTools(input).length > 0;

/** Adds the tools offered in the input of earlier turns, unless this turn allows only some of its own. */
function withTools(request: ResponsesRequest, inputs: readonly unknown[]): ResponsesRequest {
  const { generation, body } = request;
  if (isRecord(body['tool_choice'])) return request;
  const tools = [...(generation.tools ?? [])];
  const called = new Map(request.called);
  const reader = new DialectReader();
  for (const input of inputs) {
    const earlier = readTools(reader, null, input);
    for (const tool of earlier.tools) {
      if (tools.some(({ name }) => name === tool.name)) continue;
      tools.push(tool);
      const known = earlier.called.get(tool.name);
      if (known) called.set(tool.name, known);
    }
  }
  return { ...request, called, generation: { ...generation, tools } };
}

const isReference = (entry: InputEntry): entry is ItemReference => 'reference' in entry;

/** Every output of a function belongs to a call of it. @throws InvalidError */
function requireCalls(messages: readonly Message[]): void {
  const message = resultWithoutCall(messages);
  if (message !== null) throw new InvalidError({ path: ['body', 'input'], message, type: 'not_allowed' });
}

/** The earlier turns that one request refers to: each is read once, and they are bounded. */
class Turns {
  /** Inputs of the turns before, the latest first. */
  readonly inputs: unknown[] = [];
  private readonly known = new Map<string, StoredResponse>();
  private room = MAX_CHARACTERS;

  constructor(
    private readonly stored: StoredResponses,
    private readonly caller: Caller,
    /** Whether this request's provider gave the answer. */
    private readonly isOwn: (turn: StoredResponse) => boolean,
  ) {}

  /** Every entry up to a turn, from the first. A turn can only continue an earlier one. */
  async until(responseId: string): Promise<readonly InputEntry[]> {
    const turns: (readonly InputEntry[])[] = [];
    for (let id: string | null = responseId; id !== null;) {
      const turn: StoredResponse = await this.find(id, ['previous_response_id']);
      this.inputs.push(turn.body['input']);
      turns.unshift([...entriesOf(turn.body['input']), ...this.answerOf(turn)]);
      const previous = turn.body['previous_response_id'];
      id = typeof previous === 'string' ? previous : null;
    }
    return turns.flat();
  }

  /** An answer's entries. What proves thoughts to one provider is refused by another. */
  private answerOf(turn: StoredResponse): readonly InputEntry[] {
    const entries = entriesOf(turn.output);
    return this.isOwn(turn)
      ? entries
      : entries.flatMap<InputEntry>((entry) => (isReference(entry) ? [entry] : unproven(entry)));
  }

  async resolved(entries: readonly InputEntry[]): Promise<readonly Message[]> {
    const messages: Message[] = [];
    for (const entry of entries) messages.push(isReference(entry) ? await this.referred(entry) : entry);
    return messages;
  }

  private async referred({ reference, index }: ItemReference): Promise<Message> {
    const path = ['input', index, 'id'];
    const place = placeOf(reference);
    if (!place) throw notThere(reference, path);
    const { output } = await this.find(`resp_${place.inferenceId}`, path, reference);
    const item = output[place.index];
    if (!item) throw notThere(reference, path);
    return entriesOf([item])[0] as Message;
  }

  /** @param named the id that the caller wrote, if it is not the response's */
  private async find(id: string, path: readonly (string | number)[], named = id): Promise<StoredResponse> {
    const known = this.known.get(id);
    if (known) return known;
    if (this.known.size === MAX_TURNS) throw tooMuch(path, `more than ${MAX_TURNS} earlier responses`);
    const turn = await this.stored.find(this.caller, id).catch((error: unknown) => {
      throw error instanceof NotFoundError ? notThere(named, path) : error;
    });
    if (turn.answer === null) throw new ConflictError(`${path.join('.')}: ${id} failed; there is nothing to continue`);
    this.room = roomAfter([turn.body['input'] ?? null, turn.output], this.room);
    if (this.room < 0) throw tooMuch(path, 'more than 16 MiB of earlier input and output');
    this.known.set(id, turn);
    return turn;
  }
}

/** A message without signatures. A message of redacted thoughts only is left out. */
function unproven(message: Message): readonly Message[] {
  const content = message.content.flatMap((part): readonly ContentPart[] => {
    if (part.type !== 'thinking') return [part];
    return part.redacted ? [] : [{ type: 'thinking', text: part.text }];
  });
  return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
}

/** Parses items that were validated before they were stored. */
function entriesOf(items: unknown): readonly InputEntry[] {
  const reader = new DialectReader();
  const entries = inputOf(reader, items as ResponsesItem[] | null);
  reader.done();
  return entries;
}

const notThere = (id: string, path: readonly (string | number)[]): HttpError => {
  const message = `${JSON.stringify(id.slice(0, 200))} does not exist, was not stored, or is no response`;
  return new HttpError(404, `${path.join('.')}: ${message}`, { code: 'not_found', param: path.join('.') });
};

const tooMuch = (path: readonly (string | number)[], what: string): InvalidError =>
  new InvalidError({
    path: ['body', ...path],
    message: `refers to ${what}; send a summary of them`,
    type: 'out_of_range',
  });
