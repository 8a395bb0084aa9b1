import type { ContentKind, MediaSource } from '#calls/hosted/port.js';
import { isPresent, isRecord } from '#primitives/values.js';
import type { DialectReader } from '../shared/dialect-reader.js';
import { fieldsOfBlock, type Block, type Path, type BlockSource } from './block-fields.js';

const IMAGE = fieldsOfBlock('source');
const DOCUMENT = fieldsOfBlock('source', 'title', 'citations');
const SOURCE = new Set(['type', 'media_type', 'data', 'url', 'file_id', 'content']);
const TEXT = fieldsOfBlock('text');

/** An image block. */
export function imageOf(reader: DialectReader, block: Block, path: Path): ContentKind {
  reader.carryOthers(block, IMAGE, path);
  const source = sourceOf(reader, block.source!, [...path, 'source']);
  return source ? { type: 'image', source } : { type: 'foreign', style: 'anthropic', name: 'image' };
}

/** A document block. */
export function documentOf(reader: DialectReader, block: Block, path: Path): ContentKind {
  reader.carryOthers(block, DOCUMENT, path);
  const { citations, title } = block;
  if (!isRecord(citations) || citations['enabled'] !== false) reader.carry(citations, [...path, 'citations']);
  const source = sourceOf(reader, block.source!, [...path, 'source']);
  return source
    ? { type: 'document', source, ...(isPresent(title) && { title }) }
    : { type: 'foreign', style: 'anthropic', name: 'document' };
}

/** undefined: of a type, or with content, that only providers of this style know. */
function sourceOf(reader: DialectReader, source: BlockSource, path: Path): MediaSource | undefined {
  reader.carryOthers(source, SOURCE, path);
  switch (source.type) {
    case 'base64':
      return { kind: 'base64', mediaType: source.media_type!, data: source.data! };
    case 'url':
      return { kind: 'url', url: source.url! };
    case 'file':
      return { kind: 'file', id: source.file_id! };
    case 'text':
      return { kind: 'text', text: source.data! };
    case 'content':
      return textOfBlocks(reader, source.content, [...path, 'content']);
    default:
      return undefined;
  }
}

/** Joins a document's text blocks: only citations distinguish them, and those are refused elsewhere. */
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
