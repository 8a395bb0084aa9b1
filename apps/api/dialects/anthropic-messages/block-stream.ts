import type { GenerationEvent } from '#calls/hosted/port.js';
import { pageCitations } from '#calls/index.js';
import { namedEvent } from '../../edge/event-stream.js';
import { DIRECT } from './encode-blocks.js';
import { JsonEnd } from './json-end.js';

type PartEvent = Extract<GenerationEvent, { readonly part: number }>;
type Foreign = Extract<PartEvent, { readonly type: 'foreign' }>;
type BeginningEvent = Exclude<PartEvent, { readonly type: 'tool-input' }>;

interface OpenBlock {
  readonly part: number;
  readonly index: number;
  /** Text before the content of a usual delta. */
  readonly delta: string;
  /** Finds the end of a tool's input; null for blocks that may end at any time. */
  readonly end: JsonEnd | null;
}

/**
 * Writes parts as content blocks. Only one block is open at a time and none reopens, while a model may interleave the
 * inputs of several tools: the first is sent as it arrives, the others wait until it has ended.
 */
export class BlockStream {
  private open: OpenBlock | null = null;
  private next = 0;
  /** Waiting parts, in the order in which they began. */
  private readonly waiting = new Map<number, [BeginningEvent, ...PartEvent[]]>();

  write(event: PartEvent): string {
    if ((event.choice ?? 0) !== 0 || saysNothing(event)) return '';
    if (this.open?.part === event.part) return this.continued(event) + this.released(false);
    const queue = this.waiting.get(event.part);
    if (queue) queue.push(event);
    // The block ended with its input; only white space may follow.
    else if (event.type === 'tool-input') return '';
    else if (this.open && !isEnded(this.open)) this.waiting.set(event.part, [event]);
    else return this.close() + this.begin(event);
    return '';
  }

  /** Ends the open block, and sends those that waited. */
  end(): string {
    return this.released(true) + this.close();
  }

  private released(isEnd: boolean): string {
    let text = '';
    for (const [part, [first, ...rest]] of this.waiting) {
      if (!isEnd && this.open && !isEnded(this.open)) break;
      this.waiting.delete(part);
      text += this.close() + this.begin(first);
      for (const event of rest) text += this.continued(event);
    }
    return text;
  }

  private close(): string {
    const { open } = this;
    this.open = null;
    return open ? `event: content_block_stop\ndata: {"type":"content_block_stop","index":${open.index}}\n\n` : '';
  }

  private begin(event: BeginningEvent): string {
    const index = this.next;
    this.next += 1;
    const { block, field } = blockOf(event);
    const start = namedEvent({ type: 'content_block_start', index, content_block: block });
    const delta = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":${field}`;
    this.open = { part: event.part, index, delta, end: event.type === 'tool-call' ? new JsonEnd() : null };
    return start + this.continued(event);
  }

  private continued(event: PartEvent): string {
    const { delta, index, end } = this.open!;
    switch (event.type) {
      case 'text':
      case 'refusal':
        return `${delta}${JSON.stringify(event.text)}}}\n\n`;
      case 'thinking': {
        if (event.redacted) return '';
        const text = event.text === '' ? '' : `${delta}${JSON.stringify(event.text)}}}\n\n`;
        const { signature } = event;
        return signature === undefined ? text : text + deltaEvent(index, { type: 'signature_delta', signature });
      }
      case 'tool-input':
        end?.add(event.json);
        return `${delta}${JSON.stringify(event.json)}}}\n\n`;
      case 'foreign':
        return event.isDelta ? this.addition(event) : '';
      case 'tool-call':
        return '';
    }
  }

  private addition(event: Foreign): string {
    const { index } = this.open!;
    if (event.style === 'anthropic') return deltaEvent(index, event.value);
    return pageCitations([event])
      .map((citation) => deltaEvent(index, { type: 'citations_delta', citation }))
      .join('');
  }
}

const isEnded = ({ end }: OpenBlock): boolean => end === null || end.isReached;

/** Whether a part belongs to another style or is empty. */
function saysNothing(event: PartEvent): boolean {
  switch (event.type) {
    case 'text':
    case 'refusal':
      return event.text === '';
    case 'thinking':
      return event.text === '' && event.signature === undefined;
    case 'tool-input':
      return event.json === '';
    case 'foreign':
      return event.style !== 'anthropic' && pageCitations([event]).length === 0;
    case 'tool-call':
      return false;
  }
}

/** The start of a block, and the field name of its usual deltas. */
function blockOf(event: BeginningEvent): { block: object; field: string } {
  switch (event.type) {
    case 'thinking':
      return {
        block: event.redacted
          ? { type: 'redacted_thinking', data: event.signature ?? '' }
          : { type: 'thinking', thinking: '', signature: '' },
        field: '{"type":"thinking_delta","thinking":',
      };
    case 'tool-call': {
      const { id, name } = event;
      const block = { ...{ type: 'tool_use', id, name }, input: {}, caller: DIRECT };
      return { block, field: '{"type":"input_json_delta","partial_json":' };
    }
    case 'foreign':
      // A delta adds to a text that has not begun, or has ended: sources may come last of all.
      if (!event.isDelta) return { block: event.value, field: '' };
      return { block: TEXT, field: TEXT_FIELD };
    case 'text':
    case 'refusal':
      return { block: TEXT, field: TEXT_FIELD };
  }
}

const TEXT = { type: 'text', text: '' } as const;
const TEXT_FIELD = '{"type":"text_delta","text":';

const deltaEvent = (index: number, delta: object): string => namedEvent({ type: 'content_block_delta', index, delta });
