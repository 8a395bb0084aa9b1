import type { ToolFamily } from '#models/imported/index.js';
import type { DoneMessage } from '../torch/messages.js';
import { objectAt, parsed, type RawObject } from './raw-object.js';
import { TextStream } from './text-stream.js';

type ToolCall = DoneMessage['toolCalls'][number];

/** Families whose calls are read here, as `anneal_runner/generation/calls.py` reads them; those of the others are left to torch. */
export const READ_FAMILIES = ['hermes', 'llama', 'mistral'] as const satisfies readonly ToolFamily[];
export type ReadFamily = (typeof READ_FAMILIES)[number];

/** Texts, some of them special tokens, that mark calls. The first opens one. */
export const MARKS: Readonly<Record<ReadFamily, readonly string[]>> = {
  hermes: ['<tool_call>', '</tool_call>'],
  llama: [],
  mistral: ['[TOOL_CALLS]', '[CALL_ID]', '[ARGS]'],
};

/** Reads answers whose calls come last: text, then what opens a call. */
export class CallReader {
  private readonly opening: TextStream;
  private calls = '';
  private isCalling = false;
  private hasShown = false;

  /** @param names of the tools */
  constructor(
    private readonly family: ReadFamily,
    private readonly names: ReadonlySet<string>,
  ) {
    this.opening = new TextStream(MARKS[family].slice(0, 1));
  }

  /** Returns what is certain to be text. */
  add(text: string): string {
    if (this.isCalling) {
      this.calls += text;
      return '';
    }
    if (this.family === 'llama') return this.addBeforeBrace(text);
    const { text: shown, stopped, rest } = this.opening.add(text);
    if (stopped === null) return shown;
    this.isCalling = true;
    this.calls = stopped + rest;
    return shown;
  }

  /** Returns the rest of the text, and the calls. Calls that do not parse, or of tools that are not there, are text. */
  end(): { readonly text: string; readonly calls: readonly ToolCall[] } {
    if (!this.isCalling) return { text: this.calls + this.opening.end(), calls: [] };
    return READERS[this.family](this.calls, this.names) ?? { text: this.calls, calls: [] };
  }

  /** Returns what is certain to be text: an answer that begins with a brace is a call. */
  private addBeforeBrace(text: string): string {
    if (this.hasShown) return text;
    this.calls += text;
    const start = this.calls.trimStart();
    this.isCalling = start.startsWith('{');
    if (this.isCalling || start === '') return '';
    this.hasShown = true;
    const shown = this.calls;
    this.calls = '';
    return shown;
  }
}

type Read = (text: string, names: ReadonlySet<string>) => ReturnType<CallReader['end']> | null;

/** `<tool_call>{"name", "arguments"}</tool_call>`, and text between and after them. */
const hermesCalls: Read = (text, names) => {
  const [opening, closing] = MARKS.hermes;
  const blocks = text.split(opening!).slice(1);
  const parts = blocks.map((block) => {
    const [inside = '', ...after] = block.split(closing!);
    return { call: whole(inside, 'arguments', names), after: after.join(closing).trim() };
  });
  const calls = parts.flatMap(({ call }) => call ?? []);
  const shown = parts.map(({ after }) => after).filter((after) => after !== '');
  return calls.length < parts.length ? null : { text: shown.join('\n'), calls };
};

/** JSON objects with `name` and `parameters`, one after another. */
const llamaCalls: Read = (text, names) => listed(text.trim(), 'parameters', names, /^[ \n;,]+/);

/** `[TOOL_CALLS] [{"name", "arguments"}, ...]`, or in newer templates `[TOOL_CALLS]NAME[CALL_ID]ID[ARGS]{...}`, one after another. */
const mistralCalls: Read = (text, names) => {
  const parts = text.split(MARKS.mistral[0]!).slice(1);
  const read = parts.map((part) => {
    const list = part.trim();
    if (list.startsWith('['))
      return parsed(list) === undefined ? null : listed(list.slice(1, -1).trim(), 'arguments', names, /^[\s,]+/);
    const [, name = '', input = ''] =
      /^\s*([^\s[{]+)\s*(?:\[CALL_ID\]\s*[\w-]*\s*)?(?:\[ARGS\])?\s*(\{.*\})\s*$/s.exec(part) ?? [];
    return isCall(name, input, names) ? { text: '', calls: [{ name, arguments: input }] } : null;
  });
  const calls = read.flatMap((each) => each?.calls ?? []);
  return read.some((each) => !each || each.calls.length === 0) ? null : { text: '', calls };
};

const READERS: Readonly<Record<ReadFamily, Read>> = {
  hermes: hermesCalls,
  llama: llamaCalls,
  mistral: mistralCalls,
};

/** Calls as JSON objects with something between them; null when one is no call. */
function listed(
  text: string,
  key: string,
  names: ReadonlySet<string>,
  between: RegExp,
): ReturnType<CallReader['end']> | null {
  const calls: ToolCall[] = [];
  for (let rest = text; rest !== '';) {
    const object = objectAt(rest);
    const call = object && callIn(object, key, names);
    if (!object || !call) return null;
    calls.push(call);
    rest = rest.slice(object.length).replace(between, '');
  }
  return { text: '', calls };
}

function whole(text: string, key: string, names: ReadonlySet<string>): ToolCall | null {
  const json = text.trim();
  const object = objectAt(json);
  return object?.length === json.length ? callIn(object, key, names) : null;
}

function callIn({ members }: RawObject, key: string, names: ReadonlySet<string>): ToolCall | null {
  const name = parsed(members.get('name') ?? '');
  const input = members.get(key) ?? '';
  return typeof name === 'string' && isCall(name, input, names) ? { name, arguments: input } : null;
}

const isCall = (name: string, input: string, names: ReadonlySet<string>): boolean =>
  names.has(name) && objectAt(input)?.length === input.length;
