/** OpenAI's code for a prompt that has no room in the model. */
export const CONTEXT_LENGTH_EXCEEDED = 'context_length_exceeded';

/** Token counts of a prompt that is too long, as far as a message contains them. */
interface ContextLength {
  readonly tokens: number | null;
  readonly most: number | null;
}

/**
 * Reads a provider's or an engine's message about a prompt that, alone or with its answer, is longer than the context window; null for
 * any other message.
 */
export function contextLengthIn(message: string): ContextLength | null {
  const said = message.slice(0, MAX_CHARACTERS).replaceAll(/(\d),(?=\d{3})/g, '$1');
  for (const form of FORMS) {
    const match = form.exec(said);
    if (match) return { tokens: numberOf(match.groups?.['tokens']), most: numberOf(match.groups?.['most']) };
  }
  return null;
}

/** The wording of Anthropic's API, from which agents learn that they must compact the conversation. */
export function promptIsTooLong(message: string): string {
  if (/prompt is too long|exceed context limit/i.test(message)) return message;
  const { tokens, most } = contextLengthIn(message) ?? NOTHING;
  return `prompt is too long: ${tokens === null || most === null ? message : `${tokens} tokens > ${most} maximum`}`;
}

/** The wording of OpenAI's API. */
export function maximumContextLength(message: string): string {
  if (/maximum context length/i.test(message)) return message;
  const { tokens, most } = contextLengthIn(message) ?? NOTHING;
  if (tokens === null || most === null) return message;
  return `This model's maximum context length is ${most} tokens. However, your messages resulted in ${tokens} tokens.`;
}

const NOTHING: ContextLength = { tokens: null, most: null };
const MAX_CHARACTERS = 2_000;
const numberOf = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits));

const FORMS: readonly RegExp[] = [
  // Anthropic; its second form counts the answer too.
  /prompt is too long: (?<tokens>\d+) tokens > (?<most>\d+)/i,
  /exceed context limit: (?:\d+ \+ \d+) > (?<most>\d+)/i,
  // OpenAI, vLLM, xAI.
  /maximum (?:context|prompt) length is (?<most>\d+)(?: tokens)?\D*?(?:requested|resulted in|contains)(?: about)? (?<tokens>\d+)/i,
  /you passed (?<tokens>\d+) input tokens\b.*\bcontext length is only (?<most>\d+)/i,
  // Google, Mistral, llama.cpp, and the engines here.
  /input token count \((?<tokens>\d+)\) exceeds the maximum number of tokens allowed \((?<most>\d+)\)/i,
  /prompt contains (?<tokens>\d+) tokens\b.*\bmodel with (?<most>\d+) maximum context length/i,
  /request \((?<tokens>\d+) tokens\) exceeds the available context size \((?<most>\d+) tokens\)/i,
  /the prompt has (?<tokens>\d+) tokens, and the context window (?<most>\d+)/i,
  /the context window is (?<most>\d+) tokens \(got (?<tokens>\d+) tokens\)/i,
  /has \d+ characters, and the context window of /i,
  // Without numbers: OpenAI, Amazon, and others.
  /prompt is too long|input is too long for requested model|exceeds? the (?:model's )?(?:available )?context (?:window|length|size)/i,
  /maximum (?:context|prompt) length/i,
];
