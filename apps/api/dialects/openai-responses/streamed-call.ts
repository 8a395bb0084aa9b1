import type { JsonObject } from '#domain/json.js';
import { customInput } from '../shared/custom-tools.js';
import type { CalledTool } from './called-tools.js';
import { argumentsOf, toolCall, type ItemStatus } from './output.js';
import { StreamedItem, type ItemPiece, type ItemPlace, type Said } from './streamed-item.js';

/** A tool call, which stays open until the model's output for it is complete. */
abstract class StreamedToolCall extends StreamedItem {
  protected input = '';

  constructor(
    private readonly call: Said<'tool-call'>,
    private readonly called: CalledTool | undefined,
    ...place: ItemPlace
  ) {
    super(...place);
  }

  override get isWhole(): boolean {
    return isJson(this.input);
  }

  protected get name(): string {
    return this.called?.name ?? this.call.name;
  }

  protected joins(): boolean {
    return false;
  }

  protected shape(status: ItemStatus): JsonObject {
    const { id, name } = this.call;
    return toolCall({ id, name, input: this.input }, this.called, status);
  }
}

/** A call of a function, whose arguments come in pieces. */
export class StreamedCall extends StreamedToolCall {
  protected readonly type = 'function_call';
  private readonly delta = this.deltas('response.function_call_arguments.delta');

  add(piece: ItemPiece): string {
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
}

/** A call of a custom tool. Its text is inside an argument, so that it is read at the end, and is one piece. */
export class StreamedCustomCall extends StreamedToolCall {
  protected readonly type = 'custom_tool_call';

  add(piece: ItemPiece): string {
    if (piece.type === 'tool-input') this.input += piece.json;
    return '';
  }

  protected closeContent(): string {
    const input = customInput(this.input);
    return (
      this.inside('response.custom_tool_call_input.delta', { delta: input }) +
      this.inside('response.custom_tool_call_input.done', { input })
    );
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
