import cl100k from 'js-tiktoken/ranks/cl100k_base';

/** The tokens of OpenAI's cl100k_base in the order of their ids: a byte with the length of each, then the bytes of all. */
export function cl100kTable(): Buffer {
  const tokens: Buffer[] = [];
  // A line: a mark, the id of its first token, and tokens in base64.
  for (const line of cl100k.bpe_ranks.split('\n').filter((text) => text !== '')) {
    const [, first, ...encoded] = line.split(' ');
    for (const [index, token] of encoded.entries()) tokens[Number(first) + index] = Buffer.from(token, 'base64');
  }
  return Buffer.concat([Buffer.from(tokens.map(({ length }) => length)), ...tokens]);
}
