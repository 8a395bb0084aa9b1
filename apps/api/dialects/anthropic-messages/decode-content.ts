import type { ContentPart } from '#hosted-models/port.js';
import { isRecord } from '../../validation/reader.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { fieldsOfBlock, readCacheControl, type Fields, type Path } from './block-fields.js';
import { MOST_BLOCKS } from './bounds.js';
import { readDocument, readImage } from './decode-media.js';

const TEXT = fieldsOfBlock('text');
const THINKING = fieldsOfBlock('thinking', 'signature');
const REDACTED_THINKING = fieldsOfBlock('data');
const TOOL_USE = fieldsOfBlock('id', 'name', 'input', 'caller');
const TOOL_RESULT = fieldsOfBlock('tool_use_id', 'content', 'is_error');

/** A text, or a list of content blocks. Of what type they are is for the provider to say: those not known here pass through. */
export function readContent(reader: DialectReader, value: unknown, path: Path): readonly ContentPart[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  return readBlocks(reader, value, path, readBlock);
}

type ReadBlock = (reader: DialectReader, block: Fields, type: string, path: Path) => ContentPart;

function readBlocks(reader: DialectReader, value: unknown, path: Path, read: ReadBlock): readonly ContentPart[] {
  if (value === undefined || value === null) reader.refuse(path, 'is required: a text or a list of blocks', 'missing');
  const blocks = reader.list(value, path, 'content blocks', MOST_BLOCKS) ?? [];
  return blocks.map((item, index) => {
    const at = [...path, index];
    const block = reader.record(item, at, 'a content block');
    if (!isRecord(item)) return EMPTY;
    const type = reader.string(block['type'], [...at, 'type'], 'the type of a content block');
    return { ...read(reader, block, type, at), ...readCacheControl(reader, block['cache_control'], at) };
  });
}

const EMPTY: ContentPart = { type: 'text', text: '' };

const readBlock: ReadBlock = (reader, block, type, path) => {
  switch (type) {
    case 'tool_use':
      return readToolUse(reader, block, path);
    case 'tool_result':
      return readToolResult(reader, block, path);
    case 'thinking': {
      reader.carryOthers(block, THINKING, path);
      const signature = reader.text(block['signature'], [...path, 'signature']);
      return {
        type: 'thinking',
        text: reader.text(block['thinking'], [...path, 'thinking']),
        ...(signature !== '' && { signature }),
      };
    }
    case 'redacted_thinking':
      reader.carryOthers(block, REDACTED_THINKING, path);
      return { type: 'thinking', text: '', signature: reader.string(block['data'], [...path, 'data']), redacted: true };
    default:
      return readShownBlock(reader, block, type, path);
  }
};

/** What a person, or the result of a tool, may show to a model. */
const readShownBlock: ReadBlock = (reader, block, type, path) => {
  switch (type) {
    case 'text':
      reader.carryOthers(block, TEXT, path);
      return { type: 'text', text: reader.text(block['text'], [...path, 'text']) };
    case 'image':
      return readImage(reader, block, path);
    case 'document':
      return readDocument(reader, block, path);
    default:
      return { type: 'foreign', style: 'anthropic', name: type };
  }
};

function readToolUse(reader: DialectReader, block: Fields, path: Path): ContentPart {
  reader.carryOthers(block, TOOL_USE, path);
  const caller = block['caller'];
  // The model itself called it: so it is in every other style.
  if (!isRecord(caller) || caller['type'] !== 'direct') reader.carry(caller, [...path, 'caller']);
  const input = reader.record(block['input'], [...path, 'input'], 'the input of the tool, an object');
  return {
    type: 'tool-call',
    id: reader.string(block['id'], [...path, 'id'], 'the id of the call'),
    name: reader.string(block['name'], [...path, 'name'], 'the name of the tool'),
    input: JSON.stringify(input),
  };
}

function readToolResult(reader: DialectReader, block: Fields, path: Path): ContentPart {
  reader.carryOthers(block, TOOL_RESULT, path);
  const content = block['content'] ?? [];
  const at = [...path, 'content'];
  return {
    type: 'tool-result',
    id: reader.string(block['tool_use_id'], [...path, 'tool_use_id'], 'the id of the call'),
    content:
      typeof content === 'string' ? [{ type: 'text', text: content }] : readBlocks(reader, content, at, readShownBlock),
    ...(reader.boolean(block['is_error'], [...path, 'is_error'], false) && { isError: true }),
  };
}
