import type { ServedBy } from '#domain/inference/index.js';
import { NO_USAGE, type GenerationEvent, type TokenUsage } from './hosted/port.js';
import { Collected } from './produced.js';
import { estimateTokens } from './tokens.js';

/** Accumulates the output and usage of a model. */
export class Production {
  readonly produced = new Collected();
  ttftMs: number | null = null;
  /** Set once the provider has finished: its last count is then final. */
  isComplete = false;
  /** Whether some of its thoughts have a signature. */
  hasSignature = false;
  /** The engine that answered, if one here did. */
  servedBy: ServedBy | null = null;
  private usage: TokenUsage | null = null;
  /** UTF-8, of all that was produced. */
  private bytes = 0;

  constructor(
    private readonly estimatedInputTokens: number,
    private readonly start: number,
  ) {}

  /** @throws HostedModelError for events that contradict each other */
  add(event: GenerationEvent): void {
    this.produced.add(event);
    switch (event.type) {
      case 'usage':
        this.usage = event.usage;
        this.servedBy = event.servedBy ?? this.servedBy;
        return;
      case 'thinking':
        this.hasSignature ||= event.signature !== undefined;
        this.bytes += Buffer.byteLength(event.text);
        break;
      case 'text':
      case 'refusal':
        this.bytes += Buffer.byteLength(event.text);
        break;
      case 'tool-input':
        this.bytes += Buffer.byteLength(event.json);
        break;
      case 'tool-call':
        this.bytes += Buffer.byteLength(event.name);
        break;
      case 'foreign':
        // The output of a provider's own tools counts by the length of its JSON; sources of a text are no output.
        if (event.value['annotations'] === undefined && event.value['citation'] === undefined)
          this.bytes += Buffer.byteLength(JSON.stringify(event.value));
        break;
      default:
        return;
    }
    this.ttftMs ??= performance.now() - this.start;
  }

  /** The provider's count or, before or without one, an estimate of it. */
  get counted(): TokenUsage {
    if (this.isComplete && this.usage) return this.usage;
    const { usage = { ...NO_USAGE, inputTokens: this.estimatedInputTokens } } = { usage: this.usage ?? undefined };
    // Providers that count at the start report only the output so far.
    return { ...usage, outputTokens: Math.max(usage.outputTokens, estimateTokens(this.bytes)) };
  }
}
