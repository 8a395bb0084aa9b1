import type { SignedThoughts } from '#domain/inference/index.js';
import type { ContentPart, GenerationRequest, HostedModel, Message } from './hosted/port.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { thoughtsId } from '#projections/signed-thoughts/projection.js';
import { signedThoughtsDocuments } from '#projections/signed-thoughts/queries.js';
import type { Produced } from './produced.js';

/** Longer thoughts are not kept for a later turn; ids that no provider gives are not looked up. */
const MAX_CHARACTERS = 64 * 1024;
const MAX_ID_LENGTH = 256;
/** Turns of one request whose thoughts are looked up, the latest ones. */
const MAX_TURNS = 100;

type Provider = SignedThoughts['provider'];

/**
 * The thoughts of an answer that its provider takes back only with their signature: those before the first call of a tool. null if it
 * has none.
 */
export function signedThoughtsOf({ choices }: Produced, provider: Provider | null): SignedThoughts | null {
  if (provider === null || choices.length !== 1) return null;
  const parts: SignedThoughts['parts'][number][] = [];
  let characters = 0;
  for (const part of choices[0]!.parts) {
    if (part.type === 'tool-call') {
      const isKept =
        parts.length > 0 && characters <= MAX_CHARACTERS && part.id !== '' && part.id.length <= MAX_ID_LENGTH;
      return isKept ? { toolCallId: part.id, provider: { name: provider.name, model: provider.model }, parts } : null;
    }
    if (part.type !== 'thinking' || part.signature === null) continue;
    const { text, signature, redacted } = part;
    characters += text.length + signature.length;
    parts.push({ text, signature, redacted });
  }
  return null;
}

/** Restores the signatures of thoughts that a client repeats without them. */
export class ThoughtsBook {
  private readonly recent = new RecentThoughts();

  constructor(private readonly store: ReadStoreQueries) {}

  /** Keeps thoughts in memory until the read model has seen them. */
  remember(workspaceId: string, thoughts: SignedThoughts): void {
    this.recent.add(thoughtsId(workspaceId, thoughts.toolCallId), thoughts);
  }

  /**
   * The messages, with the recorded thoughts instead of those without a signature, if this model's provider gave them.
   */
  async restored(workspaceId: string, model: HostedModel, messages: readonly Message[]): Promise<readonly Message[]> {
    const lacking = messages.flatMap((message, index) => (firstCall(message) === null ? [] : [index]));
    if (lacking.length === 0) return messages;
    const whole = [...messages];
    const restore = async (index: number) => {
      const message = messages[index]!;
      const thoughts = await this.find(thoughtsId(workspaceId, firstCall(message)!));
      if (thoughts && isOf(model, thoughts.provider)) whole[index] = withThoughts(message, thoughts);
    };
    await Promise.all(lacking.slice(-MAX_TURNS).map(restore));
    return whole;
  }

  /** null also while the read model is unavailable: then the provider gets no thoughts, and the caller is told. */
  private async find(id: string): Promise<SignedThoughts | null> {
    return this.recent.get(id) ?? (await signedThoughtsDocuments.get(this.store, id).catch(() => null));
  }
}

/** The first tool call in a message with unsigned thoughts only; null for any other message. */
function firstCall({ role, content }: Message): string | null {
  if (role !== 'assistant') return null;
  let hasThoughts = false;
  for (const part of content) {
    if (part.type === 'thinking') {
      if (part.signature !== undefined) return null;
      hasThoughts = true;
    } else if (part.type === 'tool-call') return hasThoughts && part.id.length <= MAX_ID_LENGTH ? part.id : null;
  }
  return null;
}

const isOf = (model: HostedModel, provider: Provider): boolean =>
  [model, ...(model.fallbacks ?? [])].some((each) => each.name === provider.name && each.model === provider.model);

function withThoughts(message: Message, { parts }: SignedThoughts): Message {
  const thoughts = parts.map(({ text, signature, redacted }): ContentPart => ({
    ...{ type: 'thinking', text, signature },
    ...(redacted && { redacted }),
  }));
  return { ...message, content: [...thoughts, ...message.content.filter(({ type }) => type !== 'thinking')] };
}

/** Whether a request repeats thoughts without their signature. */
export const lacksSignatures = ({ messages }: GenerationRequest): boolean =>
  messages.some((message) => firstCall(message) !== null);

const MAX_AGE_MS = 60_000;
const MAX_RECENT_CHARACTERS = 16 * 1024 * 1024;

interface Recent {
  readonly thoughts: SignedThoughts;
  readonly characters: number;
  /** By the monotonic clock, in ms. */
  readonly at: number;
}

/** The thoughts of the last minute, the oldest first. */
class RecentThoughts {
  private readonly byId = new Map<string, Recent>();
  private characters = 0;

  add(id: string, thoughts: SignedThoughts): void {
    this.remove(id);
    const characters = thoughts.parts.reduce((sum, { text, signature }) => sum + text.length + signature.length, 0);
    this.byId.set(id, { thoughts, characters, at: performance.now() });
    this.characters += characters;
    for (const [oldest, { at }] of this.byId) {
      if (this.characters <= MAX_RECENT_CHARACTERS && at > performance.now() - MAX_AGE_MS) break;
      this.remove(oldest);
    }
  }

  get(id: string): SignedThoughts | null {
    const recent = this.byId.get(id);
    return recent && recent.at > performance.now() - MAX_AGE_MS ? recent.thoughts : null;
  }

  private remove(id: string): void {
    this.characters -= this.byId.get(id)?.characters ?? 0;
    this.byId.delete(id);
  }
}
