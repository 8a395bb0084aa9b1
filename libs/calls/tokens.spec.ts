import { textMessage, type ContentPart, type GenerationRequest } from './hosted/port.js';
import { sizeOf } from './tokens.js';

const WINDOW = 200_000;
const asking = (...content: readonly ContentPart[]): GenerationRequest => ({ messages: [{ role: 'user', content }] });
const base64 = (bytes: number) => 'A'.repeat((bytes * 4) / 3);
const image = (detail?: string): ContentPart => ({
  type: 'image',
  source: { kind: 'base64', mediaType: 'image/png', data: base64(3_000_000) },
  ...(detail !== undefined && { detail }),
});

describe('the token estimate of a request', () => {
  it("is about a third of a text's bytes, and at most all of them", () => {
    const { about, most } = sizeOf({ messages: [textMessage('user', 'é'.repeat(150))] }, WINDOW);
    expect([about, most]).toEqual([100 + 8, 300 + 8 + 64]);
  });

  it.each<[string, ContentPart, number, number]>([
    ['an image is not its bytes', image(), 1_600, 48_169],
    ['an image of low detail', image('low'), 85, 2_833],
    ['an image elsewhere', { type: 'image', source: { kind: 'url', url: 'https://a.b/c.png' } }, 1_600, 48_169],
    // A minute of common MP3.
    ['audio is its length', { type: 'audio', format: 'mp3', data: base64(960_000) }, 600, 30_720],
    ['a document of text is its text', { type: 'document', source: { kind: 'text', text: 'x'.repeat(300) } }, 100, 300],
  ])('%s', (_, part, about, most) => {
    expect(sizeOf(asking(part), WINDOW)).toEqual({ about: about + 8, most: most + 8 + 64 });
  });

  it.each<[string, ContentPart, number]>([
    [
      'a PDF',
      { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: base64(150_000) } },
      3 * 4_500,
    ],
    ['a file at the provider', { type: 'document', source: { kind: 'file', id: 'f' } }, 4_500],
    ['a part that only one style has', { type: 'foreign', style: 'anthropic', name: 'search_result' }, 735],
  ])('%s may be as much as the model reads', (_, part, about) => {
    expect(sizeOf(asking(part), WINDOW)).toEqual({ about: about + 8, most: WINDOW });
  });

  it('is at most a hundred pages for a PDF of a thousand megabytes', () => {
    const source = { kind: 'base64', mediaType: 'application/pdf', data: base64(30_000_000) } as const;
    expect(sizeOf(asking({ type: 'document', source }), WINDOW).about).toBe(450_000 + 8);
  });

  it.each<[string, Partial<GenerationRequest>, number]>([
    ['prompts', { prompts: ['x'.repeat(300), 'x'.repeat(300)] }, 200],
    [
      'the schema of the answer',
      { responseFormat: { type: 'json_schema', name: 'n', schema: { a: 'x'.repeat(292) } } },
      100,
    ],
    ['fields that nobody here knows', { unknownFields: { more: 'x'.repeat(289) } }, 100],
  ])('includes %s', (_, more, about) => {
    expect(sizeOf({ messages: [], ...more }, WINDOW).about).toBe(about);
  });

  it("includes tools, and the provider's text around them", () => {
    const tool = { name: 'x'.repeat(30), description: 'x'.repeat(240), parameters: { a: 'x'.repeat(22) } };
    expect(sizeOf({ messages: [], tools: [tool] }, WINDOW)).toEqual({ about: 350 + 8 + 100, most: 64 + 700 + 8 + 300 });
    expect(sizeOf({ messages: [], tools: [{ foreign: 'anthropic', name: 'web' }] }, WINDOW).most).toBe(WINDOW);
  });

  it('includes everything in a conversation: thinking, calls and their results', () => {
    const third = 'x'.repeat(30);
    const { about } = sizeOf(
      asking(
        { type: 'thinking', text: third },
        { type: 'refusal', text: third },
        { type: 'tool-call', id: third, name: third, input: third },
        { type: 'tool-result', id: third, content: [{ type: 'text', text: third }, image()] },
      ),
      WINDOW,
    );
    expect(about).toBe(8 + 7 * 10 + 1_600);
  });
});
