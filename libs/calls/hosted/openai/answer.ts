import type { JsonObject } from '#domain/json.js';
import type { GenerationEvent } from '../port.js';
import { Choice } from './choice.js';
import type { ResponseIdentity } from '../response-identity.js';
import { usageOf } from './usage.js';

type Fields = Readonly<Record<string, unknown>>;

/** Numbers come from the provider: no list is to grow with them. */
const MAX_CHOICES = 65_536;

/** Reads an answer, whole or in chunks: of chat completions, or of text completions. */
export class Answer {
  private readonly choices: (Choice | undefined)[] = [];
  private readonly details = new Map<string, unknown>();
  /** Numbers of choices by those of the provider. */
  private readonly numbers = new Map<number, number>();

  /**
   * @param isText text completions
   * @param isOfMany continuations of several texts, whose numbers say which text each is of
   * @param identity is told what identifies the answer
   * @param leftOut is told what of the answer cannot be understood
   */
  constructor(
    private readonly isText: boolean,
    private readonly isOfMany: boolean,
    private readonly identity: ResponseIdentity,
    private readonly leftOut: (name: string) => void,
  ) {}

  /**
   * Appends the events of a chunk or a whole answer; the ends of its choices are kept for `end`. A value with neither
   * choices nor usage says nothing: servers send such to keep a connection.
   * @throws TypeError if it is malformed
   */
  read(value: Fields, events: GenerationEvent[]): void {
    const { choices, usage } = value;
    this.identity.read(value);
    if (Array.isArray(choices)) for (const entry of choices) this.readChoice(entry, events);
    else if (typeof usage !== 'object' || usage === null) return;
    if (typeof usage === 'object' && usage !== null) {
      const counted = usageOf(usage as Fields);
      if (counted) events.push({ type: 'usage', usage: counted });
    }
    this.readDetails(value, events);
  }

  /**
   * The ends of all choices; null if one has not ended, or nothing arrived.
   * @param isWhole whether nothing is missing: a choice without a reason has then ended too
   * @throws TypeError
   */
  end(isWhole: boolean): GenerationEvent[] | null {
    const ends = Array.from(this.choices, (choice) => choice?.end(isWhole) ?? null);
    return ends.length > 0 && ends.every((end) => end !== null) ? ends.flat() : null;
  }

  private readChoice(entry: unknown, events: GenerationEvent[]): void {
    if (entry === null) return;
    if (typeof entry !== 'object') return this.leftOut('answer.choices');
    const index = this.numberOf((entry as Fields)['index']);
    const choice = (this.choices[index] ??= new Choice(index, this.leftOut));
    if (this.isText) choice.readText(entry as Fields, events);
    else choice.read(entry as Fields, events);
  }

  /** Some providers begin at 1: alternatives are numbered as they come. A number that is none is the first. */
  private numberOf(given: unknown): number {
    const read = typeof given === 'string' ? Number(given) : given;
    const number = typeof read === 'number' && read >= 0 && read < MAX_CHOICES && read % 1 === 0 ? read : 0;
    if (this.isOfMany) return number;
    const known = this.numbers.get(number) ?? this.numbers.size;
    this.numbers.set(number, known);
    return known;
  }

  /** Reads fields such as `system_fingerprint`; emits them only when they change. */
  private readDetails(value: Fields, events: GenerationEvent[]): void {
    let fields: Record<string, unknown> | null = null;
    for (const name in value) {
      if (KNOWN.has(name) || value[name] === null || this.details.get(name) === value[name]) continue;
      this.details.set(name, value[name]);
      (fields ??= {})[name] = value[name];
    }
    if (!fields) return;
    const style = this.isText ? 'openai-completions' : 'openai';
    events.push({ type: 'details', style, fields: fields as JsonObject });
  }
}

/** Fields that this installation writes itself, and padding against eavesdroppers, which each hop adds for itself. */
const KNOWN = new Set(['id', 'object', 'created', 'model', 'choices', 'usage', 'obfuscation', 'error']);
