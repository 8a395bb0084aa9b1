/** How a chat template has tools called, as `Family` of python/anneal_runner/generation/tools.py. */
export type ToolFamily = 'qwen-coder' | 'hermes' | 'llama' | 'mistral' | 'gemma' | 'gemma4' | 'harmony';

/** The first whose texts are all in the template has it: `tool_family` of the same file. */
const SIGNS: readonly (readonly [ToolFamily, readonly string[]])[] = [
  ['qwen-coder', ['<tool_call>', '<function=', '<parameter=']],
  ['hermes', ['<tool_call>', 'arguments']],
  ['llama', ['"parameters"', '<|python_tag|>']],
  ['mistral', ['[TOOL_CALLS]']],
  ['gemma', ['<start_function_call>']],
  ['gemma4', ['<|tool_call>', '<tool_call|>']],
  ['harmony', ['<|channel|>', 'to=functions.']],
];

/** The family of a chat template; null for one without tools, or whose calls are written in another way. */
export function toolFamily(template: string | null): ToolFamily | null {
  if (!template?.includes('tools')) return null;
  return SIGNS.find(([, signs]) => signs.every((sign) => template.includes(sign)))?.[0] ?? null;
}
