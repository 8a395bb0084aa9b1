import { toolFamily } from '#models/imported/index.js';
import type { GenerateRequest, GenerationTool } from '../decoder-engine.js';
import type { GenerateMessage } from '../torch/messages.js';
import { callGrammar, jsonGrammar, UnsupportedSchemaError, type CallForm } from './json-grammar.js';
import { BadRequestError } from './prompt.js';
import { CallReader, MARKS, READ_FAMILIES, type ReadFamily } from './tool-calls.js';

/** The form of an answer. */
interface Form {
  /** In GBNF; null: any text. */
  readonly grammar: string | null;
  /** null: calls of tools are not looked for. */
  readonly reader: CallReader | null;
  /** Texts of special tokens that the reader needs. */
  readonly marks: readonly string[];
}

/** A call that is required is JSON in the family's marks, where these are plain text. */
const FORCED: Readonly<Record<ReadFamily, CallForm & { readonly readAs: ReadFamily }>> = {
  hermes: { before: '<tool_call>\n', key: 'arguments', after: '\n</tool_call>', readAs: 'hermes' },
  llama: { before: '', key: 'parameters', after: '', readAs: 'llama' },
  mistral: { before: '', key: 'parameters', after: '', readAs: 'llama' },
};

/** The family of a chat template, if calls of it are read here. */
export const readFamily = (template: string | null): ReadFamily | null =>
  READ_FAMILIES.find((family) => family === toolFamily(template)) ?? null;

/** Whether the answer may, or must, call a tool. */
export const usesTools = ({ tools, toolChoice }: Pick<GenerateRequest, 'tools' | 'toolChoice'>): boolean =>
  tools !== undefined && tools.length > 0 && toolChoice !== 'none';

/** Throws UnsupportedSchemaError if no grammar holds answers to the form that is asked for. */
export function requireGrammar({ format, ...request }: Pick<GenerateRequest, 'format' | 'tools' | 'toolChoice'>): void {
  if (format?.type === 'json_schema') jsonGrammar(format.schema);
  if (usesTools(request) && (request.toolChoice ?? 'auto') !== 'auto')
    callGrammar(callable(request.tools!, request.toolChoice!), FORCED.llama);
}

/** @param template of the model's chats @throws BadRequestError when no grammar holds an answer to the form */
export function formOf(request: GenerateMessage, template: string | null): Form {
  const { jsonSchema, toolChoice } = request;
  const tools = toolsIn(request);
  if (jsonSchema !== null && usesTools({ tools, toolChoice }))
    throw new BadRequestError('tools', 'cannot be combined with a JSON schema for the answer');
  if (jsonSchema !== null)
    return { grammar: ofField('jsonSchema', () => jsonGrammar(jsonSchema)), reader: null, marks: [] };
  if (!usesTools({ tools, toolChoice })) return { grammar: null, reader: null, marks: [] };
  const family = readFamily(template);
  if (family === null)
    throw new BadRequestError('tools', 'are not supported: the llama engine does not read the calls of this model');
  const names = new Set(tools.map(({ name }) => name));
  if (toolChoice === 'auto') return { grammar: null, reader: new CallReader(family, names), marks: MARKS[family] };
  const called = callable(tools, toolChoice);
  if (called.length === 0) throw new BadRequestError('toolChoice', 'names a tool that is none of `tools`');
  const grammar = ofField('tools', () => callGrammar(called, FORCED[family]));
  return { grammar, reader: new CallReader(FORCED[family].readAs, names), marks: MARKS[family] };
}

const toolsIn = ({ tools }: GenerateMessage): readonly GenerationTool[] =>
  tools.map((tool) => (tool as { readonly function: GenerationTool }).function);

const callable = (
  tools: readonly GenerationTool[],
  choice: NonNullable<GenerateRequest['toolChoice']>,
): readonly GenerationTool[] => (typeof choice === 'string' ? tools : tools.filter(({ name }) => name === choice.name));

function ofField(field: string, grammar: () => string): string {
  try {
    return grammar();
  } catch (error) {
    if (error instanceof UnsupportedSchemaError) throw new BadRequestError(field, error.message);
    throw error;
  }
}
