import { createHash } from 'node:crypto';
import type { JsonObject } from '#domain/json.js';
import type { Change } from './changed.js';
import type { GenerationEvent, GenerationRequest } from './port.js';
import type { ProviderStyle } from './provider-styles.js';

/**
 * Names of tools that a style's providers take: https://platform.openai.com/docs/api-reference/chat/create,
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use
 */
const LONGEST: Readonly<Record<ProviderStyle, number>> = { openai: 64, anthropic: 128 };
const HASH_LENGTH = 12;

/**
 * The name of a tool for a provider. One that it refuses has the same replacement in every turn, which ends in a hash: names that
 * differ stay different.
 */
export function toolNameFor(style: ProviderStyle, name: string): string {
  const plain = name.replace(/[^\w-]/g, '_');
  if (plain === name && name.length <= LONGEST[style] && name !== '') return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${plain.slice(0, LONGEST[style] - HASH_LENGTH - 1)}_${hash}`;
}

/** Changes all names of tools in a body of a style, or in a part of an answer that only the style has. */
export type NamedTools = (nameOf: (name: string) => string) => { readonly body: Change; readonly part: Change };

/** The replaced names of one request. */
export class ToolNames {
  private readonly callers = new Map<string, string>();

  constructor(
    private readonly style: ProviderStyle,
    private readonly named: NamedTools,
  ) {}

  /** The request with names that the provider takes; the same object if it takes all. */
  sent(request: GenerationRequest): GenerationRequest {
    const { verbatim } = request;
    if (verbatim?.style !== this.style) {
      const renamed = this.translated(request);
      return this.callers.size === 0 ? request : renamed;
    }
    const body = this.named(this.sentName).body(verbatim.body) as JsonObject;
    return body === verbatim.body ? request : { ...request, verbatim: { ...verbatim, body } };
  }

  /** The events of its answer, with the caller's names. */
  answered(events: Answered): Answered {
    return this.callers.size === 0 ? events : this.renamedBack(events);
  }

  private async *renamedBack(events: Answered): AsyncGenerator<readonly GenerationEvent[], undefined> {
    const givenName = (name: string) => this.callers.get(name) ?? name;
    const { part } = this.named(givenName);
    const given = (event: GenerationEvent): GenerationEvent => {
      if (event.type === 'tool-call') return { ...event, name: givenName(event.name) };
      return event.type === 'foreign' ? { ...event, value: part(event.value) as JsonObject } : event;
    };
    try {
      for (let next = await events.next(); !next.done; next = await events.next()) yield next.value.map(given);
    } finally {
      await events.return?.();
    }
  }

  private translated(request: GenerationRequest): GenerationRequest {
    const { messages, tools, toolChoice, responseFormat } = request;
    return {
      ...request,
      messages: messages.map((message) => ({
        ...message,
        content: message.content.map((part) => (part.type === 'tool-call' ? this.renamed(part) : part)),
      })),
      ...(tools && { tools: tools.map((tool) => ('foreign' in tool ? tool : this.renamed(tool))) }),
      ...(typeof toolChoice === 'object' && { toolChoice: this.renamed(toolChoice) }),
      ...(responseFormat?.type === 'json_schema' && { responseFormat: this.renamed(responseFormat) }),
    };
  }

  private renamed<Named extends { readonly name: string }>(named: Named): Named {
    return { ...named, name: this.sentName(named.name) };
  }

  private readonly sentName = (name: string): string => {
    const sent = toolNameFor(this.style, name);
    if (sent !== name) this.callers.set(sent, name);
    return sent;
  };
}

type Answered = AsyncIterator<readonly GenerationEvent[]>;
