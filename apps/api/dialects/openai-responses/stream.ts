import type { Json, JsonObject } from '#domain/json.js';
import type { FinishReason, GenerationEvent } from '#calls/hosted/port.js';
import { errorBody } from '../../edge/errors/envelope.js';
import type { HttpError } from '../../edge/errors/http-error.js';
import type { BegunAnswer } from '../shared/compatible-calls.js';
import type { StreamEncoder } from '../../edge/event-stream.js';
import type { CalledTools } from './called-tools.js';
import { EventWriter } from './event-writer.js';
import { endedBy } from './output.js';
import { askedOf, responseObject, usageOf, type ResponseState } from './response.js';
import type { ResponsesRequest } from './request.js';
import { StreamedCall, StreamedCustomCall } from './streamed-call.js';
import type { ItemPiece, ItemPlace, Said, StreamedItem } from './streamed-item.js';
import { StreamedMessage } from './streamed-message.js';
import { StreamedReasoning } from './streamed-reasoning.js';

/**
 * A response as named events (https://platform.openai.com/docs/api-reference/responses-streaming). Items follow one
 * another like the parts of the answer; only a call with incomplete arguments stays open beside the next.
 */
export class ResponseStream implements StreamEncoder {
  private readonly writer = new EventWriter();
  private readonly items: StreamedItem[] = [];
  private open: StreamedItem[] = [];
  /** Items by part index. */
  private readonly itemOf = new Map<number, StreamedItem>();
  private finish: FinishReason | null = null;
  private hasRefusal = false;

  constructor(
    private readonly started: BegunAnswer,
    private readonly asked: Pick<ResponsesRequest, 'body' | 'called'>,
  ) {}

  begin(): string {
    const response = this.response({ status: 'in_progress', output: [] });
    return this.event('response.created', { response }) + this.event('response.in_progress', { response });
  }

  batch(events: readonly GenerationEvent[]): string {
    let text = '';
    for (const event of events) if (!('choice' in event) || !event.choice) text += this.said(event);
    return text;
  }

  end(): string {
    const ended = endedBy(this.finish, this.hasRefusal);
    const last = this.items.at(-1);
    let text = '';
    for (const item of this.open) text += item.close(item === last ? ended.status : 'completed');
    const output = this.items.map((item) => item.item);
    const completed_at = Math.floor(Date.now() / 1_000);
    const response = this.response({ ...ended, completed_at, output, usage: usageOf(this.started.run.usage) });
    return text + this.event(`response.${ended.status}`, { response });
  }

  error(error: HttpError): string {
    const { error: told } = errorBody(error, 'openai', '') as { error: JsonObject };
    const { type, code, message, param } = told as Record<'type' | 'code' | 'message' | 'param', Json>;
    // OpenAI documents the fields of the event; its API and Open Responses have them in `error`.
    return this.event('error', { code, message, param, error: { type, code, message, param } });
  }

  private said(event: GenerationEvent): string {
    switch (event.type) {
      case 'text':
      case 'refusal':
      case 'thinking':
      case 'tool-call': {
        if (event.type === 'refusal') this.hasRefusal = true;
        const known = this.itemOf.get(event.part);
        return known ? known.add(event) : this.beginPart(event);
      }
      case 'tool-input':
      case 'foreign':
        return this.itemOf.get(event.part)?.add(event) ?? '';
      case 'finish':
        this.finish = event.reason;
        return '';
      default:
        return '';
    }
  }

  /** Begins a part: consecutive texts and refusals share a message, other parts are separate items. */
  private beginPart(piece: Parameters<typeof streamedItem>[0]): string {
    const last = this.items.at(-1);
    if (last?.takes(piece)) {
      this.itemOf.set(piece.part, last);
      return last.add(piece);
    }
    const done = this.closeWhole();
    const place = [this.writer, this.started.run.inferenceId, this.items.length] as const;
    const item = streamedItem(piece, this.asked.called, ...place);
    this.items.push(item);
    this.open.push(item);
    this.itemOf.set(piece.part, item);
    return done + item.open() + item.add(piece);
  }

  private closeWhole(): string {
    const whole = this.open.filter((item) => item.isWhole);
    this.open = this.open.filter((item) => !whole.includes(item));
    return whole.reduce((text, item) => text + item.close('completed'), '');
  }

  private response(progress: ResponseState): JsonObject {
    return responseObject(askedOf(this.started, this.asked.body), progress);
  }

  private event(type: string, fields: JsonObject): string {
    return this.writer.event(type, fields);
  }
}

/** The item that a part begins. */
function streamedItem(
  piece: Exclude<ItemPiece, Said<'tool-input' | 'foreign'>>,
  called: CalledTools,
  ...place: ItemPlace
): StreamedItem {
  switch (piece.type) {
    case 'text':
    case 'refusal':
      return new StreamedMessage(...place);
    case 'thinking':
      return new StreamedReasoning(...place);
    case 'tool-call': {
      const tool = called.get(piece.name);
      return tool?.isCustom ? new StreamedCustomCall(piece, tool, ...place) : new StreamedCall(piece, tool, ...place);
    }
  }
}
