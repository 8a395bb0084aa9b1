import type { Json, JsonObject } from '#domain/json.js';
import { HostedModelError, type FinishReason, type GenerationEvent, type Style } from './hosted/port.js';

/** The output of a model, part by part. */
export interface Produced {
  /** Choices by index; at least one. */
  readonly choices: readonly ProducedChoice[];
  /** Details of the whole answer, by style. */
  readonly details: Readonly<Partial<Record<Style, JsonObject>>>;
}

export interface ProducedChoice {
  readonly parts: readonly ProducedPart[];
  /** null: it has not ended. */
  readonly finish: FinishReason | null;
  readonly stopSequence: string | null;
}

export type ProducedPart = KnownPart & {
  /** Fields that only this style adds to parts of other types, unchanged. */
  readonly additions?: readonly { readonly style: Style; readonly value: JsonObject }[];
};

type KnownPart =
  | { readonly type: 'text'; readonly text: string; readonly logprobs: readonly Json[] }
  | { readonly type: 'thinking'; readonly text: string; readonly signature: string | null; readonly redacted: boolean }
  | { readonly type: 'refusal'; readonly text: string; readonly logprobs: readonly Json[] }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: string }
  | {
      readonly type: 'foreign';
      readonly style: Style;
      readonly value: JsonObject;
      readonly deltas: readonly JsonObject[];
    };

/** The text of a choice: its parts joined. */
export const textOf = ({ parts }: ProducedChoice): string =>
  parts.reduce((text, part) => (part.type === 'text' ? text + part.text : text), '');

type Growing<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] };
type GrowingPart = ProducedPart extends infer Part ? (Part extends unknown ? Growing<Part> : never) : never;
interface GrowingChoice {
  parts: (GrowingPart | undefined)[];
  finish: FinishReason | null;
  stopSequence: string | null;
}

/** Numbers come from the provider: a list is no longer than the largest of them. */
const MAX_CHOICES = 65_536;
const MAX_PARTS = 65_536;

/** Puts the events of one answer together. */
export class Collected implements Produced {
  readonly details: Partial<Record<Style, JsonObject>> = {};
  private readonly growing: (GrowingChoice | undefined)[] = [newChoice()];

  /** Rebuilt on each access, for callers that encode a whole answer. */
  get choices(): readonly ProducedChoice[] {
    const made = Array.from(this.growing, (choice) => choice ?? newChoice());
    return made.map((choice) => ({ ...choice, parts: choice.parts.filter((part) => part !== undefined) }));
  }

  /** @throws HostedModelError for events that contradict each other */
  add(event: GenerationEvent): void {
    switch (event.type) {
      case 'text': {
        const part = this.part(event.choice, event.part, 'text', () => ({ type: 'text', text: '', logprobs: [] }));
        part.text += event.text;
        if (Array.isArray(event.logprobs)) part.logprobs.push(...(event.logprobs as Json[]));
        break;
      }
      case 'thinking': {
        const part = this.part(event.choice, event.part, 'thinking', () => ({
          ...{ type: 'thinking', text: '', signature: null, redacted: event.redacted ?? false },
        }));
        part.text += event.text;
        if (event.signature !== undefined) part.signature = (part.signature ?? '') + event.signature;
        break;
      }
      case 'refusal': {
        const part = this.part(event.choice, event.part, 'refusal', () => ({
          type: 'refusal',
          text: '',
          logprobs: [],
        }));
        part.text += event.text;
        if (Array.isArray(event.logprobs)) part.logprobs.push(...(event.logprobs as Json[]));
        break;
      }
      case 'tool-call': {
        const { id, name } = event;
        this.part(event.choice, event.part, 'tool-call', () => ({ type: 'tool-call', id, name, input: '' }));
        break;
      }
      case 'tool-input':
        this.part(event.choice, event.part, 'tool-call', () => {
          throw new HostedModelError('unavailable', 'the provider gave the input of a tool call that it had not begun');
        }).input += event.json;
        break;
      case 'foreign': {
        const { style, value } = event;
        const present = this.choice(event.choice).parts[event.part];
        if (event.isDelta && present && present.type !== 'foreign') {
          present.additions = [...(present.additions ?? []), { style, value }];
          break;
        }
        const part = this.part(event.choice, event.part, 'foreign', () => ({
          ...{ type: 'foreign', style, value: event.isDelta ? {} : value, deltas: [] },
        }));
        if (event.isDelta) part.deltas.push(value);
        break;
      }
      case 'details':
        this.details[event.style] = { ...this.details[event.style], ...event.fields };
        break;
      case 'finish': {
        const choice = this.choice(event.choice);
        choice.finish = event.reason;
        choice.stopSequence = event.stopSequence ?? null;
        break;
      }
      case 'usage':
        break;
    }
  }

  private choice(number = 0): GrowingChoice {
    if (number >= MAX_CHOICES)
      throw new HostedModelError('unavailable', 'the provider answered more than was asked for');
    return (this.growing[number] ??= newChoice());
  }

  private part<Type extends GrowingPart['type']>(
    choice: number | undefined,
    number: number,
    type: Type,
    begin: () => Extract<GrowingPart, { type: Type }>,
  ): Extract<GrowingPart, { type: Type }> {
    const { parts } = this.choice(choice);
    if (number >= MAX_PARTS) throw new HostedModelError('unavailable', 'the provider answered in too many parts');
    const part = (parts[number] ??= begin());
    if (part.type === type) return part as Extract<GrowingPart, { type: Type }>;
    throw new HostedModelError('unavailable', 'the provider mixed up the parts of its answer');
  }
}

const newChoice = (): GrowingChoice => ({ parts: [], finish: null, stopSequence: null });
