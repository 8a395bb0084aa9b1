import { kindOf, requestsOf } from './requests.js';

describe('a file of a batch', () => {
  it('has requests, for the route that the first names', () => {
    expect(kindOf('{"custom_id": "a", "method": "POST", "url": "/v1/embeddings", "body": {}}\n{"cut')).toEqual({
      endpoint: '/v1/embeddings',
    });
  });

  it('with requests for another route, or nothing on its first line, is refused in words', () => {
    expect(() => kindOf('{"custom_id": "a", "url": "/inference", "body": {}}')).toThrow('`url` of the first line');
    expect(() => kindOf('\nHello')).toThrow('first line is empty');
  });

  it.each(['My card is lost', '{"text": "My card is lost"}', '"My card is lost"'])('has texts: %s', (line) => {
    expect(kindOf(`${line}\r\n`)).toEqual({ texts: true });
    const [request, ...more] = requestsOf(`${line}\r\n\n`, 'tickets').trimEnd().split('\n');
    expect(more).toEqual([]);
    expect(JSON.parse(request!)).toEqual({
      custom_id: 'line-1',
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'tickets', messages: [{ role: 'user', content: 'My card is lost' }] },
    });
  });

  it('names its lines without a text', () => {
    expect(() => requestsOf('{"text": "a"}\n{"label": "b"}', 'tickets')).toThrow('Line 2 has no `text`');
  });

  it('keeps texts that only look like numbers', () => {
    expect(requestsOf('42', 'tickets')).toContain('"content":"42"');
  });
});
