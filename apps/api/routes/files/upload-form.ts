import { InvalidError } from '#domain/errors.js';
import type { UploadPart } from '#use-cases/files/commands.js';
import { partsOf, textOf } from './multipart.js';

const MAX_PARTS = 20;
const MAX_FIELD_BYTES = 1024;

/**
 * The file and the purpose of a form, in either order, as they come in.
 * @throws InvalidError for other fields, HttpError 400 for a malformed body (both while iterating)
 */
export async function* uploadParts(content: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<UploadPart> {
  let [count, hasFile] = [0, false];
  for await (const part of partsOf(content, boundary)) {
    if ((count += 1) > MAX_PARTS) throw invalid('file', `the form has more than ${MAX_PARTS} parts`, 'out_of_range');
    if (part.name === 'purpose') yield { purpose: await textOf(part, MAX_FIELD_BYTES) };
    else if (part.name === 'file' && !hasFile) {
      hasFile = true;
      yield { file: { fileName: part.fileName ?? '', content: part.content } };
    } else throw invalid(part.name, 'is not a field of this form, or is sent twice', 'unknown_field');
  }
}

const invalid = (field: string, message: string, type: string): InvalidError =>
  new InvalidError({ path: ['body', field], message, type });
