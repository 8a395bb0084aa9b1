import { isForeignBlock } from '#calls/hosted/fields/anthropic-messages.js';
import type { ContentKind, ContentPart } from '#calls/hosted/port.js';
import { isRecord } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { foreignText } from '../shared/foreign-text.js';
import { fieldsOfBlock, markerOf, type Block, type Path } from './block-fields.js';
import { documentOf, imageOf } from './decode-media.js';

const TEXT = fieldsOfBlock('text');
const THINKING = fieldsOfBlock('thinking', 'signature');
const REDACTED_THINKING = fieldsOfBlock('data');
const TOOL_USE = fieldsOfBlock('id', 'name', 'input', 'caller');
const TOOL_RESULT = fieldsOfBlock('tool_use_id', 'content', 'is_error');

/**
 * Decodes a text or a list of content blocks. Blocks of unknown types pass through to the provider.
 * @param path of the content
 */
export function contentOf(
  reader: DialectReader,
  content: string | readonly Block[],
  path: Path,
): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((block, index) => partOf(reader, block, [...path, index]));
}

const partOf = (reader: DialectReader, block: Block, path: Path): ContentPart => ({
  ...kindOf(reader, block, path),
  ...markerOf(block),
});

function kindOf(reader: DialectReader, block: Block, path: Path): ContentKind {
  switch (block.type) {
    case 'tool_use': {
      reader.carryOthers(block, TOOL_USE, path);
      const { id, name, input, caller } = block;
      // The model itself called it: so it is in every other style.
      if (!isRecord(caller) || caller['type'] !== 'direct') reader.carry(caller, [...path, 'caller']);
      return { type: 'tool-call', id: id!, name: name!, input: JSON.stringify(input) };
    }
    case 'tool_result': {
      reader.carryOthers(block, TOOL_RESULT, path);
      const { tool_use_id: id, content, is_error: isError } = block;
      const shown = shownOf(reader, content ?? [], [...path, 'content']);
      return { type: 'tool-result', id: id!, content: shown, ...(isError && { isError }) };
    }
    case 'thinking': {
      reader.carryOthers(block, THINKING, path);
      const { thinking, signature } = block;
      return { type: 'thinking', text: thinking!, ...(signature && { signature }) };
    }
    case 'redacted_thinking':
      reader.carryOthers(block, REDACTED_THINKING, path);
      return { type: 'thinking', text: '', signature: block.data!, redacted: true };
    default:
      return shownKind(reader, block, path);
  }
}

/** A block that only this style has, of what was searched and found: the model gets it as text, and the answer names it as dropped. */
function foreignKind(reader: DialectReader, block: Block, path: Path): ContentKind {
  reader.carry(block, [...path, block.type]);
  return { type: 'text', text: foreignText(block) ?? '' };
}

/** Content of a tool's result. */
function shownOf(reader: DialectReader, content: string | readonly Block[], path: Path): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((block, index) => ({ ...shownKind(reader, block, [...path, index]), ...markerOf(block) }));
}

/** Decodes a block of a user's message or of a tool's result. */
function shownKind(reader: DialectReader, block: Block, path: Path): ContentKind {
  switch (block.type) {
    case 'text':
      reader.carryOthers(block, TEXT, path);
      return { type: 'text', text: block.text! };
    case 'image':
      return imageOf(reader, block, path);
    case 'document':
      return documentOf(reader, block, path);
    case 'tool_reference':
      // A search of deferred tools found this tool. Other providers were sent the tools themselves.
      if (typeof block.tool_name === 'string') return { type: 'text', text: `Found the tool ${block.tool_name}.` };
      return { type: 'foreign', style: 'anthropic', name: block.type };
    default:
      if (isForeignBlock(block.type)) return foreignKind(reader, block, path);
      return { type: 'foreign', style: 'anthropic', name: block.type };
  }
}
