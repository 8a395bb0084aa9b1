import { withoutPaths } from './without-paths.js';

describe('a message for remote readers', () => {
  it.each([
    [
      "ENOENT: no such file or directory, open '/var/lib/anneal/cache/a.json'",
      "ENOENT: no such file or directory, open 'a.json'",
    ],
    ['IO Error: Cannot open file "/tmp/x-1/source.parquet": gone', 'IO Error: Cannot open file "source.parquet": gone'],
    ['spawn /usr/bin/node EACCES', 'spawn node EACCES'],
    ['cannot read C:\\data\\objects\\a.bin', 'cannot read a.bin'],
  ])('keeps the last word of a path: %s', (message, expected) => {
    expect(withoutPaths(message)).toBe(expected);
  });

  it.each([
    'https://huggingface.co/acme/tickets cannot be reached',
    'model anneal/encoder-base-v1 has no relations head',
    'the label "and/or" stands there twice; use 1/2 or /x',
  ])('leaves everything else unchanged: %s', (message) => {
    expect(withoutPaths(message)).toBe(message);
  });
});
