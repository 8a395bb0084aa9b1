import {
  HostedModelError,
  type FinishReason,
  type GenerationEvent,
  type GenerationRequest,
  type TokenUsage,
} from '#hosted-models/port.js';
import { estimateInput, estimateTokens } from './tokens.js';

/** What a model has produced so far, and what that comes to. */
export class Generation {
  text = '';
  ttftMs: number | null = null;
  finishReason: FinishReason = 'stop';
  private usage: TokenUsage | null = null;

  constructor(
    private readonly request: GenerationRequest,
    private readonly start: number,
  ) {}

  /** @throws HostedModelError for what no caller here has asked for */
  add(event: GenerationEvent): void {
    switch (event.type) {
      case 'text':
        this.ttftMs ??= performance.now() - this.start;
        this.text += event.text;
        break;
      case 'usage':
        this.usage = event.usage;
        break;
      case 'finish':
        this.finishReason = event.reason;
        break;
      case 'thinking':
        break;
      case 'tool-call':
      case 'tool-input':
        throw new HostedModelError('unavailable', 'the model called a tool, though it was given none');
    }
  }

  /** As the provider counted; where it did not, or not yet, about what it will have counted. */
  get counted(): TokenUsage {
    if (this.usage) return this.usage;
    return {
      inputTokens: estimateInput(this.request),
      outputTokens: estimateTokens(this.text),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    };
  }
}
