import { DictionaryBatch } from 'apache-arrow/fb/dictionary-batch';
import type { Field } from 'apache-arrow/fb/field';
import { Message } from 'apache-arrow/fb/message';
import { MessageHeader } from 'apache-arrow/fb/message-header';
import { RecordBatch } from 'apache-arrow/fb/record-batch';
import { Schema } from 'apache-arrow/fb/schema';
import { ByteBuffer } from 'flatbuffers';
import { UnreadableFileError } from '../../limits.js';

/** All columns of a table, those inside others too. */
const MAX_FIELDS = 20_000;
const MAX_DEPTH = 64;

/**
 * Refuses the metadata of a message whose lists are longer than its bytes, or nest without end: the library for JavaScript does not look,
 * and would make room for them.
 * @throws UnreadableFileError
 * @see https://github.com/apache/arrow/blob/main/format/Schema.fbs
 */
export function requireSound(metadata: Uint8Array): void {
  const message = Message.getRootAsMessage(new ByteBuffer(metadata));
  const bounds = new Bounds(metadata.length);
  bounds.list(message.customMetadataLength(), POINTER);
  const type = message.headerType();
  if (type === MessageHeader.Schema) bounds.schema(message.header(new Schema()) as Schema | null);
  else if (type === MessageHeader.RecordBatch) bounds.batch(message.header(new RecordBatch()) as RecordBatch | null);
  else if (type === MessageHeader.DictionaryBatch)
    bounds.batch((message.header(new DictionaryBatch()) as DictionaryBatch | null)?.data() ?? null);
}

const POINTER = 4;
const [NODE, BUFFER] = [16, 16];

class Bounds {
  private fields = 0;

  constructor(private readonly bytes: number) {}

  schema(schema: Schema | null): void {
    if (!schema) throw damaged();
    this.list(schema.customMetadataLength(), POINTER);
    this.list(schema.featuresLength(), 8);
    this.list(schema.fieldsLength(), POINTER);
    for (let at = 0; at < schema.fieldsLength(); at += 1) this.field(schema.fields(at), 0);
  }

  batch(batch: RecordBatch | null): void {
    if (!batch) throw damaged();
    this.list(batch.nodesLength(), NODE);
    this.list(batch.buffersLength(), BUFFER);
    this.list(batch.variadicBufferCountsLength(), 8);
  }

  list(length: number, size: number): void {
    if (!(length >= 0 && length * size <= this.bytes)) throw damaged();
  }

  private field(field: Field | null, depth: number): void {
    this.fields += 1;
    if (!field || this.fields > MAX_FIELDS || depth > MAX_DEPTH) throw damaged();
    this.list(field.customMetadataLength(), POINTER);
    this.list(field.childrenLength(), POINTER);
    for (let at = 0; at < field.childrenLength(); at += 1) this.field(field.children(at), depth + 1);
  }
}

const damaged = () => new UnreadableFileError('the Arrow file is damaged: its metadata is not whole');
