import type { GenerationEvent, GenerationRequest, TokenUsage } from '#hosted-models/port.js';
import { Collected } from './produced.js';
import { estimateInput, estimateTokens } from './tokens.js';

/** What a model has produced so far, and what that comes to. */
export class Generation {
  readonly produced = new Collected();
  ttftMs: number | null = null;
  private usage: TokenUsage | null = null;
  private characters = '';

  constructor(
    private readonly request: GenerationRequest,
    private readonly start: number,
  ) {}

  /** @throws HostedModelError for events that contradict each other */
  add(event: GenerationEvent): void {
    this.produced.add(event);
    switch (event.type) {
      case 'usage':
        this.usage = event.usage;
        return;
      case 'text':
      case 'thinking':
      case 'refusal':
        this.characters += event.text;
        break;
      case 'tool-input':
        this.characters += event.json;
        break;
      case 'tool-call':
        this.characters += event.name;
        break;
      default:
        return;
    }
    this.ttftMs ??= performance.now() - this.start;
  }

  /** As the provider counted; where it did not, or not yet, about what it will have counted. */
  get counted(): TokenUsage {
    if (this.usage) return this.usage;
    return {
      inputTokens: estimateInput(this.request),
      outputTokens: estimateTokens(this.characters),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    };
  }
}
