import type { ContentPart, MediaSource } from '#hosted-models/port.js';
import { isRecord } from '../../validation/reader.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { fieldsOfBlock, optionalText, type Fields, type Path } from './block-fields.js';

const IMAGE = fieldsOfBlock('source');
const DOCUMENT = fieldsOfBlock('source', 'title', 'citations');
const SOURCE = new Set(['type', 'media_type', 'data', 'url', 'file_id', 'content']);
const TEXT = fieldsOfBlock('text');

/** An image block. */
export function readImage(reader: DialectReader, block: Fields, path: Path): ContentPart {
  reader.carryOthers(block, IMAGE, path);
  const source = readSource(reader, block['source'], [...path, 'source']);
  return source ? { type: 'image', source } : { type: 'foreign', style: 'anthropic', name: 'image' };
}

/** A document block. */
export function readDocument(reader: DialectReader, block: Fields, path: Path): ContentPart {
  reader.carryOthers(block, DOCUMENT, path);
  const citations = block['citations'];
  if (!isRecord(citations) || citations['enabled'] !== false) reader.carry(citations, [...path, 'citations']);
  const title = optionalText(reader, block['title'], [...path, 'title']);
  const source = readSource(reader, block['source'], [...path, 'source']);
  return source
    ? { type: 'document', source, ...(title !== undefined && { title }) }
    : { type: 'foreign', style: 'anthropic', name: 'document' };
}

/** undefined: of a type, or with content, that only providers of this style know. */
function readSource(reader: DialectReader, value: unknown, path: Path): MediaSource | undefined {
  const source = reader.record(value, path, 'an object with type');
  if (!isRecord(value)) return undefined;
  reader.carryOthers(source, SOURCE, path);
  const text = (name: string, what?: string) => reader.string(source[name], [...path, name], what);
  const type = text('type', 'the type of a source');
  switch (type) {
    case 'base64':
      return { kind: 'base64', mediaType: text('media_type'), data: text('data', 'base64') };
    case 'url':
      return { kind: 'url', url: text('url') };
    case 'file':
      return { kind: 'file', id: text('file_id') };
    case 'text':
      return { kind: 'text', text: reader.text(source['data'], [...path, 'data']) };
    case 'content':
      return textOfBlocks(reader, source['content'], [...path, 'content']);
    default:
      return undefined;
  }
}

/** A document of text blocks alone reads as one text: only citations tell its blocks apart, and those are refused elsewhere. */
function textOfBlocks(reader: DialectReader, content: unknown, path: Path): MediaSource | undefined {
  if (typeof content === 'string') return { kind: 'text', text: content };
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((block: unknown, index) => {
    if (!isRecord(block) || block['type'] !== 'text') return null;
    reader.carryOthers(block, TEXT, [...path, index]);
    return block['text'];
  });
  return texts.every((text) => typeof text === 'string') ? { kind: 'text', text: texts.join('\n') } : undefined;
}
