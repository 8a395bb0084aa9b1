import { TextStream } from './text-stream.js';

const streamed = (stops: readonly string[], ...texts: readonly string[]) => {
  const stream = new TextStream(stops);
  const pieces = texts.map((text) => stream.add(text));
  return [...pieces.map(({ text, stopped }) => (stopped === null ? text : `${text}|${stopped}`)), stream.end()];
};

describe('text before a stop sequence', () => {
  it('is sent at once if no stop sequence can follow', () => {
    expect(streamed([], 'In ', 'Ghent')).toEqual(['In ', 'Ghent', '']);
    expect(streamed(['END'], 'In ', 'Ghent')).toEqual(['In ', 'Ghent', '']);
  });

  it('ends before a stop sequence that arrives in pieces', () => {
    expect(streamed(['END'], 'In E', 'N', 'D now')).toEqual(['In ', '', '|END', '']);
  });

  it('is sent later if it only began like a stop sequence', () => {
    expect(streamed(['END'], 'In E', 'astern', ' E')).toEqual(['In ', 'Eastern', ' ', 'E']);
  });

  it('ends at the first stop sequence, and at the longer one of two at the same place', () => {
    expect(streamed(['b', 'ab', 'abc'], 'x abc')[0]).toBe('x |abc');
  });
});
