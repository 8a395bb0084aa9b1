import type { JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import { newCallId } from '../call-ids.js';
import type { GenerationEvent } from '../port.js';

type Fields = Readonly<Record<string, unknown>>;

interface Call {
  readonly part: number;
  readonly id: string;
  readonly isForeign: boolean;
  /** Whether the call's name is known; no event of the call precedes it. */
  isNamed: boolean;
  /** Input received before the name. */
  held: string;
}

/** The tool calls of one choice, whose pieces may come in turn. */
export class ToolCalls {
  private readonly calls: Call[] = [];
  private readonly byIndex = new Map<unknown, Call>();
  private readonly byId = new Map<string, Call>();
  private legacy: Call | null = null;

  constructor(
    private readonly numbered: { readonly choice?: number },
    private readonly nextPart: () => number,
  ) {}

  get any(): boolean {
    return this.calls.some(isKnown);
  }

  /** @param isWhole it is all of a call, no piece of one */
  read(entry: Fields, isWhole: boolean, events: GenerationEvent[]): void {
    // Some have the fields of the function beside the id.
    const called = isRecord(entry['function']) ? entry['function'] : entry;
    const present = isWhole ? undefined : this.find(entry, called);
    const isForeign = present?.isForeign ?? (entry['type'] === 'custom' || entry['custom'] !== undefined);
    const call = present ?? this.begin(textOf(entry['id']) || newCallId(), isForeign, entry['index']);
    if (call.isForeign) this.pass(call, entry, present !== undefined, events);
    else this.add(call, called, events);
  }

  /** `function_call`, which a message has at most once, without an id. */
  readLegacy(called: Fields, events: GenerationEvent[]): void {
    this.legacy ??= this.begin(newCallId(), false, undefined);
    this.add(this.legacy, called, events);
  }

  /** Whether all that was said of calls could be understood: input of a call that names no tool was not. */
  end(): boolean {
    return this.calls.every((call) => isKnown(call) || call.held === '');
  }

  /**
   * Finds a call by its index. Some providers give all calls the same index or none: then another id, or without ids
   * another name, is another call.
   */
  private find({ index, id: given }: Fields, { name }: Fields): Call | undefined {
    const id = textOf(given);
    const present = typeof index === 'number' ? this.byIndex.get(index) : this.unnumbered(id, name);
    return present && id !== '' && id !== present.id && textOf(name) !== '' ? undefined : present;
  }

  private unnumbered(id: string, name: unknown): Call | undefined {
    if (id !== '') return this.byId.get(id);
    return textOf(name) === '' ? this.calls.at(-1) : undefined;
  }

  private begin(id: string, isForeign: boolean, index: unknown): Call {
    const call: Call = { part: this.nextPart(), id, isForeign, isNamed: false, held: '' };
    this.calls.push(call);
    this.byIndex.set(index, call);
    this.byId.set(id, call);
    return call;
  }

  private add(call: Call, called: Fields, events: GenerationEvent[]): void {
    const { part } = call;
    const name = textOf(called['name']);
    call.held += inputOf(called['arguments']);
    if (!call.isNamed && name !== '') {
      call.isNamed = true;
      events.push({ type: 'tool-call', part, id: call.id, name, ...this.numbered });
    }
    if (!call.isNamed || call.held === '') return;
    events.push({ type: 'tool-input', part, json: call.held, ...this.numbered });
    call.held = '';
  }

  /** A custom tool's: its input is text, which only callers of this style know. */
  private pass({ part }: Call, entry: Fields, isDelta: boolean, events: GenerationEvent[]): void {
    const value: JsonObject = { tool_calls: [entry as JsonObject] };
    events.push({ type: 'foreign', style: 'openai', part, value, isDelta, ...this.numbered });
  }
}

const isKnown = ({ isNamed, isForeign }: Call): boolean => isNamed || isForeign;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The arguments as JSON text; some providers send the parsed value. */
function inputOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
