import type { ContentPart, GenerationRequest, MediaSource, Message, Tool } from './hosted/port.js';

/** Estimated size of a request's input in tokens. */
interface InputSize {
  /** An estimate, rather too high than too low. */
  readonly about: number;
  /** Upper bound, or everything that the model reads. */
  readonly most: number;
}

/** Tokens of one message's frame, and the upper bound for all messages. */
const TOKENS_A_MESSAGE = 8;
const MAX_AROUND_MESSAGES = 64;
/**
 * Tokens of the provider's own prompt about tools
 * (https://platform.claude.com/docs/en/docs/agents-and-tools/tool-use/overview, "Pricing").
 */
const AROUND_TOOLS: InputSize = { about: 350, most: 700 };
/**
 * The provider describes its own tools to the model: 245 to 735 tokens (the same page). Their results are unbounded.
 */
const FOREIGN_TOOL = 735;

/**
 * An image is scaled down to a bounded number of pixels. About 1,600 tokens is the usual maximum of Claude and GPT models; most is
 * what GPT-4o mini counts for eight tiles, 2,833 + 8 * 5,667 (https://platform.claude.com/docs/en/build-with-claude/vision,
 * https://platform.openai.com/docs/guides/images-vision).
 */
const IMAGE: InputSize = { about: 1_600, most: 48_169 };
/** An image with `detail: low`: 85 tokens for most models, 2,833 for GPT-4o mini (the same page). */
const LOW_IMAGE: InputSize = { about: 85, most: 2_833 };
/** 1,500 to 3,000 tokens of text a page, and its image; at most 100 pages (https://platform.claude.com/docs/en/build-with-claude/pdf-support). */
const TOKENS_A_PAGE = 4_500;
const MAX_PAGES = 100;
/** Typical bytes per page of a PDF; often far fewer, so the file's size is no bound. */
const BYTES_A_PAGE = 50_000;
/** 10 tokens a second with GPT models, 32 with Gemini; 16 kB a second of common MP3, 1 kB of the barest. */
const AUDIO_ABOUT = 10 / 16_000;
const AUDIO_MOST = 32 / 1_000;

/** The approximate number of tokens in a text of this number of UTF-8 bytes: a third. English has about four bytes a token, Chinese three to four. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / 3);

/**
 * Estimates everything that a model reads. A text token is at least one byte, since some vocabularies have a token per
 * digit. If a part's size cannot be known here (a file at the provider, a PDF), `most` is the context window.
 * @param contextWindow of the model, in tokens
 */
export function sizeOf(request: GenerationRequest, contextWindow: number): InputSize {
  const { messages, prompts, tools, responseFormat, unknownFields } = request;
  const size = new Measured();
  for (const message of messages) size.message(message);
  for (const prompt of prompts ?? []) size.text(prompt);
  if (responseFormat?.type === 'json_schema') size.json(responseFormat.schema);
  if (unknownFields) size.json(unknownFields);
  if (tools && tools.length > 0) size.tools(tools);
  return size.within(contextWindow);
}

class Measured {
  private about = 0;
  private most = MAX_AROUND_MESSAGES;
  private isBounded = true;

  within(contextWindow: number): InputSize {
    return { about: this.about, most: this.isBounded ? this.most : Math.max(this.most, contextWindow) };
  }

  message({ content, name }: Message): void {
    this.add({ about: TOKENS_A_MESSAGE, most: TOKENS_A_MESSAGE });
    if (name !== undefined) this.text(name);
    for (const part of content) this.part(part);
  }

  text(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.about += estimateTokens(bytes);
    this.most += bytes;
  }

  json(value: object): void {
    this.text(JSON.stringify(value));
  }

  tools(tools: readonly Tool[]): void {
    this.add(AROUND_TOOLS);
    for (const tool of tools)
      if ('foreign' in tool) this.unbounded(FOREIGN_TOOL);
      else {
        this.add({ about: TOKENS_A_MESSAGE, most: TOKENS_A_MESSAGE });
        this.text(tool.name);
        if (tool.description !== undefined) this.text(tool.description);
        this.json(tool.parameters);
      }
  }

  private part(part: ContentPart): void {
    switch (part.type) {
      case 'text':
      case 'refusal':
      case 'thinking':
        return this.text(part.text);
      case 'tool-call':
        this.text(part.id);
        this.text(part.name);
        return this.text(part.input);
      case 'tool-result':
        this.text(part.id);
        for (const each of part.content) this.part(each);
        return;
      case 'image':
        return this.add(part.detail === 'low' ? LOW_IMAGE : IMAGE);
      case 'document':
        if (part.title !== undefined) this.text(part.title);
        return this.document(part.source);
      case 'audio': {
        const bytes = bytesOf(part.data);
        return this.add({ about: Math.ceil(bytes * AUDIO_ABOUT), most: Math.ceil(bytes * AUDIO_MOST) });
      }
      case 'foreign':
        return this.unbounded(FOREIGN_TOOL);
    }
  }

  private document(source: MediaSource): void {
    if (source.kind === 'text') return this.text(source.text);
    const pages = source.kind === 'base64' ? Math.ceil(bytesOf(source.data) / BYTES_A_PAGE) : 1;
    this.unbounded(TOKENS_A_PAGE * Math.min(pages, MAX_PAGES));
  }

  private add({ about, most }: InputSize): void {
    this.about += about;
    this.most += most;
  }

  private unbounded(about: number): void {
    this.add({ about, most: about });
    this.isBounded = false;
  }
}

const bytesOf = (base64: string): number => Math.ceil((base64.length * 3) / 4);
