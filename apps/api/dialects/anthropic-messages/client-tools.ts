import type { JsonObject } from '#domain/json.js';

/** A tool that the client runs, whose schema only Claude knows by the tool's type. */
interface ClientTool {
  readonly description: string;
  readonly input_schema: JsonObject;
}

const text = (description: string): JsonObject => ({ type: 'string', description });
const object = (properties: JsonObject, ...required: string[]): JsonObject => ({
  ...{ type: 'object', properties },
  ...(required.length > 0 && { required }),
});

const BASH: ClientTool = {
  description: 'Runs commands in a bash shell that keeps its state between calls.',
  input_schema: object({
    command: text('The command. Required unless the shell is restarted.'),
    restart: { type: 'boolean', description: 'true restarts the shell.' },
  }),
};

/** The commands that edit files, of the editor and of the memory. */
const EDITING: JsonObject = {
  path: text('The file or folder.'),
  view_range: {
    ...{ type: 'array', items: { type: 'integer' } },
    description: 'For view of a file: the first and the last line, from 1; -1 as the last: to its end.',
  },
  file_text: text('For create: the content of the file.'),
  old_str: text('For str_replace: the text to replace, exactly as in the file, where it must be unique.'),
  new_str: text('For str_replace: the text instead.'),
  insert_line: {
    type: 'integer',
    description: 'For insert: the line after which the text comes; 0: at the beginning.',
  },
  insert_text: text('For insert: the text.'),
};
const commands = (...names: string[]): JsonObject => ({ command: { type: 'string', enum: names } });
const EDIT = ['view', 'create', 'str_replace', 'insert'];

const editor = (...names: string[]): ClientTool => ({
  description: 'Views, creates and edits text files.',
  input_schema: object({ ...commands(...names), ...EDITING }, 'command', 'path'),
});

const MEMORY: ClientTool = {
  description: 'Views and edits files below /memories, which are kept from one conversation to the next.',
  input_schema: object(
    {
      ...commands(...EDIT, 'delete', 'rename'),
      ...EDITING,
      ...{ old_path: text('For rename: the path so far.'), new_path: text('For rename: the path from then on.') },
    },
    'command',
  ),
};

/**
 * By type, as Anthropic documents their input (https://platform.claude.com/docs/en/agents-and-tools/tool-use/bash-tool, `text-editor-tool`
 * and `memory-tool` there). Not those for screens: other models have not learnt to use them.
 */
export const CLIENT_TOOLS: ReadonlyMap<string, ClientTool> = new Map([
  ['bash_20241022', BASH],
  ['bash_20250124', BASH],
  ['text_editor_20241022', editor(...EDIT, 'undo_edit')],
  ['text_editor_20250124', editor(...EDIT, 'undo_edit')],
  ['text_editor_20250429', editor(...EDIT)],
  ['text_editor_20250728', editor(...EDIT)],
  ['memory_20250818', MEMORY],
]);
