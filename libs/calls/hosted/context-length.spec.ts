import { contextLengthIn, maximumContextLength, promptIsTooLong } from './context-length.js';

describe('a context-length error of a provider', () => {
  it.each<[string, number | null, number | null]>([
    ['prompt is too long: 210000 tokens > 200000 maximum', 210_000, 200_000],
    ['input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease it', null, 200_000],
    [
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130,001 tokens. Reduce it.",
      130_001,
      128_000,
    ],
    [
      "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages).",
      5000,
      4096,
    ],
    ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 537_812, 131_072],
    [
      "You passed 60 input tokens and requested 16 output tokens. However, the model's context length is only 64 tokens",
      60,
      64,
    ],
    ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).', 1_200_000, 1_048_575],
    [
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      40_000,
      32_768,
    ],
    ['request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it', 9000, 8192],
    ['The prompt has 9000 tokens, and the context window 8192', 9000, 8192],
    ['The context window is 8192 tokens (got 9000 tokens)', 9000, 8192],
    ['Your input exceeds the context window of this model.', null, null],
    ['Input is too long for requested model.', null, null],
  ])('is recognised: %s', (message, tokens, most) => {
    expect(contextLengthIn(message)).toEqual({ tokens, most });
  });

  it.each([
    'max_tokens is too large: 100000. This model supports at most 4096 completion tokens',
    'messages: too odd',
    'max_tokens: must be at most 8192, the context window of acme/chat',
  ])('is not mistaken: %s', (message) => {
    expect(contextLengthIn(message)).toBeNull();
  });

  it('is written in the wording of each API, with its numbers if known', () => {
    const here = 'The prompt has 9000 tokens, and the context window 8192';
    expect(promptIsTooLong(here)).toBe('prompt is too long: 9000 tokens > 8192 maximum');
    expect(promptIsTooLong('Input is too long')).toBe('prompt is too long: Input is too long');
    expect(maximumContextLength(here)).toBe(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    );
    expect(maximumContextLength('Input is too long')).toBe('Input is too long');
  });
});
