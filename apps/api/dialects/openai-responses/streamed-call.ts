import type { JsonObject } from '#domain/json.js';
import { argumentsOf, functionCall, type ItemStatus } from './output.js';
import { StreamedItem, type Piece, type Place, type Said } from './streamed-item.js';

/** A call of a function, whose arguments come in pieces. */
export class StreamedCall extends StreamedItem {
  protected readonly type = 'function_call';
  private readonly callId: string;
  private readonly name: string;
  private input = '';
  private readonly delta = this.deltas('response.function_call_arguments.delta');

  constructor({ id, name }: Said<'tool-call'>, ...place: Place) {
    super(...place);
    this.callId = id;
    this.name = name;
  }

  override get isWhole(): boolean {
    return isJson(this.input);
  }

  add(piece: Piece): string {
    if (piece.type !== 'tool-input' || piece.json === '') return '';
    this.input += piece.json;
    return this.delta(piece.json);
  }

  protected closeContent(): string {
    return this.inside('response.function_call_arguments.done', {
      name: this.name,
      arguments: argumentsOf(this.input),
    });
  }

  protected joins(): boolean {
    return false;
  }

  protected shape(status: ItemStatus): JsonObject {
    const { callId: id, name, input } = this;
    return functionCall({ id, name, input }, status);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
