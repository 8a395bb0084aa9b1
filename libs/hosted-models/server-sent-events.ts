import { StringDecoder } from 'node:string_decoder';

/**
 * The `data` of each event of an event stream (WHATWG HTML, section 9.2). Names, ids and comments are passed over. A stream that ends
 * in the middle of an event drops that one, as the standard says.
 * @param chunks bytes, cut anywhere
 */
export async function* serverSentEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let data: string[] = [];
  for await (const chunk of chunks) {
    rest += decoder.write(chunk);
    // A lone CR at the end may be the first half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield data.join('\n');
        data = [];
      } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
      else if (line === 'data') data.push('');
    }
  }
}
